import type { SchemaError } from "../error.ts";
import type { CompileOptions } from "../options.ts";
import { isJsonObject } from "../schema.ts";
import type { Format, Node, Pattern } from "./node.ts";

/** The keyword that is being read into the IR, and what reading it takes. */
export interface Reader {
  readonly options: CompileOptions;
  readonly node: Node;
  /** The name of the keyword. */
  readonly keyword: string;
  /** The node of the keyword's subschema, or of that of this name or index in it. */
  readonly child: (schema: unknown, name?: string | number) => Node;
  /** The node a reference leads to; a dynamic one, in the node's dynamic scope (core §8.2.3.2). */
  readonly reference: (uri: string) => Node;
  /** A regular expression, which may be a name in the keyword's value. */
  readonly pattern: (source: string, name?: string) => Pattern;
  readonly format: (name: string) => Format | undefined;
  /** An `invalid-keyword` error. */
  readonly malformed: (expected: string) => SchemaError;
}

/** Brings the value of one keyword into its node. */
export type KeywordReader = (reader: Reader, value: unknown) => void;

/** Stores a keyword's value under its own name: the IR calls keywords as draft 2020-12 does. */
export function store({ node, keyword }: Reader, value: unknown): void {
  (node as unknown as Record<string, unknown>)[keyword] = value;
}

/** Reads a keyword that holds one schema. */
export const readSchema: KeywordReader = (reader, value) => store(reader, reader.child(value));

/** Reads a keyword that holds a non-empty list of schemas. */
export const readSchemas: KeywordReader = (reader, value) => {
  if (!Array.isArray(value) || value.length === 0) throw reader.malformed("a non-empty array of schemas");
  store(reader, value.map(reader.child));
};

/** The schemas of a keyword that holds a map of them. */
export function schemaMap(reader: Reader, value: unknown): (readonly [string, Node])[] {
  return membersOf(reader, value).map(([name, item]) => [name, reader.child(item, name)]);
}

/** The members of a keyword that must be an object. */
export function membersOf(reader: Reader, value: unknown): [string, unknown][] {
  if (!isJsonObject(value)) throw reader.malformed("an object");
  return Object.entries(value);
}

/** The value of a keyword that must be a string. */
export function text(reader: Reader, value: unknown, what: string): string {
  if (typeof value !== "string") throw reader.malformed(what);
  return value;
}

/** The value of a keyword that must be a list of distinct strings. */
export function stringList(reader: Reader, value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string")) {
    throw reader.malformed("an array of strings");
  }
  return [...new Set(value as string[])];
}
