import type { Node } from "../ir/node.ts";
import { branchesByType, constantsOf, discriminatorOf, exclusiveMembers, slotOf } from "../ir/union.ts";
import { isMembers } from "../value/members.ts";
import { some, type Check } from "./check.ts";
import { enumCheck, typeCheck } from "./scalar.ts";

/** `anyOf`: by discriminator, by type, or in order. */
export function anyOfCheck(union: readonly Node[], compile: (node: Node) => Check): Check {
  const constants = constantsOf(union);
  if (constants !== undefined) {
    return enumCheck(constants);
  }
  const checks = union.map(compile);
  const jump = jumpTable(union, checks);
  if (jump !== undefined) {
    return jump;
  }
  const masks = checks.map(({ types = 0 }) => types);
  if (!masks.includes(0)) {
    return typeCheck(masks.reduce((sum, mask) => sum | mask, 0));
  }
  const distinct = [...new Set(checks)];
  if (distinct.length <= 2) {
    return some(distinct);
  }
  return byType(union, checks, (branches) => some([...new Set(branches)]));
}

/** `oneOf`: by discriminator, or counting matches. */
export function oneOfCheck(union: readonly Node[], compile: (node: Node) => Check): Check {
  const checks = union.map(compile);
  const jump = jumpTable(union, checks);
  if (jump !== undefined) {
    return jump;
  }
  return byType(union, checks, exactlyOne);
}

/** Joins, for each type of value, the branches that can accept it. */
function byType(
  union: readonly Node[],
  checks: readonly Check[],
  join: (branches: readonly Check[]) => Check,
): Check {
  const table = branchesByType(union)?.map((indices) => join(indices.map((i) => checks[i] as Check)));
  return table === undefined ? join(checks) : (value) => (table[slotOf(value)] as Check)(value);
}

function exactlyOne(checks: readonly Check[]): Check {
  const [first] = checks;
  if (checks.length === 1 && first !== undefined) {
    return first;
  }
  return (value) => {
    let matches = 0;
    for (let i = 0; i < checks.length; i++) {
      if (checks[i]?.(value) === true && ++matches > 1) {
        return false;
      }
    }
    return matches === 1;
  };
}

function jumpTable(union: readonly Node[], checks: readonly Check[]): Check | undefined {
  const discriminator = discriminatorOf(union);
  if (discriminator === undefined) {
    return byMember(union, checks);
  }
  const { key, branches } = discriminator;
  return (value) => {
    if (!isMembers(value)) {
      return false;
    }
    const index = branches.get(value[key] as string);
    return index !== undefined && (checks[index] as Check)(value);
  };
}

/** A property that only one branch allows selects it. */
function byMember(union: readonly Node[], checks: readonly Check[]): Check | undefined {
  const owners = exclusiveMembers(union);
  if (owners === undefined) {
    return undefined;
  }
  return (value) => {
    if (!isMembers(value)) {
      return false;
    }
    for (const key in value) {
      if (value[key] === undefined) {
        continue;
      }
      const index = owners.get(key);
      // A name no branch knows: all of them are closed.
      if (index === undefined) {
        return false;
      }
      if (index >= 0) {
        return (checks[index] as Check)(value);
      }
    }
    return false;
  };
}
