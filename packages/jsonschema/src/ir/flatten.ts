import { followAlias, type Node } from "./node.ts";
import { assertsOnly } from "./shape.ts";

const counts = ["required", "minProperties", "maxProperties"];

/**
 * Returns the node with the presence rules of its `allOf`, so that the object is read once.
 */
export function flattened(node: Node): Node {
  const { allOf } = node;
  if (allOf === undefined || !allOf.some(onlyCounts)) {
    return node;
  }
  const parts = [node, ...allOf.filter(onlyCounts).map(followAlias)];
  const rest = allOf.filter((part) => !onlyCounts(part));
  const required = parts.flatMap(({ required = [] }) => required);
  const min = Math.max(...parts.map(({ minProperties = 0 }) => minProperties));
  const max = Math.min(...parts.map(({ maxProperties = Infinity }) => maxProperties));
  return {
    ...node,
    allOf: rest.length === 0 ? undefined : rest,
    required: required.length === 0 ? undefined : [...new Set(required)],
    minProperties: min === 0 ? undefined : min,
    maxProperties: max === Infinity ? undefined : max,
  };
}

/**
 * True if nothing but `required` and the bounds of how many properties there are asserts something.
 */
function onlyCounts(part: Node): boolean {
  return assertsOnly(followAlias(part), counts);
}
