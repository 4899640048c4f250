import { startChild } from "../../child.ts";
import { formatCount, formatRatio, formatTime } from "../../format.ts";
import { find, interleave, type Measurement, type Metrics, type Subject } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import { startServer } from "../http/server-process.ts";
import { floods, type Flood } from "./floods.ts";
import { other, type Distinction } from "./identity.ts";
import { Other } from "./other.ts";

const program = new URL("programs/flood.ts", import.meta.url);
const distinctions: readonly Distinction[] = ["principals", "addresses"];
const [control] = floods;
/** A server that has just started runs code that is not compiled yet. */
const warmUpMs = 1500;
const settleMs = 500;
const defaultWindowMs = 2000;

/**
 * A client without a principal shares the table of sessions with all others without one: there
 * `initialize` may be refused.
 */
const mayInitialize = ({ name }: Flood, by: Distinction): boolean =>
  by === "principals" || name !== "sessions";

/**
 * One quiet window and one flooded window of the same server and the same client, right after each
 * other.
 */
async function sample(
  flood: Flood,
  by: Distinction,
  windowMs: number,
  note: (text: string) => void,
): Promise<Metrics> {
  await using server = await startServer("../../fairness/programs/server");
  const client = await Other.open(server.port, other(by));
  try {
    await client.call(warmUpMs);
    await client.useEverything(true);
    await server.ask("heap");
    await server.ask("turnMs");
    const quiet = await client.call(windowMs);
    const quietTurnMs = await server.ask("turnMs");
    await using child = await startChild(program, { args: [flood.name, String(server.port), by] });
    const begun = child.sample("begin");
    await client.call(begun);
    await begun;
    // The last answers of the flood's beginning belong to it.
    await client.call(settleMs);
    await server.ask("turnMs");
    const flooded = await client.call(windowMs);
    const turnMs = await server.ask("turnMs");
    const after = await child.sample("tally");
    await client.useEverything(mayInitialize(flood, by));
    client.failures.forEach((text) => note(`${flood.name}, ${by}: ${text}`));
    return {
      quietP50Ns: quiet.p50Ns,
      quietP99Ns: quiet.p99Ns,
      p50Ns: flooded.p50Ns,
      p99Ns: flooded.p99Ns,
      p99Ratio: flooded.p99Ns / quiet.p99Ns,
      calls: flooded.calls,
      failed: client.failed,
      sent: after["sent"] ?? Number.NaN,
      refused: after["refused"] ?? Number.NaN,
      quietTurnMs,
      turnMs,
      errors: await server.ask("errors"),
    };
  } finally {
    client.close();
  }
}

/** What one client can do to the calls of another, against budgets. */
export const fairness: Suite = {
  name: "fairness",
  description: "small calls of one client while another one floods the server",
  async run({ rounds, windowMs = defaultWindowMs, wants, log }) {
    const notes = new Set<string>();
    const wanted = distinctions.flatMap((by) =>
      floods
        .filter((flood) => flood === control || wants(flood.name) || wants(by))
        .map((flood) => ({ flood, by })),
    );
    const measurements = await interleave(
      wanted.map(({ flood, by }): Subject => ({
        candidate: by,
        work: flood.name,
        sample: () => sample(flood, by, windowMs, (text) => notes.add(text)),
      })),
      { rounds: rounds ?? 3, warmups: 0, onRound: (round, of) => log(`round ${round} of ${of}`) },
    );
    const of = (flood: Flood, by: Distinction, metric: string): Measurement | undefined =>
      find(measurements, { candidate: by, work: flood.name, metric });
    const median = (flood: Flood, by: Distinction, metric: string): number =>
      of(flood, by, metric)?.median ?? Number.NaN;
    const worst = (flood: Flood, by: Distinction, metric: string): number =>
      Math.max(...(of(flood, by, metric)?.samples ?? [Number.NaN]));
    return {
      tables: distinctions.map((by) => ({
        title: `calls of one client while another one floods, told apart by ${by}`,
        columns: [
          "flood",
          "p50 quiet",
          "p50",
          "p99 quiet",
          "p99",
          "× quiet",
          "CPU turn quiet",
          "CPU turn",
          "failed",
          "sent",
          "refused",
        ],
        rows: wanted
          .filter((some) => some.by === by)
          .map(({ flood }) => [
            flood.name,
            formatTime(median(flood, by, "quietP50Ns")),
            formatTime(median(flood, by, "p50Ns")),
            formatTime(median(flood, by, "quietP99Ns")),
            formatTime(median(flood, by, "p99Ns")),
            formatRatio(median(flood, by, "p99Ratio")),
            formatTime(median(flood, by, "quietTurnMs") * 1e6),
            formatTime(median(flood, by, "turnMs") * 1e6),
            String(worst(flood, by, "failed")),
            formatCount(median(flood, by, "sent")),
            formatCount(median(flood, by, "refused")),
          ]),
      })),
      measurements,
      budgets: wanted
        .filter(({ flood }) => flood !== control)
        .flatMap(({ flood, by }): Budget[] => [
          {
            name: `${flood.name}, ${by}: p99, relative to quiet`,
            actual: median(flood, by, "p99Ratio"),
            limit: 3,
          },
          { name: `${flood.name}, ${by}: failed calls`, actual: worst(flood, by, "failed"), limit: 0 },
          {
            name: `${flood.name}, ${by}: errors that no caller sees`,
            actual: worst(flood, by, "errors"),
            limit: 0,
          },
        ]),
      notes: [
        "Each flooded window is compared with a quiet one of the same server, right before it. The control shows what the machine does to the ratio by itself.",
        "A flood first goes beyond its limit as fast as the server lets it, and then goes on at a steady pace; only the second part is timed, failures count in both.",
        "CPU turn: 99th percentile of the CPU time that the server takes between two ticks of 5 ms, the work that a call may have to wait for. On a busy machine trust it more than p99.",
        ...notes,
      ],
    };
  },
};
