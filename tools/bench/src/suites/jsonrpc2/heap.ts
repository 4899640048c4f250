import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { formatBytes, formatCount } from "../../format.ts";
import type { Measurement } from "../../runner.ts";
import type { Suite } from "../../suite.ts";

const run = promisify(execFile);
const fixtures = new URL("../../../../../packages/jsonrpc2/test/fixtures/", import.meta.url);

/**
 * Runs a program of the package's own tests in a process of its own, where the collector can be
 * called.
 */
async function measure(program: string): Promise<Readonly<Record<string, number>>> {
  const args = [
    "--expose-gc",
    fileURLToPath(new URL(program, fixtures)),
    import.meta.resolve("@tenon/jsonrpc2"),
  ];
  const { stdout } = await run(process.execPath, args);
  return JSON.parse(stdout) as Record<string, number>;
}

const measurement = (work: string, metric: string, value: number): Measurement => ({
  candidate: "tenon",
  work,
  metric,
  samples: [value],
  median: value,
  min: value,
});

/** What peers hold and leave behind, against budgets. */
export const heap: Suite = {
  name: "jsonrpc2-heap",
  description: "heap of idle peers, and what cancelled calls leave behind",
  async run({ log }) {
    log("idle pairs");
    const { bytesPerPair = Number.NaN } = await measure("idle-pair.mjs");
    log("cancelled calls");
    const {
      growth = Number.NaN,
      liveTimers = Number.NaN,
      listeners = Number.NaN,
    } = await measure("cancelled-calls.mjs");
    return {
      tables: [
        {
          title: "heap",
          columns: ["", "found", "at most"],
          rows: [
            ["one idle pair of peers", formatBytes(bytesPerPair), "4.00 KB"],
            ["growth after 100,000 cancelled calls", formatBytes(Math.max(0, growth)), "1.00 MB"],
            ["timers left by them", formatCount(liveTimers), "0"],
            ["listeners left by them", formatCount(listeners), "0"],
          ],
        },
      ],
      measurements: [
        measurement("idle pair", "bytes", bytesPerPair),
        measurement("cancelled calls", "growthBytes", growth),
        measurement("cancelled calls", "timers", liveTimers),
        measurement("cancelled calls", "listeners", listeners),
      ],
      budgets: [
        { name: "one idle pair of peers, bytes", actual: bytesPerPair, limit: 4096 },
        { name: "growth after 100,000 cancelled calls, bytes", actual: growth, limit: 1024 * 1024 },
        { name: "timers and listeners left by them", actual: liveTimers + listeners, limit: 0 },
      ],
      notes: [],
    };
  },
};
