import { checkKinds, optionKinds, type Kinds } from "./check-options.ts";
import { isSchemaError, SchemaError } from "./error.ts";
import type { InferredValidator } from "./infer/infer.ts";
import { compile } from "./main.ts";
import { schemaLimits, type CompileOptions, type LimitRules, type SchemaLimits } from "./options.ts";
import type { JSONSchema } from "./schema.ts";
import type { Validator } from "./validator.ts";

/** Limits of {@link compileAsync}, which include those of `compile`. */
export interface CompileAsyncLimits extends SchemaLimits {
  /** Maximum number of documents that are loaded. Default: `100`. */
  readonly maxDocuments?: number | undefined;
}

/**
 * Options of {@link compileAsync}: the options of `compile`, with a loader that may be
 * asynchronous.
 */
export interface CompileAsyncOptions extends Omit<CompileOptions, "loader" | "limits"> {
  /**
   * Asked, one after the other, for the documents that are in no other place; `undefined` for one
   * that it does not have. Where it looks is its own decision: it should know the addresses
   * beforehand, and bound time and size. Never asked if `untrusted` is set.
   *
   * @source MCP R-493
   */
  readonly loader: (
    uri: string,
    options: { readonly signal: AbortSignal | undefined },
  ) => Promise<JSONSchema | undefined> | JSONSchema | undefined;
  /** Limits the work on schemas and instances. Each limit has its own default. */
  readonly limits?: CompileAsyncLimits | undefined;
  /** Ends the wait between two documents; also given to the loader. */
  readonly signal?: AbortSignal | undefined;
}

const limitRules: LimitRules<CompileAsyncLimits> = { ...schemaLimits, maxDocuments: 100 };
const kinds: Kinds<CompileAsyncOptions> = { ...optionKinds, signal: "object" };

/**
 * Compiles a schema whose documents are loaded asynchronously. Each document is loaded once per
 * call.
 *
 * @throws SchemaError as `compile` does; `limit-exceeded` beyond `maxDocuments`; `TypeError` for
 *   options that do not exist or are out of range; the error of the loader; the reason of the
 *   signal
 */
export async function compileAsync<const S extends JSONSchema>(
  schema: S,
  options: CompileAsyncOptions,
): Promise<InferredValidator<S>>;
/** Compiles a schema whose documents have to be waited for, and whose type the caller knows. */
export async function compileAsync<T = unknown>(
  schema: JSONSchema,
  options: CompileAsyncOptions,
): Promise<Validator<T>>;
export async function compileAsync<T>(schema: JSONSchema, given: CompileAsyncOptions): Promise<Validator<T>> {
  checkKinds(given, kinds, limitRules);
  const { loader, signal, limits = {}, ...options } = given;
  const { maxDocuments = limitRules.maxDocuments, ...ofSchemas } = limits;
  const documents = new Map<string, JSONSchema>();
  for (;;) {
    signal?.throwIfAborted();
    let missing: string | undefined;
    const find = (uri: string): JSONSchema | undefined => {
      const document = documents.get(uri);
      if (document === undefined) {
        missing ??= uri;
      }
      return document;
    };
    try {
      return compile<T>(schema, { ...options, limits: ofSchemas, loader: find });
    } catch (error) {
      if (missing === undefined || !isSchemaError(error)) {
        throw error;
      }
      if (documents.size >= maxDocuments) {
        const message = `the schema needs more than ${maxDocuments} documents (maxDocuments)`;
        throw new SchemaError("limit-exceeded", error.location, message, { cause: error, uri: missing });
      }
      const document = await loader(missing, { signal });
      if (document === undefined) {
        throw error;
      }
      documents.set(missing, document);
    }
  }
}
