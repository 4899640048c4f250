import type { JSONSchema } from "../schema.ts";
import type { Validator } from "../validator.ts";

/**
 * The type of a value that `S` accepts, after defaults were applied: a property with a `default` is
 * present.
 *
 * Understood: `type` (one or several), `const`, `enum`, `properties`, `required`,
 * `additionalProperties`, `patternProperties`, `propertyNames` with an `enum`, `items`,
 * `prefixItems`, `minItems`, `anyOf`, `oneOf`, `allOf`, `default`, and `$ref` to `#` or to a JSON
 * Pointer of the same document, recursion included. Keywords that only narrow (`not`, `if`,
 * `pattern`, `minimum`, …) leave the type as it is, so it is never narrower than the schema, with
 * one exception that follows how schemas are meant: `properties`, `required` and `items` without
 * `type` are read as an object or an array. A reference that cannot be resolved is `unknown`, and
 * so is `Infer<any>`. The types do not tell a union that `applyDefaults` can decide from one that
 * it cannot: a default inside the latter is not filled in.
 *
 * @typeParam S - the type of the schema literal; {@link defineSchema} keeps it exact without
 *   `as const`
 */
export type Infer<S> = unknown extends S ? unknown : Value<S, Output<S>>;

/** As {@link Infer}, before defaults were applied: a property with a `default` may be absent. */
export type InferInput<S> = unknown extends S ? unknown : Value<S, Input<S>>;

/**
 * The form of most inputs and outputs: a literal with `type: "object"`, and not a schema of a
 * library.
 */
export interface ObjectLiteral {
  readonly type: "object";
  readonly "~standard"?: never;
}

/**
 * The validator of a schema literal: it accepts {@link InferInput}; its `applyDefaults` makes
 * {@link Infer} of that.
 */
export type InferredValidator<S> = Validator<InferInput<S>, Infer<S>>;

/**
 * Returns `schema` as it is, with its exact literal type. A wrong keyword value is an error where
 * it is written.
 *
 * @example
 * const search = defineSchema({ type: "object", properties: { query: { type: "string" } },
 * required: ["query"] }); type Search = Infer<typeof search>; // { query: string }
 */
export function defineSchema<const S extends JSONSchema>(schema: S): S {
  return schema;
}

// The compiler counts instantiations, and they are what a user waits for. Hence: common shapes
// first, tests against types without parameters (they cost one each), few aliases, few parameters,
// no `infer` where indexing does.

// `C` is the document, for `$ref`, and what makes a property present without being required.
interface Mode {
  readonly root: unknown;
  readonly present: unknown;
}
interface Output<R> extends Mode {
  readonly root: R;
  readonly present: { readonly default: unknown };
}
interface Input<R> extends Mode {
  readonly root: R;
  readonly present: never;
}

type Value<S, C extends Mode> = S extends ObjectSchema
  ? S extends UsualSchema
    ? Properties<S["properties"], S["required"][number], C>
    : S extends WithRequired
      ? Properties<S["properties"], S["required"][number] | Defaulted<S["properties"], C["present"]>, C>
      : S extends OptionalSchema
        ? Properties<S["properties"], never, C>
        : Properties<S["properties"], Defaulted<S["properties"], C["present"]>, C>
  : S extends StringSchema
    ? string
    : S extends NumberSchema
      ? number
      : S extends ListSchema
        ? Value<S["items"], C>[]
        : S extends { readonly enum: readonly Primitive[] }
          ? S["enum"][number]
          : S extends BooleanSchema
            ? boolean
            : S extends NullSchema
              ? null
              : S extends { readonly const: Primitive }
                ? S["const"]
                : S extends AnyOfSchema
                  ? Value<S["anyOf"][number], C>
                  : S extends OneOfSchema
                    ? Value<S["oneOf"][number], C>
                    : S extends { readonly $ref: string }
                      ? Target<S["$ref"], C["root"], C>
                      : S extends { readonly const: infer V }
                        ? Mutable<V>
                        : S extends { readonly enum: readonly (infer V)[] }
                          ? Mutable<V>
                          : Own<S, C> & AnyOf<S, C> & OneOf<S, C> & AllOf<S, C>;

type Primitive = string | number | boolean | null;
type Mutable<T> = T extends object ? { -readonly [K in keyof T]: Mutable<T[K]> } : T;

/** A schema whose type its own `type` decides. */
interface Plain {
  readonly enum?: never;
  readonly const?: never;
  readonly $ref?: never;
  readonly anyOf?: never;
  readonly oneOf?: never;
  readonly allOf?: never;
}
interface StringSchema extends Plain {
  readonly type: "string";
}
interface NumberSchema extends Plain {
  readonly type: "number" | "integer";
}
interface BooleanSchema extends Plain {
  readonly type: "boolean";
}
interface NullSchema extends Plain {
  readonly type: "null";
}
interface ObjectSchema extends Plain {
  readonly type: "object";
  readonly properties: object;
  readonly additionalProperties?: boolean;
}
interface UsualSchema {
  readonly properties: WithoutDefaults;
  readonly required: readonly unknown[];
}
interface WithRequired {
  readonly required: readonly unknown[];
}
interface OptionalSchema {
  readonly properties: WithoutDefaults;
  readonly required?: never;
}
interface RecordSchema extends Plain {
  readonly type: "object";
}
interface ListSchema extends Plain {
  readonly type: "array";
  readonly items: object;
  readonly prefixItems?: never;
}

// ---- anyOf, oneOf, allOf
// ------------------------------------------------------------------------------------------

/** No keyword but the combinator restricts the type. */
interface Alone {
  readonly enum?: never;
  readonly const?: never;
  readonly $ref?: never;
  readonly type?: never;
  readonly properties?: never;
  readonly required?: never;
  readonly items?: never;
  readonly prefixItems?: never;
  readonly allOf?: never;
}
interface AnyOfSchema extends Alone {
  readonly anyOf: readonly unknown[];
  readonly oneOf?: never;
}
interface OneOfSchema extends Alone {
  readonly oneOf: readonly unknown[];
  readonly anyOf?: never;
}

type AnyOf<S, C extends Mode> = S extends { readonly anyOf: readonly unknown[] }
  ? Value<S["anyOf"][number], C>
  : unknown;
type OneOf<S, C extends Mode> = S extends { readonly oneOf: readonly unknown[] }
  ? Value<S["oneOf"][number], C>
  : unknown;
type AllOf<S, C extends Mode> = S extends { readonly allOf: infer A } ? Intersection<A, C> : unknown;
type Intersection<A, C extends Mode> = A extends readonly [infer H, ...infer T]
  ? Value<H, C> & Intersection<T, C>
  : unknown;

// The schema without its combinators. There a bare `type: "object"` says nothing that the
// branches do not say, and its index signature would hide them.
type Own<S, C extends Mode> = S extends false
  ? never
  : S extends { readonly type: readonly (infer T)[] }
    ? Named<T, S, C>
    : S extends { readonly properties: unknown } | { readonly required: unknown }
      ? ObjectType<S, C>
      : S extends { readonly type: "object" }
        ? S extends RecordSchema
          ? ObjectType<S, C>
          : unknown
        : S extends { readonly type: infer T }
          ? Named<T, S, C>
          : S extends { readonly items: unknown } | { readonly prefixItems: unknown }
            ? ArrayType<S, C>
            : unknown;
type Named<T, S, C extends Mode> = T extends keyof Scalars
  ? Scalars[T]
  : T extends "object"
    ? ObjectType<S, C>
    : T extends "array"
      ? ArrayType<S, C>
      : unknown;
interface Scalars {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

// ---- arrays
// ------------------------------------------------------------------------------------------

type ArrayType<S, C extends Mode> = S extends { readonly prefixItems: readonly unknown[] }
  ? [...Prefix<S["prefixItems"], C, S extends { readonly minItems: infer N } ? N : 0>, ...Rest<S, C>]
  : Rest<S, C>;
type Rest<S, C extends Mode> = S extends { readonly items: infer I }
  ? I extends false
    ? []
    : Value<I, C>[]
  : unknown[];

// Elements up to `minItems` are present, the others may be missing.
type Prefix<P, C extends Mode, Min, Done extends unknown[] = []> = P extends readonly [infer H, ...infer T]
  ? Done["length"] extends Min
    ? [...Done, ...Partial<{ -readonly [K in keyof P]: Value<P[K], C> }>]
    : Prefix<T, C, Min, [...Done, Value<H, C>]>
  : Done;

// ---- objects
// ------------------------------------------------------------------------------------------

type ObjectType<S, C extends Mode> = S extends { readonly properties: unknown }
  ? S extends { readonly additionalProperties: object }
    ? Properties<S["properties"], Present<S, C>, C> &
        Additional<S["properties"], S["additionalProperties"], Patterns<S, C>, C>
    : Properties<S["properties"], Present<S, C>, C>
  : S extends { readonly required: readonly (infer K extends string)[] }
    ? { [N in K]: unknown }
    : RecordType<S, C>;

// A mapped type over `keyof X` keeps the modifiers of `X`, and a property of an intersection is
// optional only if it is optional in every part: one pass gives types and optionality. `& {}` keeps
// later relation checks cheap.
type Properties<P, K, C extends Mode> = keyof P extends K
  ? { -readonly [N in keyof P]: Value<P[N], C> }
  : {
      -readonly [N in keyof ({ [M in keyof P]?: 1 } & { [M in K & keyof P]: 1 })]: Value<P[N], C>;
    } & {};

// An index signature must hold for the named properties and for patterns as well, hence the union.
type Additional<P, A, Q, C extends Mode> = {
  [name: string]: Value<A, C> | Value<P[keyof P], C> | Q | undefined;
};
type Patterns<S, C extends Mode> = S extends { readonly patternProperties: infer P }
  ? Value<P[keyof P], C>
  : never;

type Present<S extends { readonly properties: unknown }, C extends Mode> =
  | RequiredNames<S>
  | Defaulted<S["properties"], C["present"]>;
type RequiredNames<S> = S extends { readonly required: readonly unknown[] } ? S["required"][number] : never;
type Defaulted<P, D> = { [K in keyof P]: P[K] extends D ? K : never }[keyof P];
interface WithoutDefaults {
  readonly [name: string]: boolean | { readonly default?: never; readonly [keyword: string]: unknown };
}

type RecordType<S, C extends Mode> = S extends { readonly additionalProperties: infer A }
  ? A extends false
    ? { [name: string]: Patterns<S, C> }
    : S extends { readonly propertyNames: { readonly enum: readonly (infer K extends string)[] } }
      ? { [N in K]?: Value<A, C> | Patterns<S, C> }
      : { [name: string]: Value<A, C> | Patterns<S, C> }
  : { [name: string]: unknown };

// ---- $ref
// ------------------------------------------------------------------------------------------

type Target<P, R, C extends Mode> = P extends `#/$defs/${infer N}`
  ? R extends { readonly $defs: { readonly [K in N]: infer D } }
    ? Value<D, C>
    : Follow<P, R, C>
  : Follow<P, R, C>;

// One segment of the JSON Pointer at a time; `At` is the part of the document reached so far.
type Follow<P, At, C extends Mode> = P extends "#"
  ? Value<At, C>
  : P extends `#/${infer Segment}/${infer Tail}`
    ? Segment extends keyof At
      ? Follow<`#/${Tail}`, At[Segment], C>
      : unknown
    : P extends `#/${infer Segment}`
      ? Segment extends keyof At
        ? Value<At[Segment], C>
        : unknown
      : unknown;
