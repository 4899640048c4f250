import { evaluatedNames } from "../ir/evaluated.ts";
import { flattened } from "../ir/flatten.ts";
import { followAlias, type Node } from "../ir/node.ts";
import { isMembers, memberTest, type Members } from "../value/members.ts";
import { always, every, never, type Check } from "./check.ts";
import type { Shortcut } from "./compile.ts";
import { callLeaf, following, linkWalk, type Walk } from "./leaf.ts";

/** The names a value's schema evaluates, as bits; -1 if the value does not conform. */
type Mask = (value: unknown) => number;

/**
 * `unevaluatedProperties` where the names it leaves are known before validation, or beside branches
 * that only use `properties`: each branch answers with the bits of the names it evaluates, so
 * validation happens once and no list of names is kept. `undefined` where that is not enough.
 */
export const maskedCheck: Shortcut = (node, compile) => {
  const names = evaluatedNames(node);
  const rest = node.unevaluatedProperties;
  if (names === undefined || rest === undefined) {
    return undefined;
  }
  const { bits } = names;
  const other = compile(rest);
  const evaluated = { ...node, id: -1, unevaluatedProperties: undefined };
  if (!names.conditional) {
    return every([compile(evaluated), closedTo(bits, other)]);
  }
  const mask = maskOf(evaluated, bits, compile);
  // Without any name there is nothing to walk along.
  if (bits.size === 0) {
    return undefined;
  }
  const walk = linkWalk(
    Array.from(bits, ([name, bit]) => callLeaf(always, name, bit)),
    0,
    other,
    false,
  );
  return (value) => {
    const seen = mask(value);
    return seen >= 0 && (!isMembers(value) || restPasses(walk, seen, value));
  };
};

/** Tests the properties whose bits are not set. */
function restPasses(walk: Walk, seen: number, members: Members): boolean {
  let current = walk.start;
  for (const key in members) {
    const leaf = following(walk, current, key);
    if (leaf !== undefined) {
      current = leaf;
      if ((seen & leaf.needed) !== 0) {
        continue;
      }
    }
    const member = members[key];
    if (member !== undefined && (walk.other === never || walk.other?.(member, key) === false)) {
      return false;
    }
  }
  return true;
}

function closedTo(names: ReadonlyMap<string, number>, rest: Check): Check {
  return (value) => {
    if (!isMembers(value)) {
      return true;
    }
    for (const key in value) {
      if (value[key] !== undefined && !names.has(key) && !rest(value[key])) {
        return false;
      }
    }
    return true;
  };
}

/**
 * The names that a node always evaluates, its checks, and the names that valid branches add.
 */
interface Parts {
  own: number;
  readonly checks: Set<Check>;
  readonly branches: Mask[];
}

function maskOf(node: Node, bits: ReadonlyMap<string, number>, compile: (node: Node) => Check): Mask {
  const parts: Parts = { own: 0, checks: new Set(), branches: [] };
  gather(node, parts, bits, compile);
  const { own, branches } = parts;
  const check = every([...parts.checks].filter((test) => test !== always));
  if (branches.length === 0) {
    return (value) => (check(value) ? own : -1);
  }
  return (value) => {
    if (!check(value)) {
      return -1;
    }
    let seen = own;
    for (let i = 0; i < branches.length; i++) {
      const more = (branches[i] as Mask)(value);
      if (more < 0) {
        return -1;
      }
      seen |= more;
    }
    return seen;
  };
}

/** Adds a node, and with it the subschemas that hold whenever it does. */
function gather(
  node: Node,
  parts: Parts,
  bits: ReadonlyMap<string, number>,
  compile: (node: Node) => Check,
): void {
  const target = flattened(followAlias(node));
  if (typeof target.schema === "boolean") {
    return void parts.checks.add(compile(target));
  }
  const sub = (child: Node): Mask => maskOf(child, bits, compile);
  for (const name of target.properties?.keys() ?? []) {
    parts.own |= bits.get(name) ?? 0;
  }
  parts.checks.add(compile(withoutBranches(target)));
  for (const child of [target.ref, target.dynamicRef, ...(target.allOf ?? [])]) {
    if (child !== undefined) {
      gather(child, parts, bits, compile);
    }
  }
  const { branches } = parts;
  if (target.anyOf !== undefined) {
    branches.push(union(target.anyOf.map(sub), false));
  }
  if (target.oneOf !== undefined) {
    branches.push(union(target.oneOf.map(sub), true));
  }
  if (target.if !== undefined) {
    branches.push(conditional(target.if, target.then, target.else, sub));
  }
  for (const [name, child] of target.dependentSchemas ?? []) {
    const has = memberTest(name);
    const mask = sub(child);
    branches.push((value) => (isMembers(value) && has(value) ? mask(value) : 0));
  }
}

/**
 * The node without what {@link gather} evaluates itself. Its own identity: it must not be mistaken
 * for the whole node.
 */
function withoutBranches(node: Node): Node {
  const none = undefined;
  return {
    ...node,
    id: -1,
    ref: none,
    dynamicRef: none,
    allOf: none,
    anyOf: none,
    oneOf: none,
    if: none,
    then: none,
    else: none,
    dependentSchemas: none,
    unevaluatedProperties: none,
  };
}

function union(masks: readonly Mask[], exclusive: boolean): Mask {
  return (value) => {
    let matches = 0;
    let seen = 0;
    for (let i = 0; i < masks.length; i++) {
      const more = (masks[i] as Mask)(value);
      if (more < 0) {
        continue;
      }
      matches++;
      seen |= more;
    }
    return exclusive ? (matches === 1 ? seen : -1) : matches > 0 ? seen : -1;
  };
}

function conditional(
  condition: Node,
  then: Node | undefined,
  otherwise: Node | undefined,
  sub: (node: Node) => Mask,
): Mask {
  const nothing: Mask = () => 0;
  const [when, met, unmet] = [
    sub(condition),
    then === undefined ? nothing : sub(then),
    otherwise === undefined ? nothing : sub(otherwise),
  ];
  return (value) => {
    const seen = when(value);
    if (seen < 0) {
      return unmet(value);
    }
    const more = met(value);
    return more < 0 ? -1 : seen | more;
  };
}
