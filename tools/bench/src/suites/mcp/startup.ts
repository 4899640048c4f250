import { spawn } from "node:child_process";
import { once } from "node:events";

import { formatBytes, formatRatio, formatTime } from "../../format.ts";
import { find, interleave, ratio, type Metrics, type Subject } from "../../runner.ts";
import type { Suite } from "../../suite.ts";
import { exactCpuOf, usageOf } from "../../usage.ts";
import { opening } from "./opening.ts";
import { programOf } from "./stdio.ts";

const work = "start to first result";
const call = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "add", arguments: { a: 1, b: 2 } },
};
const lines = [...opening, call].map((message) => `${JSON.stringify(message)}\n`).join("");

/**
 * Starts a server, sends the opening and one call at once, and waits for the answer to the call.
 */
async function firstResult(args: readonly string[]): Promise<Metrics> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(lines);
  let text = "";
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    text += String(chunk);
    if (text.includes('"sum":3')) {
      break;
    }
  }
  const ns = (performance.now() - started) * 1e6;
  const { rssBytes } = usageOf(child.pid ?? -1);
  const cpuNs = exactCpuOf(child.pid ?? -1);
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
  if (!text.includes('"sum":3')) {
    throw new Error(`Expected the sum 3, got ${text}`);
  }
  return { ns, cpuNs, rssBytes };
}

const bare = `process.stdin.once("data", () => process.stdout.write('{"sum":3}\\n'))`;
const candidates: readonly (readonly [name: string, args: readonly string[]])[] = [
  ["bare Node", ["-e", bare]],
  ["tenon", [programOf("tenon")]],
  ["official v2", [programOf("official-v2")]],
  ["official v1", [programOf("official-v1")]],
];

/** How long a server takes until its first answer, against budgets. */
export const startup: Suite = {
  name: "mcp-startup",
  description: "from starting a one-tool stdio server to the result of the first call",
  async run({ rounds, wants, log }) {
    const kept = candidates.filter(([name]) => name === "bare Node" || wants(name));
    const subjects: Subject[] = kept.map(([candidate, args]) => ({
      candidate,
      work,
      sample: () => firstResult(args),
    }));
    const measurements = await interleave(subjects, {
      rounds: rounds ?? 11,
      onRound: (round, of) => log(`round ${round} of ${of}`),
    });
    const median = (candidate: string, metric: string): number =>
      find(measurements, { candidate, work, metric })?.median ?? Number.NaN;
    const relative = (candidate: string, to: string): number => {
      const own = find(measurements, { candidate, work, metric: "ns" });
      const other = find(measurements, { candidate: to, work, metric: "ns" });
      return own === undefined || other === undefined ? Number.NaN : ratio(own, other);
    };
    return {
      tables: [
        {
          title: work,
          columns: ["", "time", "over bare Node", "× official v2", "CPU", "resident memory"],
          rows: kept.map(([name]) => [
            name,
            formatTime(median(name, "ns")),
            formatTime(median(name, "ns") - median("bare Node", "ns")),
            formatRatio(relative(name, "official v2")),
            formatTime(median(name, "cpuNs")),
            formatBytes(median(name, "rssBytes")),
          ]),
        },
      ],
      measurements,
      budgets: [
        { name: `${work}, relative to official v2`, actual: relative("tenon", "official v2"), limit: 0.6 },
      ],
      notes: [],
    };
  },
};
