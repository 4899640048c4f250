import type { JSONSchema } from "./schema.ts";

/**
 * The dialects this package knows; others are refused with `unsupported-dialect`.
 *
 * @source MCP R-491
 */
export type Draft = "2020-12" | "2019-09" | "draft-07";

/** Limits on schemas and on validation. `untrusted` is the preset for schemas of a peer. */
export interface SchemaLimits {
  /** Nesting of subschemas inside one document; untrusted `64`. Default: `256`. */
  readonly maxSchemaDepth?: number | undefined;
  /**
   * Subschemas in one document, nodes compiled from all of them, and dynamic anchors in all dynamic
   * scopes; untrusted `10_000`. Default: `50_000`.
   */
  readonly maxSubschemas?: number | undefined;
  /** UTF-16 units of one regular expression; untrusted `2_000`. Default: `10_000`. */
  readonly maxPatternLength?: number | undefined;
  /**
   * Nested evaluations of recursive schemas, which is the depth of the instance. Default: `512`.
   */
  readonly maxInstanceDepth?: number | undefined;
  /**
   * Maximum number of work units of one call. Recursive and heavily shared subschemas are charged
   * for; with `untrusted` also patterns by the length of the string, `uniqueItems`, and every
   * subschema by the size of the value where many apply to one value. One unit is about 10 ns;
   * untrusted `10_000_000`. Default: `5_000_000`.
   */
  readonly maxSteps?: number | undefined;
  /** Maximum number of errors that `check` returns, at least 1. Default: `20`. */
  readonly maxErrors?: number | undefined;
}

/** The default of each limit. */
export type LimitRules<L> = { readonly [Name in keyof Required<L>]: number };

/** Limits with every default filled in. */
export type ResolvedLimits = { readonly [Name in keyof Required<SchemaLimits>]: number };

/** A test for the properties of one format; called with strings only. */
export type FormatCheck = (value: string) => boolean;

/** Options of `compile`. */
export interface CompileOptions {
  /** The dialect of documents that have no `$schema`. Default `"2020-12"`. @source MCP R-490 */
  readonly draft?: Draft | undefined;
  /**
   * The URI the schema was obtained from; its relative `$id` and `$ref` resolve against it. Default
   * none.
   */
  readonly baseUri?: string | undefined;
  /**
   * Whether `format` is checked. By default (`"annotate"`) it is checked only if the vocabulary of
   * the dialect requires it. `"assert"` checks the formats that this build or `customFormats` has,
   * and ignores others. `"strict"` also rejects schemas with other formats, by the code
   * `invalid-keyword`.
   */
  readonly formats?: "annotate" | "assert" | "strict" | undefined;
  /** Formats of your own, by name; they replace built-in ones. */
  readonly customFormats?: Readonly<Record<string, FormatCheck>> | undefined;
  /**
   * `"closures"` never generates code. `"codegen"` does, at the first validation, where the build
   * has a generator (Node, Bun, Deno). `"auto"`, the default, starts with closures and switches
   * when a schema is hot, in those builds.
   */
  readonly engine?: "auto" | "closures" | "codegen" | undefined;
  /**
   * Checks at once that each `default` that the root reaches conforms to its schema. No effect in
   * the core build. Default: `false`.
   */
  readonly validateDefaults?: boolean | undefined;
  /**
   * Documents that `$ref` and `$schema` may name, by absolute URI. The standard metaschemas are
   * always known.
   */
  readonly schemas?: Readonly<Record<string, JSONSchema>> | undefined;
  /**
   * Asked for documents that are in no other place. Default none. This package itself never uses
   * the network.
   *
   * @source MCP R-493
   */
  readonly loader?: ((uri: string) => JSONSchema | undefined) | undefined;
  /**
   * Whether the schema comes from a peer: {@link SchemaLimits} are tighter, `maxSteps` also bounds
   * the product of schema and instance, `loader` is ignored, and patterns for which a backtracking
   * engine may need super-linear time run on a linear-time matcher or are refused. The core build
   * refuses all of these patterns and does not bound the product. Default: `false`.
   */
  readonly untrusted?: boolean | undefined;
  /** Limits the work on schemas and instances. Each limit has its own default. */
  readonly limits?: SchemaLimits | undefined;
  /**
   * Replaces the regular expression engine, for example by RE2. Default: `RegExp` with the `u`
   * flag, and without it where the pattern is only valid there.
   */
  readonly regExp?: ((source: string) => { test(value: string): boolean }) | undefined;
}

/** The defaults of {@link SchemaLimits}. */
export const schemaLimits: LimitRules<SchemaLimits> = {
  maxSchemaDepth: 256,
  maxSubschemas: 50_000,
  maxPatternLength: 10_000,
  maxInstanceDepth: 512,
  maxSteps: 5_000_000,
  maxErrors: 20,
};

/** The limits of schemas from a peer, where they differ. */
const untrusted: SchemaLimits = {
  maxSchemaDepth: 64,
  maxSubschemas: 10_000,
  maxPatternLength: 2_000,
  maxSteps: 10_000_000,
};

/** The limits in force for these options. */
export function limitsOf(options: Pick<CompileOptions, "limits" | "untrusted">): ResolvedLimits {
  const preset = options.untrusted === true ? untrusted : {};
  const resolved: Record<string, number> = {};
  let name: keyof SchemaLimits;
  for (name in schemaLimits) {
    resolved[name] = options.limits?.[name] ?? preset[name] ?? schemaLimits[name];
  }
  return resolved as ResolvedLimits;
}
