import type { Node, Pattern } from "../ir/node.ts";
import { isMembers, memberTest, type Members } from "../value/members.ts";
import { always, every, never, type Check } from "./check.ts";
import { callLeaf, leafOf, passes, type Leaf } from "./leaf.ts";

/** Up to this many required members are looked up by name where others do not matter. */
const FEW = 2;

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
  const declared = declare(node, required, compile, rest);
  const few = declared.length === 1 || (declared.length <= FEW && required.length === declared.length);
  if (rest === always && few) return lookup(declared, typed);
  return predictedWalk(declared, required.length, rest, typed);
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
): Leaf[] {
  const { properties = new Map<string, Node>() } = node;
  const declared: Leaf[] = [];
  for (const [name, child] of properties)
    declared.push(leafOf(child, compile, name, required.includes(name) ? 1 : 0));
  // A required name that `properties` does not list is an additional property.
  for (const name of required) if (!properties.has(name)) declared.push(callLeaf(rest, name, 1));
  return declared;
}

/** Asks for members by name. */
function lookup(declared: readonly Leaf[], typed: boolean): Check {
  const inherited = declared.some(({ key }) => key in Object.prototype);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return !typed;
    const members = value as Members;
    for (let i = 0; i < declared.length; i++) {
      const leaf = declared[i] as Leaf;
      const member = members[leaf.key];
      if (member === undefined || (inherited && !Object.hasOwn(members, leaf.key))) {
        if (leaf.needed === 1) return false;
      } else if (!passes(leaf, member)) return false;
    }
    return true;
  };
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
 * Walks the members the instance has. Each remembers which two followed it lately, so for objects that come in few key
 * orders finding a member's schema takes a pointer comparison or two.
 */
function predictedWalk(declared: readonly Leaf[], need: number, rest: Check, typed: boolean): Check {
  const start = callLeaf(never);
  const byName = new Map<string, Leaf>();
  let last = start;
  for (const leaf of declared) {
    byName.set(leaf.key, leaf);
    last = last.next = leaf;
  }
  const open = rest === always;
  const closed = rest === never;
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return !typed;
    const members = value as Members;
    let seen = 0;
    let current = start;
    for (const key in members) {
      const member = members[key];
      let leaf = current.next;
      if (leaf === undefined || leaf.key !== key) {
        leaf = current.other;
        if (leaf === undefined || leaf.key !== key) {
          leaf = byName.get(key);
          if (leaf === undefined) {
            if (open || member === undefined) continue;
            if (closed || !rest(member)) return false;
            continue;
          }
        }
        current.other = current.next;
        current.next = leaf;
      }
      current = leaf;
      if (member === undefined) continue;
      seen += leaf.needed;
      if (!passes(leaf, member)) return false;
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
  for (const [name, child] of node.properties ?? []) {
    const more = patterns.flatMap(([pattern, check]) => (pattern.test(name) ? [check] : []));
    declared.set(name, every([compile(child), ...more]));
  }
  const needed = required.map(memberTest);
  return (value) => {
    if (!isMembers(value)) return !typed;
    for (let i = 0; i < needed.length; i++) if (needed[i]?.(value) === false) return false;
    for (const key in value) {
      const member = value[key];
      if (member === undefined) continue;
      if (names !== always && !names(key)) return false;
      const check = declared.get(key);
      if (check !== undefined) {
        if (!check(member)) return false;
        continue;
      }
      let known = false;
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
