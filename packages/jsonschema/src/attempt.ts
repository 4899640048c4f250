import { isSchemaError, type SchemaError } from "./error.ts";

/** The result of `tryCompile`. @typeParam V - The kind of validator */
export type Attempt<V> =
  | { readonly ok: true; readonly validator: V }
  | { readonly ok: false; readonly error: SchemaError };

/** Compiles, with the {@link SchemaError} as a value. */
export function attempt<V>(compile: () => V): Attempt<V> {
  try {
    return { ok: true, validator: compile() };
  } catch (error) {
    if (isSchemaError(error)) {
      return { ok: false, error };
    }
    throw error;
  }
}
