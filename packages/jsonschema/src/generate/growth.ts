import type { Node } from "../ir/node.ts";
import type { Random } from "./random.ts";

/** The state of one value that is being generated. */
export interface Growth {
  readonly random: Random;
  /** Values below this depth are as small as the schema allows. */
  readonly maxDepth: number;
  /** The number of values that may still be created. Above it, values are as small as possible. */
  budget: number;
  /** Generates a part of the value that satisfies the nodes, as far as one attempt finds one. */
  readonly valueFor: (roots: readonly Node[], growth: Growth, depth: number) => unknown;
}

/** Whether a value should be as small as its schema allows. */
export function isSmall({ budget, maxDepth }: Growth, depth: number): boolean {
  return depth >= maxDepth || budget <= 0;
}
