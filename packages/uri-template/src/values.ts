import type { Operator } from "./operator.ts";

/** A single value. Numbers and booleans are written as `String` writes them. */
export type Scalar = string | number | boolean;

/**
 * The value of a variable (RFC 6570 §2.3). `undefined` and `null` count as not defined, including
 * inside lists and maps.
 */
export type Value =
  | Scalar
  | readonly (Scalar | null | undefined)[]
  | { readonly [key: string]: Scalar | null | undefined }
  | null
  | undefined;

type Named = ";" | "?" | "&";

type Bodies<T extends string> = T extends `${string}{${infer Body}}${infer Rest}`
  ? Body | Bodies<Rest>
  : never;

/** Splits the variable list; `First` is true for the first variable of its expression. */
type Specs<
  O extends Operator,
  List extends string,
  First extends boolean = true,
> = List extends `${infer Head},${infer Tail}` ? [O, Head, First] | Specs<O, Tail, false> : [O, List, First];

type SpecsOf<Body> = Body extends `${infer O extends Exclude<Operator, "">}${infer List}`
  ? Specs<O, List>
  : Body extends string
    ? Specs<"", Body>
    : never;

type AllSpecs<T extends string> = SpecsOf<Bodies<T>>;

type NameOf<S> = S extends `${infer Name}*` ? Name : S extends `${infer Name}:${string}` ? Name : S;

type Name<Spec> = Spec extends [unknown, infer S extends string, unknown] ? NameOf<S> & string : never;

/** The first variable without an operator or with `+` has a match or the template has none. */
type Always<Spec> = Spec extends ["" | "+", unknown, true] ? Spec : never;

type Matched<Spec> = Spec extends [infer O, `${string}*`, unknown]
  ? O extends Named
    ? string[] | Record<string, string>
    : string[]
  : string;

type Accepted<Spec> = Spec extends [unknown, `${string}:${string}`, unknown]
  ? Scalar | null | undefined
  : Value;

type Flat<T> = { [K in keyof T]: T[K] };

/** The names of a template's variables; `string` when the template is not a literal type. */
export type VariableName<T extends string> = string extends T ? string : Name<AllSpecs<T>>;

/**
 * The result of `match` for a template: a string for a plain variable, a list for an exploded
 * variable, and for a variable that is exploded with `;`, `?` or `&` a list (`tag=a&tag=b`) or a
 * map (any other names). A variable that the URI may omit is optional. Values are percent-decoded.
 *
 * @example
 * type File = Variables<"file:///{path}{?q*}">; // { path: string; q?: string[] | Record<string, string> }
 */
export type Variables<T extends string> = string extends T
  ? { [name: string]: string | string[] | Record<string, string> }
  : Flat<
      { [S in Always<AllSpecs<T>> as Name<S>]: Matched<S> } & {
        [S in AllSpecs<T> as Name<S>]?: Matched<S>;
      }
    >;

/**
 * The values that `expand` accepts for a template. Every variable may be omitted; a variable with a
 * prefix (`:3`) accepts no list or map.
 */
export type Values<T extends string> = string extends T
  ? { readonly [name: string]: Value }
  : { readonly [S in AllSpecs<T> as Name<S>]?: Accepted<S> };
