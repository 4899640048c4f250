import type { JSONSchema } from "../schema.ts";
import type { Class } from "../standard/class.ts";
import { invalid } from "../standard/recognise.ts";
import { describeField, type FieldDecorator, type FieldOptions, type Nullish } from "./decorator.ts";
import { withDescription } from "./scalar.ts";
import type { Source, OutputOf } from "./source.ts";
import { specOf } from "./spec-of.ts";

/** Keywords of arrays (Validation §6.4). */
export interface ArrayKeywords {
  readonly minItems?: number | undefined;
  readonly maxItems?: number | undefined;
  readonly uniqueItems?: boolean | undefined;
  readonly contains?: JSONSchema | undefined;
  readonly minContains?: number | undefined;
  readonly maxContains?: number | undefined;
}

/** Keywords of objects whose property names are not fixed (Validation §6.5). */
export interface MapKeywords {
  readonly minProperties?: number | undefined;
  readonly maxProperties?: number | undefined;
  readonly propertyNames?: JSONSchema | undefined;
}

/**
 * An array whose items `items` describes: `array("Compare with", () => Place)` or
 * `array(string(), { maxItems: 3 })`.
 */
export function array<
  const S extends Source,
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  description: string,
  items: S,
  options?: ArrayKeywords & FieldOptions<OutputOf<S>[], Optional, Nullable>,
): FieldDecorator<Nullish<OutputOf<S>[], Nullable>, Optional>;
/** An array, without a description. */
export function array<
  const S extends Source,
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  items: S,
  options?: ArrayKeywords & FieldOptions<OutputOf<S>[], Optional, Nullable>,
): FieldDecorator<Nullish<OutputOf<S>[], Nullable>, Optional>;
export function array(...args: readonly unknown[]): never {
  const [description, items, options] = withDescription(args);
  // The compiler cannot relate a decorator of `unknown[]` to the overloads; they are what callers
  // see.
  return describeField({ kind: "array", items: specOf(items) }, description, options) as never;
}

/**
 * An object with any property names, each property as `values` describes; the field is a
 * `Record<string, …>`.
 */
export function map<
  const S extends Source,
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  description: string,
  values: S,
  options?: MapKeywords & FieldOptions<Record<string, OutputOf<S>>, Optional, Nullable>,
): FieldDecorator<Nullish<Record<string, OutputOf<S>>, Nullable>, Optional>;
/** An object with any property names, without a description. */
export function map<
  const S extends Source,
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  values: S,
  options?: MapKeywords & FieldOptions<Record<string, OutputOf<S>>, Optional, Nullable>,
): FieldDecorator<Nullish<Record<string, OutputOf<S>>, Nullable>, Optional>;
export function map(...args: readonly unknown[]): never {
  const [description, values, options] = withDescription(args);
  return describeField({ kind: "map", values: specOf(values) }, description, options) as never;
}

/**
 * An instance of a class with described fields, or of the class a function returns (declared later,
 * or itself).
 */
export function object<
  const S extends Class | (() => Class),
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  description: string,
  target: S,
  options?: FieldOptions<OutputOf<S>, Optional, Nullable>,
): FieldDecorator<Nullish<OutputOf<S>, Nullable>, Optional>;
/** An instance of a class, without a description. */
export function object<
  const S extends Class | (() => Class),
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  target: S,
  options?: FieldOptions<OutputOf<S>, Optional, Nullable>,
): FieldDecorator<Nullish<OutputOf<S>, Nullable>, Optional>;
export function object(...args: readonly unknown[]): FieldDecorator<unknown, boolean> {
  const [description, target, options] = withDescription(args);
  const { shape } = specOf(target);
  if (shape.kind !== "class") {
    throw invalid("object needs a class, or a function that returns one");
  }
  return describeField(shape, description, options);
}

/**
 * A value that one of `branches` describes (`anyOf`). The first branch that accepts it creates the
 * instance.
 */
export function union<
  const S extends readonly Source[],
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  description: string,
  branches: S,
  options?: FieldOptions<OutputOf<S[number]>, Optional, Nullable>,
): FieldDecorator<Nullish<OutputOf<S[number]>, Nullable>, Optional>;
/** A value that one of `branches` describes, without a description. */
export function union<
  const S extends readonly Source[],
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  branches: S,
  options?: FieldOptions<OutputOf<S[number]>, Optional, Nullable>,
): FieldDecorator<Nullish<OutputOf<S[number]>, Nullable>, Optional>;
export function union(...args: readonly unknown[]): FieldDecorator<unknown, boolean> {
  const [description, branches, options] = withDescription(args);
  if (!Array.isArray(branches) || branches.length === 0) {
    throw invalid("union needs a list of at least one branch");
  }
  return describeField({ kind: "union", branches: branches.map(specOf) }, description, options);
}

/**
 * Any value a {@link Source} describes: a JSON Schema literal, a schema of another library, a
 * class.
 */
export function prop<
  const S extends Source,
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  description: string,
  source: S,
  options?: FieldOptions<OutputOf<S>, Optional, Nullable>,
): FieldDecorator<Nullish<OutputOf<S>, Nullable>, Optional>;
/** Any value a {@link Source} describes, without a description of its own. */
export function prop<
  const S extends Source,
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  source: S,
  options?: FieldOptions<OutputOf<S>, Optional, Nullable>,
): FieldDecorator<Nullish<OutputOf<S>, Nullable>, Optional>;
export function prop(...args: readonly unknown[]): FieldDecorator<unknown, boolean> {
  const [description, source, options] = withDescription(args);
  const { shape, keywords, nullable } = specOf(source);
  const own = description === undefined ? undefined : { description };
  return describeField(shape, undefined, { ...keywords, nullable, ...own, ...options });
}
