import type { KeywordReader } from "../ir/reader.ts";

/** Where a keyword's value holds subschemas: nowhere, in itself, in its elements, in its members. */
type Holds = "none" | "schema" | "array" | "map" | "schema-or-array" | "map-or-strings";

/** One keyword of a dialect: where to look for subschemas, and how its value enters the IR. */
export interface Keyword {
  readonly holds: Holds;
  readonly read?: KeywordReader;
}

/** The keywords of one vocabulary (core §8.1.1). */
export type Vocabulary = Readonly<Record<string, Keyword>>;

/** The rules one schema resource is read by. */
export interface Dialect {
  readonly uri: string;
  readonly keywords: ReadonlyMap<string, Keyword>;
  /** draft-07: `$ref` hides every keyword beside it, `$id` may be an anchor. */
  readonly legacy: boolean;
  /** The format-assertion vocabulary is in force. */
  readonly assertFormats: boolean;
}
