import type { FormatCheck } from "../options.ts";
import type { Resource } from "../resolve/resource.ts";
import type { RawSchema } from "../schema.ts";
import { ANY } from "../value/type.ts";

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
 * One schema under one dynamic scope: the intermediate representation all back ends share. Dialects are gone here:
 * draft-07 schemas have been brought into the form of 2020-12. Absent keywords are `undefined`.
 */
export interface Node {
  readonly id: number;
  readonly schema: RawSchema | boolean;
  readonly resource: Resource;
  /** JSON Pointer inside the resource. */
  readonly pointer: string;
  /** Name of the keyword in its dialect, for those that have another one in the IR. */
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
  uniqueItems: boolean;
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

  /** Annotations worth reporting (`title`, `default`, `format`, unknown keywords, …): keyword names. */
  annotations: readonly string[] | undefined;

  /** The node does nothing but apply this other one: a lone `$ref`, or `allOf` with one member. */
  alias: Node | undefined;
  /** Has no subschema: no keyword but assertions. */
  leaf: boolean;
  /** Reached again from within itself: evaluation may nest as deep as the instance. */
  recursive: boolean;
  /** Work units to charge on entry; 0 where the work is bounded by schema and instance size anyway. */
  fuel: number;
}

/** A node without any keyword. */
export function createNode(
  id: number,
  schema: RawSchema | boolean,
  resource: Resource,
  pointer: string,
): Node {
  const none = undefined;
  return {
    id,
    schema,
    resource,
    pointer,
    names: none,
    types: ANY,
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
    uniqueItems: false,
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
    annotations: none,
    alias: none,
    leaf: true,
    recursive: false,
    fuel: 0,
  };
}

/** The node that does the work: aliases followed. Loops of aliases have been rejected before. */
export function followAlias(node: Node): Node {
  let target = node;
  while (target.alias !== undefined) target = target.alias;
  return target;
}

/** The absolute URI of a node, or of one of its keywords. */
export function absoluteLocation(node: Node, keyword?: string): string {
  return `${node.resource.uri}#${node.pointer}${keyword === undefined ? "" : `/${keyword}`}`;
}

/** Calls `visit` for each subschema that looks at the same instance location as the node. */
export function eachInPlace(node: Node, visit: (child: Node) => void): void {
  if (node.leaf) return;
  one(node.ref, visit);
  one(node.dynamicRef, visit);
  many(node.allOf, visit);
  many(node.anyOf, visit);
  many(node.oneOf, visit);
  one(node.not, visit);
  one(node.if, visit);
  one(node.then, visit);
  one(node.else, visit);
  if (node.dependentSchemas !== undefined) for (const [, child] of node.dependentSchemas) visit(child);
}

/** Calls `visit` for each subschema that looks at a child of the instance location. */
export function eachBelow(node: Node, visit: (child: Node) => void): void {
  if (node.leaf) return;
  many(node.prefixItems, visit);
  one(node.items, visit);
  one(node.contains, visit);
  one(node.unevaluatedItems, visit);
  if (node.properties !== undefined) for (const child of node.properties.values()) visit(child);
  if (node.patternProperties !== undefined) for (const [, child] of node.patternProperties) visit(child);
  one(node.additionalProperties, visit);
  one(node.propertyNames, visit);
  one(node.unevaluatedProperties, visit);
}

function one(child: Node | undefined, visit: (child: Node) => void): void {
  if (child !== undefined) visit(child);
}

function many(children: readonly Node[] | undefined, visit: (child: Node) => void): void {
  if (children !== undefined) for (const child of children) visit(child);
}
