import type { Invocation } from "../command/invocation.ts";
import { visibleLine } from "../output/escape.ts";
import { table } from "../output/table.ts";
import { readRecording } from "../trace/read.ts";
import { spansOf } from "../trace/spans.ts";

/** Prints the requests of a recording as a table, with percentiles for each method. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer } = invocation;
  const cassette = await readRecording(invocation);
  const all = spansOf(cassette);
  const slowest = flags.integer("slowest", 1);
  const spans =
    slowest === undefined
      ? all
      : all.toSorted((a, b) => (b.durationMs ?? Infinity) - (a.durationMs ?? Infinity)).slice(0, slowest);
  printer.result({ target: cassette.header.target, spans }, () => {
    const rows = spans.map(({ startMs, from, method, durationMs, error, subject = "" }) => [
      `${Math.round(startMs)}`,
      from === "client" ? "→" : "←",
      visibleLine(method),
      durationMs === undefined ? "–" : `${durationMs} ms`,
      visibleLine([subject, error === undefined ? "" : `✗ ${error}`].filter(Boolean).join("  ")),
    ]);
    return [...table(rows, { width: printer.width }), "", ...summary(all)].join("\n");
  });
}

function summary(spans: ReturnType<typeof spansOf>): readonly string[] {
  const byMethod = new Map<string, number[]>();
  for (const { method, durationMs } of spans) {
    byMethod.set(method, [
      ...(byMethod.get(method) ?? []),
      ...(durationMs === undefined ? [] : [durationMs]),
    ]);
  }
  return [...byMethod].map(([method, times]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return `${visibleLine(method)}: ${sorted.length} × p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms`;
  });
}
