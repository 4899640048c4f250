import { isRecord } from "@tenon/base";

import type { Schema } from "./keywords.ts";
import { resolverOf } from "./resolve.ts";
import { cutMark } from "./tidy.ts";

/** Maximum depth of a converted schema. Deeper subschemas are cut. */
const maxDepth = 32;

/** Maximum number of objects and lists in a converted schema. */
const maxNodes = 2000;

/** The references that were followed to a place. */
interface Above {
  readonly ref: string;
  readonly above: Above | undefined;
}

interface Task {
  readonly value: unknown;
  readonly depth: number;
  readonly above: Above | undefined;
  /** Puts the result in its place. */
  put(result: unknown): void;
}

/**
 * Replaces `#/…` references by their targets, for vendors that do not support `$ref`. A foreign
 * reference becomes `{}`. `$defs` are omitted. A reference to an enclosing schema, everything below
 * 32 levels, and what would make the result larger than 2,000 objects is cut: only its type and its
 * description are left. Schemas near the root are kept first.
 *
 * @param onCut - Called for each schema that was cut.
 */
export function inlineRefs(root: Schema, onCut?: () => void): Schema {
  const resolve = resolverOf(root);
  let result: unknown = {};
  let left = maxNodes;
  const tasks: Task[] = [{ value: root, depth: 0, above: undefined, put: (found) => void (result = found) }];
  const cut = (value: unknown): unknown => {
    onCut?.();
    return cutOf(value);
  };
  // Tasks are added during the loop, one level after the other.
  for (let index = 0; index < tasks.length; index++) {
    const { value: given, depth, above: outer, put } = tasks[index] as Task;
    let [value, above, isCut] = [given, outer, depth > maxDepth];
    while (isRecord(value) && typeof value["$ref"] === "string" && !isCut) {
      const { $ref, ...rest }: Record<string, unknown> = value;
      isCut = isIn(above, $ref);
      above = { ref: $ref, above };
      const target = resolve($ref);
      value = { ...(isRecord(target) ? target : {}), ...rest };
    }
    if (!isCut && sizeOf(value) > left) {
      value = fewer(value, left);
      onCut?.();
    }
    const size = sizeOf(value);
    if (isCut || size > left) {
      put(cut(value));
    } else {
      left -= size;
      put(copyOf(value, (item, place) => tasks.push({ value: item, depth: depth + 1, above, put: place })));
    }
  }
  return result as Schema;
}

function isIn(above: Above | undefined, ref: string): boolean {
  for (let at = above; at !== undefined; at = at.above) {
    if (at.ref === ref) {
      return true;
    }
  }
  return false;
}

function cutOf(value: unknown): unknown {
  if (!isRecord(value)) {
    return Array.isArray(value) ? [] : value;
  }
  const { type, description } = value;
  return {
    ...(type === undefined ? {} : { type }),
    ...(type === undefined && description === undefined
      ? {}
      : { description: typeof description === "string" ? `${description} ${cutMark}` : cutMark }),
  };
}

/** How many objects and lists are directly in a value. */
function sizeOf(value: unknown): number {
  return typeof value === "object" && value !== null
    ? Object.entries(value).reduce(
        (sum, [keyword, item]) =>
          sum + (instances.has(keyword) ? 0 : named.has(keyword) && isRecord(item) ? countOf(item) : 1),
        0,
      )
    : 0;
}

/** The same object schema with as many of its properties as there is space for. */
function fewer(value: unknown, left: number): unknown {
  if (!isRecord(value) || !isRecord(value["properties"])) {
    return value;
  }
  const { properties, required, ...rest } = value;
  const members = Object.entries(properties).slice(0, Math.max(0, left - sizeOf(rest)));
  const kept = new Map(members);
  const wanted = Array.isArray(required) ? required.filter((name) => kept.has(name as string)) : undefined;
  return members.length === 0
    ? value
    : {
        ...rest,
        properties: Object.fromEntries(members),
        ...(wanted === undefined ? {} : { required: wanted }),
      };
}

function countOf(item: Readonly<Record<string, unknown>>): number {
  return Object.keys(item).length;
}

/** Returns a copy, whose objects are replaced later. The keys keep their order. */
function copyOf(value: unknown, later: (item: unknown, put: (result: unknown) => void) => void): unknown {
  if (Array.isArray(value)) {
    const copy: unknown[] = [...(value as unknown[])];
    copy.forEach((item, index) => isPlain(item) || later(item, (found) => void (copy[index] = found)));
    return copy;
  }
  if (!isRecord(value)) {
    return value;
  }
  const { $defs: _, definitions: __, ...rest } = value;
  const copy = own(rest);
  for (const [keyword, item] of Object.entries(rest)) {
    if (isPlain(item) || instances.has(keyword)) {
      continue;
    }
    if (named.has(keyword) && isRecord(item)) {
      // The keys are names here, whatever they look like.
      const members = own(item);
      copy[keyword] = members;
      for (const [name, member] of Object.entries(item)) {
        later(member, (found) => set(members, name, found));
      }
    } else {
      later(item, (found) => set(copy, keyword, found));
    }
  }
  return copy;
}

/** A copy that may have a property of the name `__proto__`. */
function own(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value));
}

function set(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
}

function isPlain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

/** Keywords whose values are schemas by name. */
const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Keywords whose values are not schemas. */
const instances: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required"]);
