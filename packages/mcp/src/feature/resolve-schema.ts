import type { ResolvedSchema } from "@tenon/jsonschema/core";

import { McpError } from "../base/error.ts";
import { lazy, type Lazy } from "../base/lazy.ts";
import type { Registry } from "../base/registry.ts";
import type * as explainModule from "./explain.lazy.ts";

/** Describes the errors of a value that does not match its schema. */
export const explaining: Lazy<typeof explainModule> = lazy(() => import("./explain.lazy.ts"));

/**
 * Resolves a schema. Errors of {@link ResolvedSchema.load} are reported like errors of `resolve`.
 *
 * @param problem - The start of the message: `The input schema of add is not valid`.
 * @throws `McpError` `INVALID_DEFINITION`.
 */
export function resolveOrRefuse(problem: string, resolve: () => ResolvedSchema): ResolvedSchema {
  const refuse = (cause: unknown): never => {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new McpError("INVALID_DEFINITION", `${problem}: ${detail}`, { cause });
  };
  const refusing = <R>(work: () => R): R => {
    try {
      return work();
    } catch (cause) {
      return refuse(cause);
    }
  };
  const resolved = refusing(resolve);
  const { load } = resolved;
  return load === undefined ? resolved : { ...resolved, load: () => refusing(load)?.catch(refuse) };
}

type Loadable = Pick<ResolvedSchema, "load">;

/** Loads what the checks of several schemas need. @returns `undefined` if they need nothing. */
export function loadSchemas(schemas: Iterable<Loadable | undefined>): Promise<unknown> | undefined {
  const loading = Array.from(schemas, (schema) => schema?.load?.()).filter((one) => one !== undefined);
  return loading.length === 0 ? undefined : Promise.all(loading);
}

/**
 * Makes the function that loads what the schemas of all definitions need. It looks at them again
 * only when there are others.
 */
export function schemaLoader<T>(
  registry: Registry<T>,
  schemasOf: (definition: T) => readonly (Loadable | undefined)[],
): () => Promise<unknown> | undefined {
  let ready = registry.version;
  return () => {
    const { version } = registry;
    if (version === ready) {
      return undefined;
    }
    const loading = loadSchemas([...registry.values()].flatMap(schemasOf));
    if (loading === undefined) {
      ready = version;
    }
    return loading;
  };
}
