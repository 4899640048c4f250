import type { Meter } from "../ir/meter.ts";
import { followAlias, type Node } from "../ir/node.ts";
import { nativeSteps, type NativeSteps } from "../regex/ambiguity.ts";
import { countStates, linearMatcher } from "../regex/automaton.ts";
import { branches, type BoundPattern } from "../regex/pattern.ts";
import { parsePattern } from "../regex/syntax.ts";
import { unique } from "../value/unique.ts";

/** Limits the work that a peer's schema can cause. Builds for trusted schemas do not contain it. */
export interface Bounds {
  /** Tests the patterns of one schema in linear time, and charges for each test. */
  readonly patternsOf: (meter: Meter) => BoundPattern;
  /** Tests whether items are unique, and counts the work by their size. */
  readonly uniqueOf: (meter: Meter) => (items: readonly unknown[]) => boolean;
  /** The additional work of each keyword for a value of that size, in work units. */
  readonly sizeOf: (value: unknown) => number;
  /** Has each subschema charged for, if too many of them apply to one value. */
  readonly charge: (root: Node, nodes: readonly Node[]) => void;
}

/** The bounds of this package. */
export const bounds: Bounds = { patternsOf, uniqueOf, sizeOf, charge };

/** Maximum number of states in the automaton of one pattern, and of all patterns of one schema. */
const maxStates = 5_000;
const maxStatesOfSchema = 200_000;

/** Steps of a native engine that take as long as one work unit. */
const stepsPerUnit = 16;
/** The work units of a test that does nothing, because entering a native engine takes time. */
const testing = 8;

function patternsOf(meter: Meter): BoundPattern {
  const spend = (steps: number): void => meter.spend(steps);
  let left = maxStatesOfSchema;
  return (source, flags, test) => {
    // One way to match takes a step for each character of the pattern.
    let steps: NativeSteps = { once: source.length, perPlace: source.startsWith("^") ? 0 : source.length };
    if (branches.test(source)) {
      const syntax = flags === "u" ? parsePattern(source) : undefined;
      if (syntax === undefined) {
        return undefined;
      }
      const linear = nativeSteps(syntax);
      if (linear === undefined) {
        const states = countStates(syntax);
        if (!(states < maxStates && (left -= states) >= 0)) {
          return undefined;
        }
        const matches = linearMatcher(syntax);
        return (value) => matches(value, meter);
      }
      steps = linear;
    }
    const once = testing + Math.floor(steps.once / stepsPerUnit);
    const perPlace = steps.perPlace / stepsPerUnit;
    return (value) => {
      spend(perPlace === 0 ? once : once + Math.floor(perPlace * value.length));
      return test(value);
    };
  };
}

/** The work units that comparing or sorting one value may take, for each character aside. */
const comparison = 32;

function uniqueOf(meter: Meter): (items: readonly unknown[]) => boolean {
  return (items) => {
    // A list of the remaining items instead of recursion, because items may be nested deeply.
    const open: object[] = [items];
    for (let value = open.pop(); value !== undefined; value = open.pop()) {
      const inside: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
      meter.spend(comparison * inside.length);
      for (const one of inside) {
        if (typeof one === "string") {
          meter.spend(one.length >> 2);
        } else if (typeof one === "object" && one !== null) {
          open.push(one);
        }
      }
    }
    return unique(items);
  };
}

/** The work units of an evaluation that does nothing yet. */
const base = 4;

/** So much work at each place of an instance is not worth counting. */
const harmless = 100 * base;

/** Objects with more properties than this are slow to walk along. */
const fewMembers = 64;

function sizeOf(value: unknown): number {
  if (typeof value === "string") {
    return value.length >> 2;
  }
  if (typeof value !== "object" || value === null) {
    return 0;
  }
  if (Array.isArray(value)) {
    return value.length;
  }
  let count = 0;
  for (const key in value) {
    if (key !== undefined) {
      count++;
    }
  }
  return count > fewMembers ? 32 * count : count;
}

function charge(root: Node, nodes: readonly Node[]): void {
  const overlaps = new Map<Node, number>();

  /** The work at one place of the instance, whichever below the node takes most. */
  function overlapOf(node: Node): number {
    const target = followAlias(node);
    const known = overlaps.get(target);
    if (known !== undefined) {
      return known;
    }
    // Recursion is counted at the node where it returns to itself.
    overlaps.set(target, base);
    const sum = (children: Iterable<Node>): number => {
      let total = 0;
      for (const child of children) {
        total += overlapOf(child);
      }
      return total;
    };
    const most = (children: Iterable<Node>): number => {
      let max = 0;
      for (const child of children) {
        max = Math.max(max, overlapOf(child));
      }
      return max;
    };
    const { properties, patternProperties = [], prefixItems = [], inPlace = [] } = target;
    const { items, contains, unevaluatedItems, additionalProperties, unevaluatedProperties } = target;
    const present = (children: (Node | undefined)[]): Node[] =>
      children.filter((child) => child !== undefined);
    const members =
      most([...(properties?.values() ?? []), ...present([additionalProperties])]) +
      sum([...patternProperties.map(([, child]) => child), ...present([unevaluatedProperties])]);
    const elements = most([...prefixItems, ...present([items])]) + sum(present([contains, unevaluatedItems]));
    const names = sum(present([target.propertyNames]));
    const overlap = Math.max(costOf(target) + sum(inPlace), members, elements, names);
    overlaps.set(target, overlap);
    return overlap;
  }

  const overlap = overlapOf(root);
  if (overlap <= harmless && !(overlap > base && nodes.some(({ recursive }) => recursive))) {
    return;
  }
  for (const node of nodes) {
    node.fuel = costOf(node);
  }
}

/** The work units of one node for a small value. */
function costOf(node: Node): number {
  const { properties, required, enum: values, dependentRequired, dependentSchemas } = node;
  const names = (properties?.size ?? 0) + (required?.length ?? 0);
  const others = (dependentRequired ?? []).reduce((sum, [, needed]) => sum + needed.length + 1, 0);
  const objects = values?.some((value) => typeof value === "object" && value !== null) === true;
  return (
    base +
    (names >> 4) +
    others +
    (dependentSchemas?.length ?? 0) +
    (objects ? 4 * values.length : 0) +
    (node.multipleOf === undefined ? 0 : 16) +
    (node.uniqueItems === undefined ? 0 : 16)
  );
}
