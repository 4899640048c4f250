import { load, type LoadBudget, type LoadReport } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { contentText } from "../output/content.ts";
import { counted } from "../output/counted.ts";
import { visibleLine } from "../output/escape.ts";
import { readArguments } from "../session/arguments.ts";
import { fetchLists } from "../session/definitions.ts";
import { openSession } from "../session/open.ts";

/** Calls before the measurement, if the command does not say: a tenth, but at most this number. */
const defaultWarmUp = 50;
/** Characters of the longest bar of the histogram. */
const barLength = 40;

/** Measures the calls of a tool, or pings: with calls in flight, or at a rate. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, rest, shell } = invocation;
  if (flags.has("rps") && flags.has("concurrency")) {
    throw usageError("--rps is an open loop and --concurrency a closed loop.", "give one of them");
  }
  const budget = budgetOf(flags.list("budget"));
  const name = flags.text("tool");
  await using opened = await openSession(invocation);
  const { session, signal } = opened;
  const { tools = [] } = name === undefined ? {} : await fetchLists(session, ["tools"], signal);
  const tool = tools.find((each) => each.name === name);
  const args = await readArguments(rest, tool?.inputSchema, shell);
  const rps = flags.integer("rps", 1);
  const concurrency = flags.integer("concurrency", 1);
  const calls = flags.integer("calls", 1);
  // A tool with effects is called as often as the command says.
  const mayRepeat = name === undefined || tool?.annotations?.readOnlyHint === true;
  const tenth = mayRepeat ? Math.min(defaultWarmUp, Math.ceil((calls ?? 1000) / 10)) : 0;
  const warmUp = flags.integer("warm-up", 0) ?? tenth;
  const report = await load(
    async () => {
      if (name === undefined) {
        return session.ping(undefined, { signal });
      }
      const result = await session.callTool({ name, arguments: args }, { signal });
      if (result.isError === true) {
        const said = result.content.map((block) => contentText(block)).join(" ");
        throw new Error(`The tool ${name} reports an error: ${said.slice(0, 300)}`);
      }
      return result;
    },
    {
      signal,
      budget,
      warmUp,
      ...(rps === undefined ? {} : { rps }),
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(calls === undefined ? {} : { calls }),
    },
  );
  printer.result(report, () => textOf(report));
  return report.exceeded.length > 0 || report.failed > 0 ? exitCodes.failed : exitCodes.ok;
}

function textOf({
  calls,
  failed,
  skipped,
  firstError,
  callsPerSecond,
  latency,
  histogram,
  exceeded,
}: LoadReport): string {
  const times = Object.entries(latency).map(([name, value]) => `${name} ${round(value as number)}`);
  return [
    `${counted(calls, "call")}, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}, ${round(callsPerSecond)} per second`,
    ...(failed < calls ? [`ms: ${times.join(", ")}`, ...barsOf(histogram)] : []),
    ...(firstError === undefined ? [] : [`first error: ${visibleLine(firstError)}`]),
    ...exceeded.map((limit) => `✗ ${limit}`),
  ].join("\n");
}

/** A line for each range of times, with a bar. */
function barsOf(histogram: LoadReport["histogram"]): readonly string[] {
  const most = Math.max(...histogram.map(({ count }) => count), 1);
  const ends = histogram.map(({ upTo }) => `≤ ${round(upTo)}`);
  const column = Math.max(...ends.map((end) => end.length), 0);
  return histogram.map(({ count }, index) => {
    const bar = "█".repeat(Math.ceil((count / most) * barLength));
    return `  ${(ends[index] ?? "").padStart(column)} ms ${bar}${bar === "" ? "" : " "}${count}`;
  });
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function budgetOf(limits: readonly string[]): LoadBudget {
  return Object.fromEntries(
    limits.map((limit) => {
      const [, name, ms] = /^(p50|p90|p99|max)=(\d{1,9}(?:\.\d+)?)$/.exec(limit) ?? [];
      if (name === undefined) {
        throw usageError(
          `--budget takes a percentile and milliseconds; got ${JSON.stringify(limit)}.`,
          "--budget p99=50",
        );
      }
      return [name, Number(ms)];
    }),
  ) as LoadBudget;
}
