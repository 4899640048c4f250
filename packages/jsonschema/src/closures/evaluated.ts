import { containsEvaluates } from "../ir/evaluated.ts";
import type { Node } from "../ir/node.ts";
import { has, isMembers, type Members } from "../value/members.ts";
import type { Check } from "./check.ts";

/** The properties and items of one value that some subschema has evaluated (core §11). */
export interface Evaluated {
  everyName: boolean;
  /** A name counts if one of these has it. */
  readonly names: Has<string>[];
  everyItem: boolean;
  prefix: number;
  readonly indices: Has<number>[];
  /** Shared subschemas that have been asked already: there may be very many ways to them. */
  seen: Set<unknown> | undefined;
}

interface Has<T> {
  has(one: T): boolean;
}

/** Adds what a subschema evaluates of a value that conforms to it. */
export type Collect = (value: unknown, evaluated: Evaluated) => void;

/** Nothing evaluated yet. */
export function nothingEvaluated(): Evaluated {
  return { everyName: false, names: [], everyItem: false, prefix: 0, indices: [], seen: undefined };
}

/** The names of the properties that a collector leaves unevaluated. */
export function unevaluatedNames(collect: Collect, members: Members): string[] {
  const { everyName, names } = collected(collect, members);
  return everyName
    ? []
    : Object.keys(members).filter((name) => members[name] !== undefined && !hasOne(names, name));
}

/** The indices of the items that a collector leaves unevaluated. */
export function unevaluatedIndices(collect: Collect, items: readonly unknown[]): number[] {
  const { everyItem, prefix, indices } = collected(collect, items);
  return everyItem ? [] : [...items.keys()].filter((i) => i >= prefix && !hasOne(indices, i));
}

/** Notes that a subschema is asked; true if it was before. */
export function seenBefore(evaluated: Evaluated, subschema: unknown): boolean {
  const seen = (evaluated.seen ??= new Set());
  if (seen.has(subschema)) {
    return true;
  }
  seen.add(subschema);
  return false;
}

/** True if one of several sets has it. */
export function hasOne<T>(sets: readonly Has<T>[], one: T): boolean {
  for (let i = 0; i < sets.length; i++) {
    if (sets[i]?.has(one) === true) {
      return true;
    }
  }
  return false;
}

function collected(collect: Collect, value: unknown): Evaluated {
  const evaluated = nothingEvaluated();
  collect(value, evaluated);
  return evaluated;
}

/** Makes collectors; each asks `compile` which of several branches a value conforms to. */
export function collectors(compile: (node: Node) => Check): (node: Node) => Collect {
  const memo = new Map<Node, Collect>();

  function collectorOf(node: Node): Collect {
    let collect = memo.get(node);
    if (collect === undefined) {
      memo.set(node, (collect = build(node)));
    }
    return collect;
  }

  function build(node: Node): Collect {
    const parts: Collect[] = [];
    members(node, parts);
    items(node, parts, compile);
    for (const child of [node.ref, node.dynamicRef, ...(node.allOf ?? [])]) {
      if (child !== undefined) {
        parts.push(collectorOf(child));
      }
    }
    for (const branch of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) {
      const check = compile(branch);
      const collect = collectorOf(branch);
      parts.push((value, evaluated) => {
        if (check(value)) {
          collect(value, evaluated);
        }
      });
    }
    if (node.if !== undefined) {
      parts.push(conditional(node.if, node));
    }
    for (const [name, child] of node.dependentSchemas ?? []) {
      const collect = collectorOf(child);
      parts.push((value, evaluated) => {
        if (isMembers(value) && has(value, name)) {
          collect(value, evaluated);
        }
      });
    }
    const { fuel } = node;
    return (value, evaluated) => {
      if (fuel > 0 && seenBefore(evaluated, parts)) {
        return;
      }
      for (const part of parts) {
        part(value, evaluated);
      }
    };
  }

  function conditional(condition: Node, node: Node): Collect {
    const check = compile(condition);
    const when = collectorOf(condition);
    const then = node.then === undefined ? undefined : collectorOf(node.then);
    const otherwise = node.else === undefined ? undefined : collectorOf(node.else);
    return (value, evaluated) => {
      if (check(value)) {
        when(value, evaluated);
        then?.(value, evaluated);
      } else {
        otherwise?.(value, evaluated);
      }
    };
  }

  return collectorOf;
}

function members(node: Node, parts: Collect[]): void {
  if (node.additionalProperties !== undefined || node.unevaluatedProperties !== undefined) {
    parts.push((_value, evaluated) => void (evaluated.everyName = true));
    return;
  }
  const { properties, patternProperties: patterns } = node;
  if (properties !== undefined) {
    parts.push((_value, evaluated) => void evaluated.names.push(properties));
  }
  if (patterns === undefined) {
    return;
  }
  const matching = { has: (name: string) => patterns.some(([pattern]) => pattern.test(name)) };
  parts.push((_value, evaluated) => void evaluated.names.push(matching));
}

function items(node: Node, parts: Collect[], compile: (node: Node) => Check): void {
  if (node.items !== undefined || node.unevaluatedItems !== undefined) {
    parts.push((_value, evaluated) => void (evaluated.everyItem = true));
    return;
  }
  const count = node.prefixItems?.length ?? 0;
  if (count > 0) {
    parts.push((_value, evaluated) => void (evaluated.prefix = Math.max(evaluated.prefix, count)));
  }
  if (node.contains === undefined || !containsEvaluates(node)) {
    return;
  }
  const check = compile(node.contains);
  parts.push((value, evaluated) => {
    if (!Array.isArray(value)) {
      return;
    }
    evaluated.indices.push({ has: (i) => check(value[i]) });
  });
}
