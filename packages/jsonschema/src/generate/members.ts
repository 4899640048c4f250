import type { Node } from "../ir/node.ts";
import type { Demand } from "./demand.ts";
import { deepest, isSmall, type Growth } from "./growth.ts";
import { textMatching } from "./pattern.ts";
import { between, oneOf } from "./random.ts";
import { textFor } from "./text.ts";

/** Properties that the schema does not name. */
const maxExtra = 2;
const maxMembers = 1_000;

/** An object that satisfies all nodes, as far as one attempt finds one. */
export function membersFor(demand: Demand, growth: Growth, depth: number): Record<string, unknown> {
  const { random, allowance } = growth;
  const isMinimal = isSmall(growth, depth);
  const known = new Set(demand.flatMap(({ properties }) => [...(properties?.keys() ?? [])]));
  const needed = new Set(demand.flatMap(({ required }) => required ?? []));
  const names = new Set(needed);
  const least = Math.max(0, ...demand.map(({ minProperties }) => minProperties ?? 0));
  allowance.reserve(Math.max(least, names.size));
  allowance.step((known.size + names.size) >> 2);
  const patterns = demand.flatMap(({ patternProperties = [] }) => patternProperties.map(([one]) => one));
  const schemas = demand.flatMap(({ propertyNames }) => (propertyNames === undefined ? [] : [propertyNames]));
  const most = Math.min(maxMembers, ...demand.map(({ maxProperties }) => maxProperties ?? Infinity));
  if (!isMinimal) {
    const share = random();
    for (const name of known) {
      if (names.size < most && random() < share) {
        names.add(name);
      }
    }
    for (let extra = between(random, -maxExtra, maxExtra); extra > 0 && names.size < most; extra--) {
      addOther(names);
    }
  }
  allowance.step(least === 0 ? 1 : known.size * (1 + patterns.length));
  for (const name of known) {
    if (names.size < least && !isForbidden(demand, name)) {
      names.add(name);
    }
  }
  for (let tries = 0; names.size < least && tries < least + 20; tries++) {
    addOther(names);
  }
  addDependents(names);
  allowance.reserve(names.size);
  allowance.step(names.size * (2 + patterns.length));
  const nodes = [...names]
    .filter((name) => !isForbidden(demand, name) || needed.has(name))
    .map((name) => [name, demand.flatMap((node) => nodesOf(node, name))] as const);
  const dependent = demand.flatMap(({ dependentSchemas = [] }) =>
    dependentSchemas.filter(([name]) => names.has(name)).map(([, node]) => node),
  );
  const others = dependent.length === 0 || depth > deepest ? {} : membersFor(dependent, growth, depth + 1);
  // Object.fromEntries defines `__proto__` as an ordinary property.
  return {
    ...others,
    ...Object.fromEntries(nodes.map(([name, all]) => [name, growth.valueFor(all, growth, depth + 1)])),
  };

  function addOther(into: Set<string>): void {
    const name =
      patterns.length > 0
        ? textMatching(oneOf(random, patterns).source, random, allowance)
        : schemas.length > 0
          ? growth.valueFor(schemas, growth, depth + 1)
          : textFor([], growth);
    allowance.step(1 + patterns.length);
    if (typeof name === "string" && !isForbidden(demand, name)) {
      into.add(name);
    }
  }

  function addDependents(into: Set<string>): void {
    const dependents = new Map<string, string[]>();
    for (const [trigger, names] of demand.flatMap(({ dependentRequired = [] }) => dependentRequired)) {
      dependents.set(trigger, [...(dependents.get(trigger) ?? []), ...names]);
    }
    // A set is iterated in the order of insertion, so names that are added are visited, too.
    for (const name of into) {
      dependents.get(name)?.forEach((dependent) => into.add(dependent));
    }
  }
}

function isForbidden(demand: Demand, name: string): boolean {
  return demand.some((node) => nodesOf(node, name).some(({ schema }) => schema === false));
}

function nodesOf({ properties, patternProperties = [], additionalProperties }: Node, name: string): Node[] {
  const own = properties?.get(name);
  const matching = patternProperties.filter(([{ test }]) => test(name)).map(([, node]) => node);
  const nodes = own === undefined ? matching : [own, ...matching];
  return nodes.length > 0 || additionalProperties === undefined ? nodes : [additionalProperties];
}
