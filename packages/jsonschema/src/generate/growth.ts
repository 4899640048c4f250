import type { Node } from "../ir/node.ts";
import type { Allowance } from "./allowance.ts";
import type { Random } from "./random.ts";

/** A schema that requires itself has no end; its values stop at this depth, and do not conform. */
export const deepest = 64;

/** The state of one value that is being generated. */
export interface Growth {
  readonly random: Random;
  /** Values below this depth are as small as the schema allows. */
  readonly maxDepth: number;
  /** The number of values that may still be created. Above it, values are as small as possible. */
  budget: number;
  /** The rest of the budget for the value and its attempts. */
  readonly allowance: Allowance;
  /** Generates a part of the value that satisfies the nodes, as far as one attempt finds one. */
  readonly valueFor: (roots: readonly Node[], growth: Growth, depth: number) => unknown;
}

/** Whether a value should be as small as its schema allows. */
export function isSmall({ budget, maxDepth }: Growth, depth: number): boolean {
  return depth >= maxDepth || budget <= 0;
}
