import type { Node } from "../ir/node.ts";
import { branchesByType, constantsOf, discriminatorOf, slotOf } from "../ir/union.ts";
import { some, type Check } from "./check.ts";
import { enumCheck } from "./scalar.ts";

/** `anyOf`: by discriminator, by type, or in order. */
export function anyOfCheck(union: readonly Node[], compile: (node: Node) => Check): Check {
  const constants = constantsOf(union);
  if (constants !== undefined) return enumCheck(constants);
  const checks = union.map(compile);
  const jump = jumpTable(union, checks);
  if (jump !== undefined) return jump;
  const distinct = [...new Set(checks)];
  if (distinct.length <= 2) return some(distinct);
  const table = branchesByType(union)?.map((indices) =>
    some([...new Set(indices.map((i) => checks[i] as Check))]),
  );
  if (table === undefined) return some(distinct);
  return (value) => (table[slotOf(value)] as Check)(value);
}

/** `oneOf`: by discriminator, or counting matches. */
export function oneOfCheck(union: readonly Node[], compile: (node: Node) => Check): Check {
  const checks = union.map(compile);
  const jump = jumpTable(union, checks);
  if (jump !== undefined) return jump;
  const table = branchesByType(union)?.map((indices) => exactlyOne(indices.map((i) => checks[i] as Check)));
  if (table === undefined) return exactlyOne(checks);
  return (value) => (table[slotOf(value)] as Check)(value);
}

function exactlyOne(checks: readonly Check[]): Check {
  const [first] = checks;
  if (checks.length === 1 && first !== undefined) return first;
  return (value) => {
    let matches = 0;
    for (let i = 0; i < checks.length; i++) if (checks[i]?.(value) === true && ++matches > 1) return false;
    return matches === 1;
  };
}

function jumpTable(union: readonly Node[], checks: readonly Check[]): Check | undefined {
  const discriminator = discriminatorOf(union);
  if (discriminator === undefined) return undefined;
  const { key } = discriminator;
  const table = new Map<unknown, Check>();
  for (const [value, index] of discriminator.branches) table.set(value, checks[index] as Check);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const check = table.get((value as Record<string, unknown>)[key]);
    return check !== undefined && check(value);
  };
}
