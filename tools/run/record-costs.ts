import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, expect } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Records what the current test file costs, imports included: a line with the processor seconds of
 * this process, those of its children that have ended, and the path of the file.
 *
 * @param log - The file to append to.
 */
export function recordCosts(log: string): void {
  const before = process.cpuUsage();
  const childrenBefore = ofChildren();
  afterAll(() => {
    const { user, system } = process.cpuUsage(before);
    const seconds = [(user + system) / 1e6, ofChildren() - childrenBefore];
    const path = relative(root, expect.getState().testPath ?? "");
    appendFileSync(log, `${seconds.map((each) => each.toFixed(2)).join("\t")}\t${path}\n`);
  });
}

/** Only Linux counts it, in hundredths of a second. */
function ofChildren(): number {
  if (process.platform !== "linux") {
    return 0;
  }
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
