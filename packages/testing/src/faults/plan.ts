import { seededRandom } from "@tenon/jsonschema/generate";

import type { Fault, FaultKind } from "./fault.ts";

/** Faults that a program must survive: after them the connection still works. */
const survivable: readonly FaultKind[] = ["delay", "duplicate", "reorder"];

/**
 * Creates a plan of faults by chance, the same for the same seed. Each fault concerns one of the
 * first twenty messages of a direction.
 *
 * @param count - The number of faults.
 * @param kinds - The kinds to choose from. Default: `delay`, `duplicate` and `reorder`.
 */
export function randomFaults(seed: number, count: number, kinds: readonly FaultKind[] = survivable): Fault[] {
  const random = seededRandom(seed);
  const upTo = (most: number): number => Math.floor(random() * most);
  return Array.from({ length: count }, () => {
    const kind = kinds[upTo(kinds.length)] ?? "delay";
    const isForReading = kind === "corrupt" || kind === "truncate" || random() < 0.5;
    return { kind, dir: isForReading ? "read" : "write", nth: 1 + upTo(20) };
  });
}

/**
 * Removes faults from a plan as long as the test still fails, and returns a plan of which every
 * fault is necessary. Print it: it shows the weakness of the program.
 *
 * @param faults - A plan with which the test fails.
 * @param fails - Runs the test with a plan; resolves to whether it fails. Called at most once for
 *   each pair of faults, roughly.
 */
export async function shrinkFaults(
  faults: readonly Fault[],
  fails: (faults: readonly Fault[]) => Promise<boolean>,
): Promise<Fault[]> {
  let plan = [...faults];
  let size = Math.ceil(plan.length / 2);
  while (size > 0 && plan.length > 0) {
    let isSmaller = false;
    for (let start = 0; start < plan.length; start += size) {
      const rest = plan.toSpliced(start, size);
      if (await fails(rest)) {
        plan = rest;
        isSmaller = true;
        break;
      }
    }
    if (!isSmaller) {
      size = size === 1 ? 0 : Math.ceil(size / 2);
    }
    size = Math.min(size, plan.length);
  }
  return plan;
}
