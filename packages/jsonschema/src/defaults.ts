import type { ValidatorState } from "./compile.ts";
import { followAlias, type Node } from "./ir/node.ts";
import { discriminatorOf } from "./ir/union.ts";
import type { Validator } from "./validator.ts";

type Members = Record<string, unknown>;

/** Returns the container to write to: the given one, or its copy. */
type Own = <T extends object>(container: T) => T;

/** The method of a validator that fills in defaults. */
export function defaultsOf({ program, depth }: ValidatorState): Pick<Validator, "applyDefaults"> {
  return {
    applyDefaults: (value: unknown, { mutate = false } = {}) =>
      applyDefaults(program.root, value, depth, mutate ? (container) => container : copies()),
  };
}

/** Copies each container when it is first written to; what no schema describes is shared with the original. */
function copies(): Own {
  const owned = new Set<object>();
  return <T extends object>(container: T): T => {
    if (owned.has(container)) return container;
    const copy = (Array.isArray(container) ? container.slice() : { ...container }) as T;
    owned.add(copy);
    return copy;
  };
}

/** Fills a value with the defaults of the node, down to `depth` levels; returns what stands in its place. */
function applyDefaults(node: Node, value: unknown, depth: number, own: Own): unknown {
  if (typeof value !== "object" || value === null || depth <= 0) return value;
  if (Array.isArray(value)) return fillItems(node, own(value), depth, own);
  const members = own(value as Members);
  for (const [name, child] of node.properties ?? []) {
    if (members[name] !== undefined && Object.hasOwn(members, name)) {
      set(members, name, applyDefaults(child, members[name], depth - 1, own));
    } else if (node.required?.includes(name) !== true) {
      const made = madeFor(child, depth - 1, own);
      if (made !== undefined) set(members, name, made);
    }
  }
  const declared = node.properties;
  if (node.additionalProperties !== undefined) {
    for (const name of Object.keys(members)) {
      if (declared?.has(name) === true || node.patternProperties?.some(([p]) => p.test(name)) === true)
        continue;
      set(members, name, applyDefaults(node.additionalProperties, members[name], depth - 1, own));
    }
  }
  for (const part of parts(node, members)) applyDefaults(part, members, depth, own);
  return members;
}

function fillItems(node: Node, items: unknown[], depth: number, own: Own): unknown[] {
  const prefix = node.prefixItems ?? [];
  for (const [i, item] of items.entries()) {
    const child = prefix[i] ?? node.items;
    if (child !== undefined) items[i] = applyDefaults(child, item, depth - 1, own);
  }
  for (const part of parts(node)) applyDefaults(part, items, depth, own);
  return items;
}

/** The subschemas that certainly apply to a value: references, `allOf`, and a branch chosen by its discriminator. */
function parts(node: Node, members?: Members): Node[] {
  const out = [...(node.allOf ?? [])];
  if (node.ref !== undefined) out.push(node.ref);
  if (node.dynamicRef !== undefined) out.push(node.dynamicRef);
  if (members === undefined) return out;
  for (const union of [node.anyOf, node.oneOf]) {
    if (union === undefined) continue;
    const discriminator = discriminatorOf(union);
    const selector = discriminator === undefined ? undefined : members[discriminator.key];
    const branch =
      typeof selector === "string" ? union[discriminator?.branches.get(selector) ?? -1] : undefined;
    if (branch !== undefined) out.push(branch);
  }
  return out;
}

/** The value of a missing property: its default, or an object if something below has one. */
function madeFor(node: Node, depth: number, own: Own): unknown {
  if (depth <= 0) return undefined;
  const stated = defaultOf(node);
  if (stated !== undefined) return applyDefaults(node, clone(stated, depth), depth, own);
  if (!describesObject(node)) return undefined;
  const made = applyDefaults(node, {}, Math.min(depth, 32), own) as Members;
  return Object.keys(made).length > 0 ? made : undefined;
}

/** A deep copy, so that nobody writes into the schema; what lies deeper than `depth` levels is left out. */
function clone(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth <= 0) return undefined;
  if (Array.isArray(value)) return value.map((item) => clone(item, depth - 1));
  const copy: Members = {};
  for (const [name, member] of Object.entries(value)) set(copy, name, clone(member, depth - 1));
  return copy;
}

function describesObject(node: Node): boolean {
  const target = followAlias(node);
  return target.properties !== undefined || target.ref !== undefined || target.allOf !== undefined;
}

// A default beside `$ref` wins over one behind it.
function defaultOf(node: Node): unknown {
  if (typeof node.schema === "boolean") return undefined;
  const own = node.schema["default"];
  if (own !== undefined && !(node.resource.dialect.legacy && node.schema["$ref"] !== undefined)) return own;
  for (const part of [node.ref, node.dynamicRef, ...(node.allOf ?? [])]) {
    const found = part === undefined ? undefined : defaultOf(part);
    if (found !== undefined) return found;
  }
  return undefined;
}

// A property named `__proto__` must become a member, never the prototype.
function set(members: Members, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(members, name, { value, writable: true, enumerable: true, configurable: true });
  } else members[name] = value;
}
