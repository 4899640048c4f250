import type { Node } from "../ir/node.ts";
import { isMembers, type Members } from "../value/members.ts";
import { stringBit } from "../value/type.ts";
import { always, every, type Check } from "./check.ts";
import { callLeaf, checkOf, leafOf, linkWalk, passes, type Leaf, type Walk } from "./leaf.ts";

/**
 * As many declared properties are asked for by name where no others matter, if they must be there
 * or others are likely to be.
 */
const few = 2;

type Other = NonNullable<Walk["other"]>;

/** The keywords that look at single properties, and how many there are. */
export function memberChecks(node: Node, compile: (node: Node) => Check, typed: boolean): Check[] {
  const { minProperties: min = 0, maxProperties: max = Infinity, additionalProperties: rest } = node;
  const counted = min > 0 || max !== Infinity;
  if (rest !== undefined && isMap(node) && compile(rest) !== always) {
    return [mapCheck(node, leafOf(rest, compile), compile, typed)];
  }
  const check = memberCheck(node, compile, typed);
  const checks = check === undefined ? [] : [check];
  return counted ? [...checks, countCheck(min, max, typed)] : checks;
}

/** True if what its properties are called decides nothing but whether they may be there. */
function isMap({ properties, patternProperties, required }: Node): boolean {
  return (properties?.size ?? 0) + (patternProperties?.length ?? 0) + (required?.length ?? 0) === 0;
}

function countCheck(min: number, max: number, typed: boolean): Check {
  return (value) => {
    if (!isMembers(value)) {
      return !typed;
    }
    let count = 0;
    for (const key in value) {
      if (value[key] !== undefined && ++count >= min && max === Infinity) {
        return true;
      }
    }
    return count >= min && count <= max;
  };
}

function memberCheck(node: Node, compile: (node: Node) => Check, typed: boolean): Check | undefined {
  const { required = [], propertyNames, additionalProperties } = node;
  const rest = additionalProperties === undefined ? always : compile(additionalProperties);
  const names = propertyNames === undefined ? always : compile(propertyNames);
  const other = otherMembers(node, rest, names, compile);
  const declared = declare(node, required, compile, rest, names);
  if (other === undefined) {
    if (required.length === 0 && declared.every(({ check }) => check === always)) {
      return undefined;
    }
    if (
      (!typed || required.length === declared.length) &&
      declared.length <= few &&
      !declared.some(({ key }) => key in Object.prototype)
    ) {
      return fewMembers(declared, typed);
    }
  }
  return checkOf(linkWalk(declared, required.length, other, typed));
}

/** The test of properties that are not declared; `undefined` if all pass. */
function otherMembers(
  node: Node,
  rest: Check,
  names: Check,
  compile: (node: Node) => Check,
): Other | undefined {
  const patterns =
    node.patternProperties?.map(([pattern, child]) => [pattern, compile(child)] as const) ?? [];
  if (patterns.length === 0) {
    if (names !== always) {
      return (member, key) => names(key) && rest(member);
    }
    return rest === always ? undefined : rest;
  }
  return (member, key) => {
    if (!names(key)) {
      return false;
    }
    let known = false;
    for (const [pattern, check] of patterns) {
      if (!pattern.test(key)) {
        continue;
      }
      known = true;
      if (!check(member)) {
        return false;
      }
    }
    return known || rest(member);
  };
}

/**
 * The properties that are declared or required: which patterns match their names, and whether they
 * may be there, is known.
 */
function declare(
  node: Node,
  required: readonly string[],
  compile: (node: Node) => Check,
  rest: Check,
  names: Check,
): Leaf[] {
  const { properties = new Map<string, Node>(), patternProperties = [] } = node;
  const named = new Set([...properties.keys(), ...required]);
  const mustBe = new Set(required);
  // A walk starts somewhere: any name will do.
  if (named.size === 0) {
    named.add("");
  }
  return [...named].map((name) => {
    const needed = mustBe.has(name) ? 1 : 0;
    const child = properties.get(name);
    const matching = patternProperties.flatMap(([pattern, other]) =>
      pattern.test(name) ? [compile(other)] : [],
    );
    if (child !== undefined && matching.length === 0 && names === always) {
      return leafOf(child, compile, name, needed);
    }
    // A required name that `properties` does not list is an additional property, unless a pattern
    // matches it.
    const own = child !== undefined ? [compile(child)] : matching.length === 0 ? [rest] : [];
    const check = every([...own, ...matching]);
    return callLeaf(names === always ? check : whereNamed(name, names, check), name, needed);
  });
}

/**
 * A check of a property whose name must conform, too. The name is tested with the first value,
 * because the schema of names may refer back to the schema that is being compiled.
 */
function whereNamed(name: string, names: Check, check: Check): Check {
  let isNamed: boolean | undefined;
  return (value) => (isNamed ??= names(name)) && check(value);
}

function fewMembers(declared: readonly Leaf[], typed: boolean): Check {
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return !typed;
    }
    for (let i = 0; i < declared.length; i++) {
      const leaf = declared[i] as Leaf;
      const member = (value as Members)[leaf.key];
      if (member === undefined ? leaf.needed === 1 : !passes(leaf, member)) {
        return false;
      }
    }
    return true;
  };
}

/** A map: properties of one schema, names of another one, and how many there are. */
function mapCheck(
  { propertyNames, minProperties: min = 0, maxProperties: max = Infinity }: Node,
  rest: Leaf,
  compile: (node: Node) => Check,
  typed: boolean,
): Check {
  const names = propertyNames === undefined ? undefined : nameLeaf(propertyNames, compile);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return !typed;
    }
    const members = value as Members;
    let count = 0;
    for (const key in members) {
      const member = members[key];
      if (member === undefined) {
        continue;
      }
      count++;
      if ((names !== undefined && !passes(names, key)) || !passes(rest, member)) {
        return false;
      }
    }
    return count >= min && count <= max;
  };
}

/** Names are strings, with or without `type` in their schema. */
function nameLeaf(node: Node, compile: (node: Node) => Check): Leaf {
  // Compiled before: otherwise the check of the changed node would replace the check of the node.
  compile(node);
  return leafOf({ ...node, types: node.types & stringBit }, compile);
}
