import type { JSONSchema } from "../schema.ts";
import type { KeywordReader } from "./reader.ts";

/** One keyword of a dialect: where to look for subschemas, and how its value enters the IR. */
export interface Keyword {
  /**
   * The value is a schema or a list of them, or an object whose properties are. Default: no schema
   * is in it.
   */
  readonly holds?: "schemas" | "members";
  /**
   * Its schemas apply to the same value as the schema that contains it. By default they apply to
   * parts of that value.
   */
  readonly inPlace?: true;
  /** Default: the keyword asserts nothing. */
  readonly read?: KeywordReader;
}

/**
 * The keywords of one vocabulary (core §8.1.1). Keywords that are only annotations may be missing.
 */
export type Vocabulary = Readonly<Record<string, Keyword>>;

/** The rules one schema resource is read by. */
export interface Dialect {
  /** The metaschema's, without its scheme: `http` and `https` are as good. */
  readonly uri: string;
  readonly keywords: ReadonlyMap<string, Keyword>;
  /** draft-07: `$ref` hides every keyword next to it, and `$id` may be an anchor. */
  readonly legacy: boolean;
  /** The format-assertion vocabulary is in force. */
  readonly assertFormats: boolean;
}

/** The sources of documents besides the schema itself. */
export type DocumentSource = (uri: string) => JSONSchema | undefined;

/**
 * The dialect of a metaschema that is not standard; `undefined` if there is none. `fallback` is for
 * one without `$schema`.
 */
export type CustomDialects = (
  uri: string,
  find: DocumentSource,
  location: string,
  fallback: Dialect,
) => Dialect | undefined;
