import type { Node } from "../ir/node.ts";
import { canonical } from "../value/unique.ts";
import type { Demand } from "./demand.ts";
import { isSmall, type Growth } from "./growth.ts";
import { between } from "./random.ts";

const maxExtra = 3;
/** Items beyond the least number of the schema end here. */
const maxItems = 1_000;
/** Attempts to find one more item that differs from the others. */
const maxTries = 10;

/** A list that satisfies all nodes, as far as one attempt finds one. */
export function itemsFor(demand: Demand, growth: Growth, depth: number): unknown[] {
  const contained = demand.flatMap(({ contains, minContains = 1 }) =>
    contains === undefined ? [] : [[contains, minContains] as const],
  );
  const least = Math.max(
    0,
    ...demand.map(({ minItems }) => minItems ?? 0),
    ...contained.map(([, count]) => count),
  );
  growth.allowance.reserve(least);
  const most = Math.max(least, Math.min(maxItems, ...demand.map((node) => mostOf(node))));
  const length = isSmall(growth, depth)
    ? least
    : between(growth.random, least, Math.min(most, Math.max(least, prefixOf(demand)) + maxExtra));
  const mustDiffer = demand.some(({ uniqueItems }) => uniqueItems !== undefined);
  const items: unknown[] = [];
  const texts = new Set<string>();
  for (let index = 0; index < length; index++) {
    const [wanted] = contained.filter(([, count]) => index < count);
    const nodes = [
      ...demand.flatMap((node) => nodesAt(node, index)),
      ...(wanted === undefined ? [] : [wanted[0]]),
    ];
    let item = growth.valueFor(nodes, growth, depth + 1);
    let text = mustDiffer ? canonical(item) : "";
    for (let tries = 0; texts.has(text) && tries < maxTries; tries++) {
      item = growth.valueFor(nodes, growth, depth + 1);
      text = canonical(item);
    }
    if (items.length >= least && texts.has(text)) {
      break;
    }
    if (mustDiffer) {
      texts.add(text);
    }
    items.push(item);
  }
  return items;
}

function nodesAt({ prefixItems = [], items, unevaluatedItems }: Node, index: number): Node[] {
  const node = prefixItems[index] ?? items ?? unevaluatedItems;
  return node === undefined ? [] : [node];
}

function mostOf({ maxItems: most = Infinity, prefixItems = [], items }: Node): number {
  return items?.schema === false ? Math.min(most, prefixItems.length) : most;
}

function prefixOf(demand: Demand): number {
  return Math.max(0, ...demand.map(({ prefixItems }) => prefixItems?.length ?? 0));
}
