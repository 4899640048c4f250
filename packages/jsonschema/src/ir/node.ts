import type { FormatCheck } from "../options.ts";
import type { RawSchema } from "../schema.ts";
import { anyBits } from "../value/type.ts";
import { locationOf, type Resource, type Target } from "./resource.ts";

/** A compiled regular expression with its source. */
export interface Pattern {
  readonly source: string;
  /** Flags for a native `RegExp` literal; `undefined` if another matcher does the work. */
  readonly flags: string | undefined;
  /** The native `RegExp`, if that does the work. */
  readonly regex: RegExp | undefined;
  readonly test: (value: string) => boolean;
}

/** A format that is asserted. */
export interface Format {
  readonly name: string;
  readonly test: FormatCheck;
  /** One of the built-in formats, so that generated modules can import it. */
  readonly builtIn: boolean;
}

/**
 * The dynamic scope (core §7.1) as far as it matters: for each dynamic anchor, its target in the
 * outermost resource that defines it. Equal scopes are the same object.
 */
export type Scope = ReadonlyMap<string, Target>;

/**
 * One schema under one dynamic scope: the intermediate representation all back ends share. Dialects
 * are gone here: draft-07 schemas have been brought into the form of 2020-12. Absent keywords are
 * `undefined`.
 */
export interface Node {
  readonly id: number;
  readonly schema: RawSchema | boolean;
  readonly resource: Resource;
  /** JSON Pointer inside the resource. */
  readonly pointer: string;
  readonly scope: Scope;
  /** The name of the keyword in its dialect, for keywords with another name in the IR. */
  names: Readonly<Record<string, string>> | undefined;

  types: number;
  hasConst: boolean;
  const: unknown;
  enum: readonly unknown[] | undefined;

  multipleOf: number | undefined;
  minimum: number | undefined;
  maximum: number | undefined;
  exclusiveMinimum: number | undefined;
  exclusiveMaximum: number | undefined;

  minLength: number | undefined;
  maxLength: number | undefined;
  pattern: Pattern | undefined;
  format: Format | undefined;
  /** draft-07's content keywords, as one check. */
  content: Format | undefined;

  prefixItems: readonly Node[] | undefined;
  items: Node | undefined;
  contains: Node | undefined;
  minContains: number | undefined;
  maxContains: number | undefined;
  minItems: number | undefined;
  maxItems: number | undefined;
  /** Whether items must be unique. */
  uniqueItems: ((items: readonly unknown[]) => boolean) | undefined;
  unevaluatedItems: Node | undefined;

  properties: ReadonlyMap<string, Node> | undefined;
  patternProperties: readonly (readonly [Pattern, Node])[] | undefined;
  additionalProperties: Node | undefined;
  propertyNames: Node | undefined;
  unevaluatedProperties: Node | undefined;
  required: readonly string[] | undefined;
  minProperties: number | undefined;
  maxProperties: number | undefined;
  dependentRequired: readonly (readonly [string, readonly string[]])[] | undefined;
  dependentSchemas: readonly (readonly [string, Node])[] | undefined;

  ref: Node | undefined;
  dynamicRef: Node | undefined;
  allOf: readonly Node[] | undefined;
  anyOf: readonly Node[] | undefined;
  oneOf: readonly Node[] | undefined;
  not: Node | undefined;
  if: Node | undefined;
  then: Node | undefined;
  else: Node | undefined;

  /**
   * The node does nothing but apply this other one: a lone `$ref`, or `allOf` with one branch.
   */
  alias: Node | undefined;
  /** Every subschema, in the order of the keywords. */
  children: Node[] | undefined;
  /** The nodes among them that apply to the same instance location. */
  inPlace: Node[] | undefined;
  /** The same schema object in another scope or resource. */
  readonly twin: Node | undefined;
  /** Reached again from within itself: evaluation may nest as deep as the instance. */
  recursive: boolean;
  /**
   * Work units to charge on entry; 0 where the work is bounded by schema and instance size anyway.
   */
  fuel: number;
}

/** A node without any keyword. */
export function createNode(
  id: number,
  schema: RawSchema | boolean,
  resource: Resource,
  pointer: string,
  scope: Scope,
  twin: Node | undefined,
): Node {
  const none = undefined;
  return {
    id,
    schema,
    resource,
    pointer,
    scope,
    names: none,
    types: schema === false ? 0 : anyBits,
    hasConst: false,
    const: none,
    enum: none,
    multipleOf: none,
    minimum: none,
    maximum: none,
    exclusiveMinimum: none,
    exclusiveMaximum: none,
    minLength: none,
    maxLength: none,
    pattern: none,
    format: none,
    content: none,
    prefixItems: none,
    items: none,
    contains: none,
    minContains: none,
    maxContains: none,
    minItems: none,
    maxItems: none,
    uniqueItems: none,
    unevaluatedItems: none,
    properties: none,
    patternProperties: none,
    additionalProperties: none,
    propertyNames: none,
    unevaluatedProperties: none,
    required: none,
    minProperties: none,
    maxProperties: none,
    dependentRequired: none,
    dependentSchemas: none,
    ref: none,
    dynamicRef: none,
    allOf: none,
    anyOf: none,
    oneOf: none,
    not: none,
    if: none,
    then: none,
    else: none,
    alias: none,
    recursive: false,
    fuel: 0,
    children: none,
    inPlace: none,
    twin,
  };
}

/** The node that does the work: aliases followed. Loops of aliases have been rejected before. */
export function followAlias(node: Node): Node {
  let target = node;
  while (target.alias !== undefined) {
    target = target.alias;
  }
  return target;
}

/** The absolute URI of a node, or of one of its keywords. */
export function absoluteLocation(node: Node, keyword?: string): string {
  return locationOf(node) + (keyword === undefined ? "" : `/${keyword}`);
}
