import type { Node, Pattern } from "../ir/node.ts";
import { has, isMembers, type Members } from "../value/members.ts";
import { always, never, type Check } from "./check.ts";
import { callLeaf, leafOf, passes, type Leaf } from "./leaf.ts";

/** One declared property. `next` is the property that followed it in the object seen last. */
interface Property {
  readonly key: string;
  readonly leaf: Leaf;
  readonly needed: number;
  next: Property | undefined;
}

/** The keywords that look at single members, in one walk over the object. */
export function walkCheck(node: Node, compile: (node: Node) => Check, typed: boolean): Check | undefined {
  const rest = node.additionalProperties === undefined ? always : compile(node.additionalProperties);
  const names = node.propertyNames === undefined ? always : compile(node.propertyNames);
  const patterns = node.patternProperties?.map(([pattern, child]) => [pattern, compile(child)] as const);
  const required = node.required ?? [];
  if (patterns !== undefined || names !== always) {
    return generalWalk(node, compile, patterns ?? [], required, rest, names, typed);
  }
  if (required.length === 0) {
    if (node.properties === undefined || node.properties.size === 0) {
      if (rest === always || node.additionalProperties === undefined) return undefined;
      return everyMember(leafOf(node.additionalProperties, compile), typed);
    }
    if (rest === always && allPass(node.properties, compile)) return undefined;
  }
  return predictedWalk(declare(node, required, compile, rest), required.length, rest, typed);
}

function allPass(properties: ReadonlyMap<string, Node>, compile: (node: Node) => Check): boolean {
  for (const child of properties.values()) if (compile(child) !== always) return false;
  return true;
}

function declare(
  node: Node,
  required: readonly string[],
  compile: (node: Node) => Check,
  rest: Check,
): Map<string, Property> {
  const declared = new Map<string, Property>();
  let previous: Property | undefined;
  const add = (key: string, leaf: Leaf, needed: boolean): void => {
    const property: Property = { key, leaf, needed: needed ? 1 : 0, next: undefined };
    declared.set(key, property);
    if (previous !== undefined) previous.next = property;
    previous = property;
  };
  for (const [name, child] of node.properties ?? [])
    add(name, leafOf(child, compile), required.includes(name));
  // A required name that `properties` does not list is an additional property.
  for (const name of required) if (!declared.has(name)) add(name, callLeaf(rest), true);
  return declared;
}

function everyMember(rest: Leaf, typed: boolean): Check {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return !typed;
    const members = value as Members;
    for (const key in members) {
      const member = members[key];
      if (member !== undefined && !passes(rest, member)) return false;
    }
    return true;
  };
}

/**
 * Walks the members the instance has. Each property remembers which one followed it last time, so for objects that keep
 * their key order finding a property is one pointer comparison.
 */
function predictedWalk(
  declared: ReadonlyMap<string, Property>,
  need: number,
  rest: Check,
  typed: boolean,
): Check {
  const [first] = declared.values();
  const start: Property = { key: "", leaf: callLeaf(never), needed: 0, next: first };
  const open = rest === always;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return !typed;
    const members = value as Members;
    let seen = 0;
    let current = start;
    for (const key in members) {
      const member = members[key];
      let property = current.next;
      if (property === undefined || property.key !== key) {
        property = declared.get(key);
        if (property === undefined) {
          if (open || member === undefined || rest(member)) continue;
          return false;
        }
        current.next = property;
      }
      current = property;
      if (member === undefined) continue;
      seen += property.needed;
      if (!passes(property.leaf, member)) return false;
    }
    return seen === need;
  };
}

function generalWalk(
  node: Node,
  compile: (node: Node) => Check,
  patterns: readonly (readonly [Pattern, Check])[],
  required: readonly string[],
  rest: Check,
  names: Check,
  typed: boolean,
): Check {
  const declared = new Map<string, Check>();
  for (const [name, child] of node.properties ?? []) declared.set(name, compile(child));
  return (value) => {
    if (!isMembers(value)) return !typed;
    for (let i = 0; i < required.length; i++) if (!has(value, required[i] as string)) return false;
    for (const key in value) {
      const member = value[key];
      if (member === undefined) continue;
      if (names !== always && !names(key)) return false;
      const check = declared.get(key);
      let known = check !== undefined;
      if (check !== undefined && !check(member)) return false;
      for (let i = 0; i < patterns.length; i++) {
        const [pattern, sub] = patterns[i] as readonly [Pattern, Check];
        if (!pattern.test(key)) continue;
        known = true;
        if (!sub(member)) return false;
      }
      if (!known && rest !== always && !rest(member)) return false;
    }
    return true;
  };
}
