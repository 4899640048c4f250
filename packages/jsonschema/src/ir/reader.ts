import type { CompileOptions } from "../options.ts";
import type { Members } from "../value/members.ts";
import { anObject, aString, schemas, strings, type Shape } from "./keyword-shape.ts";
import type { Format, Node, Pattern } from "./node.ts";

/** The keyword that is being read into the IR, and what reading it takes. */
export interface Reader {
  readonly options: CompileOptions;
  readonly node: Node;
  /** The name of the keyword. */
  readonly keyword: string;
  /** The node of the keyword's subschema, or of the subschema with this name or index in it. */
  readonly child: (schema: unknown, name?: string | number) => Node;
  /** The node a reference leads to; a dynamic one, in the node's dynamic scope (core §8.2.3.2). */
  readonly reference: (uri: string) => Node;
  /** A regular expression, which may be a name in the keyword's value. */
  readonly pattern: (source: string, name?: string) => Pattern;
  readonly format: (name: string) => Format | undefined;
  /** Tests whether items are unique. */
  readonly unique: (items: readonly unknown[]) => boolean;
  /** @throws SchemaError `invalid-keyword` for a value that does not have the shape */
  readonly require: (shape: Shape, value: unknown) => void;
}

/**
 * Reads the value of one keyword. The returned value is stored in the node, under the name of the
 * keyword.
 */
export type KeywordReader = (reader: Reader, value: unknown) => unknown;

/** A keyword that holds one schema. */
export const readSchema: KeywordReader = ({ child }, value) => child(value);

/** A keyword that holds a non-empty list of schemas. */
export const readSchemas: KeywordReader = (reader, value) => {
  reader.require(schemas, value);
  return (value as unknown[]).map(reader.child);
};

/** The schemas of a keyword that holds a map of them. */
export function schemaMap(reader: Reader, value: unknown): (readonly [string, Node])[] {
  return membersOf(reader, value).map(([name, item]) => [name, reader.child(item, name)]);
}

/** The properties of a keyword that must be an object. */
export function membersOf(reader: Reader, value: unknown): [string, unknown][] {
  reader.require(anObject, value);
  return Object.entries(value as Members);
}

/** The value of a keyword that must be a string. */
export function text(reader: Reader, value: unknown): string {
  reader.require(aString, value);
  return value as string;
}

/** The value of a keyword that must be a list of distinct strings. */
export function stringList(reader: Reader, value: unknown): readonly string[] {
  reader.require(strings, value);
  return [...new Set(value as string[])];
}
