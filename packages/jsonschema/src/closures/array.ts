import type { Node } from "../ir/node.ts";
import { always, type Check } from "./check.ts";
import { callLeaf, leafOf, passes, type Leaf } from "./leaf.ts";

type ArrayCheck = (items: readonly unknown[]) => boolean;

/** The keywords for arrays; `undefined` if the node has none. Other values pass, unless `typed`. */
export function arrayCheck(node: Node, compile: (node: Node) => Check, typed: boolean): Check | undefined {
  const { minItems = 0, maxItems = Infinity, contains } = node;
  const prefix = node.prefixItems?.map((child) => leafOf(child, compile)) ?? [];
  const rest = node.items === undefined ? callLeaf(always) : leafOf(node.items, compile);
  const more: ArrayCheck[] = [];
  if (node.uniqueItems !== undefined) {
    more.push(node.uniqueItems);
  }
  if (contains !== undefined) {
    more.push(containsCheck(compile(contains), node.minContains ?? 1, node.maxContains));
  }
  const open = rest.check === always && !prefix.some((leaf) => leaf.check !== always);
  if (open && more.length === 0 && minItems === 0 && maxItems === Infinity) {
    return undefined;
  }
  const start = prefix.length;
  const simple = start === 0 && more.length === 0;
  return (value) => {
    if (!Array.isArray(value)) {
      return !typed;
    }
    const { length } = value;
    if (length < minItems || length > maxItems) {
      return false;
    }
    if (!open && !eachFrom(start, value, rest)) {
      return false;
    }
    if (simple) {
      return true;
    }
    for (let i = 0; i < start && i < length; i++) {
      if (!passes(prefix[i] as Leaf, value[i])) {
        return false;
      }
    }
    for (let i = 0; i < more.length; i++) {
      if (!(more[i] as ArrayCheck)(value)) {
        return false;
      }
    }
    return true;
  };
}

/**
 * Tests the items from `start` on. Strings have a loop of their own: there are many lists of them.
 */
function eachFrom(start: number, items: readonly unknown[], leaf: Leaf): boolean {
  const { length } = items;
  if (leaf.code === 1) {
    for (let i = start; i < length; i++) {
      if (typeof items[i] !== "string" && !passes(leaf, items[i])) {
        return false;
      }
    }
  } else {
    for (let i = start; i < length; i++) {
      if (!passes(leaf, items[i])) {
        return false;
      }
    }
  }
  return true;
}

function containsCheck(check: Check, min: number, max = Infinity): ArrayCheck {
  return (items) => {
    let found = 0;
    for (let i = 0; i < items.length; i++) {
      if (!check(items[i])) {
        continue;
      }
      found++;
      if (found > max) {
        return false;
      }
      if (found >= min && max === Infinity) {
        return true;
      }
    }
    return found >= min;
  };
}
