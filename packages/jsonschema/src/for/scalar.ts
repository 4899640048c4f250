import type { JSONSchemaObject } from "../schema.ts";
import { invalid } from "../standard/recognise.ts";
import { describeField, type FieldDecorator, type FieldOptions, type Nullish } from "./decorator.ts";

/** Keywords of strings (Validation §6.3, §7, §8). */
export interface StringKeywords {
  /** Code points, not UTF-16 units. */
  readonly minLength?: number | undefined;
  /** Code points, not UTF-16 units. */
  readonly maxLength?: number | undefined;
  /** An ECMAScript regular expression, not anchored. */
  readonly pattern?: string | undefined;
  readonly format?: string | undefined;
  readonly contentEncoding?: string | undefined;
  readonly contentMediaType?: string | undefined;
}

/** Keywords of strings that encode another value, which decides their format. */
export type TextKeywords = Omit<StringKeywords, "contentEncoding" | "format">;

/** Keywords of numbers (Validation §6.2). */
export interface NumberKeywords {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly exclusiveMaximum?: number | undefined;
  readonly multipleOf?: number | undefined;
}

/**
 * A kind of field: `kind("description", { keywords })`, both arguments optional, and
 * `kind({ keywords })`.
 *
 * @typeParam V - the type of the field
 * @typeParam K - the keywords this kind has
 */
export type Kind<V, K = unknown> = <
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  description?: string | (K & FieldOptions<V, Optional, Nullable>),
  options?: K & FieldOptions<V, Optional, Nullable>,
) => FieldDecorator<Nullish<V, Nullable>, Optional>;

/**
 * A field that is a string: `@string("What to look for", { minLength: 1 }) query!: string`, or
 * without decorators `query: string()`.
 */
export const string: Kind<string, StringKeywords> = scalar<string, StringKeywords>({ type: "string" });
/** A field that is a number: `@number("In metres") height!: number`. */
export const number: Kind<number, NumberKeywords> = scalar<number, NumberKeywords>({ type: "number" });
/** A field that is a number without a fraction: `@integer({ minimum: 1 }) page = 1`. */
export const integer: Kind<number, NumberKeywords> = scalar<number, NumberKeywords>({ type: "integer" });
/** A field that is `true` or `false`. */
export const boolean: Kind<boolean> = scalar<boolean, unknown>({ type: "boolean" });

/** A value that {@link oneOf} can list. */
export type Constant = string | number | boolean | null;

/**
 * One of the given values; the field's type is their union. A list of one makes a discriminator.
 *
 * @example `@oneOf("Which units", ["metric", "imperial"]) units!: "metric" | "imperial"`
 */
export function oneOf<
  const V extends readonly Constant[],
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  description: string,
  values: V,
  options?: FieldOptions<V[number], Optional, Nullable>,
): FieldDecorator<Nullish<V[number], Nullable>, Optional>;
/** One of the given values, without a description. */
export function oneOf<
  const V extends readonly Constant[],
  const Optional extends boolean = false,
  const Nullable extends boolean = false,
>(
  values: V,
  options?: FieldOptions<V[number], Optional, Nullable>,
): FieldDecorator<Nullish<V[number], Nullable>, Optional>;
export function oneOf(...args: readonly unknown[]): FieldDecorator<unknown, boolean> {
  const [description, values, options] = withDescription(args);
  if (!Array.isArray(values) || values.length === 0) {
    throw invalid("oneOf needs a list of at least one value");
  }
  const types = new Set(values.map((value: unknown) => (value === null ? "null" : typeof value)));
  const [type] = types;
  // Model vendors want a `type` with each `enum`.
  const schema = (types.size === 1 ? { type, enum: values } : { enum: values }) as JSONSchemaObject;
  return describeField({ kind: "json", schema }, description, options);
}

function scalar<V, K>(schema: JSONSchemaObject): Kind<V, K> {
  return (description, options) => describeField({ kind: "json", schema }, description, options);
}

/**
 * Splits the arguments of a kind that has a subject: an optional description, the subject, and
 * options.
 */
export function withDescription(
  args: readonly unknown[],
): [
  description: string | undefined,
  subject: unknown,
  options: Readonly<Record<string, unknown>> | undefined,
] {
  const [first, ...rest] = args;
  const [description, subject, options] = typeof first === "string" ? [first, ...rest] : [undefined, ...args];
  return [description, subject, options as Readonly<Record<string, unknown>> | undefined];
}
