import type { Infer, InferInput, ObjectLiteral } from "../infer/infer.ts";
import type { JSONSchema } from "../schema.ts";
import type { Class } from "../standard/class.ts";
import type { StandardJSONSchema, StandardTypes } from "../standard/spec.ts";
import type { FieldSpec } from "./shape.ts";

/** The return type of the functions {@link string}, {@link array}, …, seen as a description. */
export interface Described {
  readonly "~field": FieldSpec;
}

/**
 * The ways to describe a field, an item or a property: a field type (`string("…")`), a class with
 * described fields, a function that returns such a class (for one declared later, or itself), a
 * Standard JSON Schema of any library, or a JSON Schema literal.
 */
export type Source = Described | Class | (() => Class) | StandardJSONSchema | JSONSchema;

/**
 * The type of a value after it was validated and converted: the type that a handler gets. The type
 * of a zod schema is read from `_zod`, because the compiler takes twice as long to read it from
 * `~standard`.
 */
export type OutputOf<S> = S extends { readonly _zod: { readonly output: infer V } }
  ? V
  : S extends ObjectLiteral
    ? Infer<S>
    : S extends { readonly "~field": FieldSpec<infer V> }
      ? V
      : S extends { readonly "~standard": { readonly types?: StandardTypes<unknown, infer V> | undefined } }
        ? V
        : S extends Class<infer T> | (() => Class<infer T>)
          ? T
          : Infer<S>;

/**
 * The type of a value before it is encoded: the type that a caller passes. Methods of a class are
 * not part of it, and readonly properties, including getters, may be omitted. Fields with
 * initializers are required, because types do not show which have one.
 */
export type InputOf<S> = S extends { readonly _zod: { readonly input: infer V } }
  ? V
  : S extends ObjectLiteral
    ? InferInput<S>
    : S extends { readonly "~field": FieldSpec<infer V> }
      ? V
      : S extends { readonly "~standard": { readonly types?: StandardTypes<infer V, unknown> | undefined } }
        ? V
        : S extends Class<infer T> | (() => Class<infer T>)
          ? Given<T>
          : InferInput<S>;

type Given<T> = [ReadonlyKey<T>] extends [never]
  ? Data<T>
  : Omit<Data<T>, ReadonlyKey<T>> & Partial<Pick<T, ReadonlyKey<T>>>;
type Data<T> = { [K in keyof T as T[K] extends (...args: never[]) => unknown ? never : K]: T[K] };
// The compiler takes a getter for a readonly property, and takes two function types with
// conditional types inside for the same only if what is compared in them is identical, modifiers
// included.
type ReadonlyKey<T> = {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- they make it so
  [K in keyof Data<T>]-?: (<X>() => X extends Pick<T, K> ? 1 : 2) extends <X>() => X extends {
    -readonly [P in K]: T[P];
  }
    ? 1
    : 2
    ? never
    : K;
}[keyof Data<T>];
