import { evaluatedNames } from "../ir/evaluated.ts";
import { followAlias, type Node } from "../ir/node.ts";
import { has, isMembers } from "../value/members.ts";
import { every, never, type Check } from "./check.ts";
import type { Shortcut } from "./compile.ts";

/** The names a value's schema evaluates, as bits; -1 if the value does not conform. */
type Mask = (value: unknown) => number;

/**
 * `unevaluatedProperties` where the names it leaves are known before validation, or beside branches that only use `properties`: each branch answers with the bits of the names it
 * evaluates, so validation happens once and no list of names is kept. `undefined` where that is not enough.
 */
export const maskedCheck: Shortcut = (node, compile) => {
  const names = evaluatedNames(node);
  const rest = node.unevaluatedProperties;
  if (names === undefined || rest === undefined) return undefined;
  const { bits } = names;
  const other = compile(rest);
  const evaluated = { ...node, id: -1, unevaluatedProperties: undefined };
  if (!names.conditional) return every([compile(evaluated), closedTo(bits, other)]);
  const mask = maskOf(evaluated, bits, compile);
  return (value) => {
    const seen = mask(value);
    if (seen < 0) return false;
    if (!isMembers(value)) return true;
    for (const key in value) {
      if ((seen & (bits.get(key) ?? 0)) !== 0 || value[key] === undefined) continue;
      if (other === never || !other(value[key])) return false;
    }
    return true;
  };
};

function closedTo(names: ReadonlyMap<string, number>, rest: Check): Check {
  return (value) => {
    if (!isMembers(value)) return true;
    for (const key in value)
      if (value[key] !== undefined && !names.has(key) && !rest(value[key])) return false;
    return true;
  };
}

function maskOf(node: Node, bits: ReadonlyMap<string, number>, compile: (node: Node) => Check): Mask {
  const target = followAlias(node);
  if (target.schema === true) return () => 0;
  if (target.schema === false) return () => -1;
  const sub = (child: Node): Mask => maskOf(child, bits, compile);
  const own = [...(target.properties?.keys() ?? [])].reduce((sum, name) => sum | (bits.get(name) ?? 0), 0);
  const parts: Mask[] = [];
  const applied = [target.ref, target.dynamicRef, ...(target.allOf ?? [])];
  for (const child of applied) if (child !== undefined) parts.push(sub(child));
  if (target.anyOf !== undefined) parts.push(branches(target.anyOf.map(sub), false));
  if (target.oneOf !== undefined) parts.push(branches(target.oneOf.map(sub), true));
  if (target.if !== undefined) parts.push(conditional(target.if, target.then, target.else, sub));
  for (const [name, child] of target.dependentSchemas ?? []) {
    const mask = sub(child);
    parts.push((value) => (isMembers(value) && has(value, name) ? mask(value) : 0));
  }
  const check = compile(withoutBranches(target));
  return (value) => {
    if (!check(value)) return -1;
    let seen = own;
    for (let i = 0; i < parts.length; i++) {
      const more = (parts[i] as Mask)(value);
      if (more < 0) return -1;
      seen |= more;
    }
    return seen;
  };
}

/** The node without what {@link maskOf} evaluates itself. Its own identity: it must not be mistaken for the whole node. */
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

function branches(masks: readonly Mask[], exclusive: boolean): Mask {
  return (value) => {
    let matches = 0;
    let seen = 0;
    for (let i = 0; i < masks.length; i++) {
      const more = (masks[i] as Mask)(value);
      if (more < 0) continue;
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
    if (seen < 0) return unmet(value);
    const more = met(value);
    return more < 0 ? -1 : seen | more;
  };
}
