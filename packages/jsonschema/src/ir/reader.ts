import type { Dialect } from "../dialect/keyword.ts";
import type { SchemaError } from "../error.ts";
import type { CompileOptions, Limits } from "../options.ts";
import { escapeToken } from "../resolve/pointer.ts";
import type { Format, Node, Pattern } from "./node.ts";

/** What a keyword needs to enter the IR. */
export interface Reader {
  readonly options: CompileOptions;
  readonly limits: Limits;
  readonly dialect: Dialect;
  /** The node of a subschema that lies at `path` (an escaped pointer) below `node`. */
  child(node: Node, schema: unknown, path: string): Node;
  /** The node a reference leads to. */
  reference(node: Node, uri: string, keyword: string): Node;
  /** The node a dynamic reference leads to in the node's dynamic scope (core §8.2.3.2). */
  dynamicReference(node: Node, uri: string, keyword: string): Node;
  pattern(node: Node, source: string, keyword: string): Pattern;
  format(name: string): Format | undefined;
  /** An `invalid-keyword` error for a keyword of the node. */
  malformed(node: Node, keyword: string, expected: string): SchemaError;
}

/** Brings one keyword of a schema into its node. */
export type KeywordReader = (reader: Reader, node: Node, value: unknown, keyword: string) => void;

/** Stores a keyword's value under its own name: the IR calls keywords as draft 2020-12 does. */
export function store(node: Node, keyword: string, value: unknown): void {
  (node as unknown as Record<string, unknown>)[keyword] = value;
}

/** Reads a keyword that holds one schema. */
export const readSchema: KeywordReader = (reader, node, value, keyword) => {
  store(node, keyword, reader.child(node, value, `/${keyword}`));
};

/** Reads a keyword that holds a non-empty list of schemas. */
export const readSchemas: KeywordReader = (reader, node, value, keyword) => {
  if (!Array.isArray(value) || value.length === 0)
    throw reader.malformed(node, keyword, "a non-empty array of schemas");
  store(
    node,
    keyword,
    value.map((item, i) => reader.child(node, item, `/${keyword}/${i}`)),
  );
};

/** The schemas of a keyword that holds a map of them. */
export function schemaMap(
  reader: Reader,
  node: Node,
  value: unknown,
  keyword: string,
): (readonly [string, Node])[] {
  return membersOf(reader, node, value, keyword).map(([name, item]) => [
    name,
    reader.child(node, item, `/${keyword}/${escapeToken(name)}`),
  ]);
}

/** The members of a keyword that must be an object. */
export function membersOf(reader: Reader, node: Node, value: unknown, keyword: string): [string, unknown][] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw reader.malformed(node, keyword, "an object");
  }
  return Object.entries(value);
}

/** The value of a keyword that must be a list of distinct strings. */
export function stringList(reader: Reader, node: Node, value: unknown, keyword: string): readonly string[] {
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) {
    throw reader.malformed(node, keyword, "an array of strings");
  }
  return [...new Set(value as string[])];
}
