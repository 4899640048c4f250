import { formatBytes, formatCount, formatRatio, formatTime } from "../../format.ts";
import { allocationLoop } from "../../loops/allocation.ts";
import { concurrentLoop, sequentialLoop } from "../../loops/async.ts";
import { find, interleave, ratio, type Measurement, type Subject } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import type { Table } from "../../table.ts";
import { usageOf } from "../../usage.ts";
import { assertResult, type Caller } from "./work.ts";

const baseline = "raw";
const sequential = "sequential";
const concurrent = "64 concurrent";

/** A bound on a metric of one candidate, as a ratio to another candidate's. */
export interface Limit {
  /** Whose metric; default `tenon`. */
  readonly of?: string | undefined;
  readonly work: "sequential" | "64 concurrent" | "allocation";
  readonly metric: "ns" | "cpuNs" | "peerCpuNs" | "bytes";
  readonly to: string;
  readonly atMost: number;
}

/** How a suite of callers is run and judged. */
interface Comparison {
  readonly name: string;
  readonly description: string;
  readonly callers: () => Promise<Caller[]>;
  readonly sequentialCalls: number;
  readonly concurrentCalls: number;
  /**
   * Whether to measure the heap bytes that a call takes; for callers without a process of their
   * own.
   */
  readonly allocation?: boolean | undefined;
  readonly limits: readonly Limit[];
  /** What the reader has to know. */
  readonly notes?: readonly string[] | undefined;
}

const label = {
  ns: "time per call",
  cpuNs: "CPU per call of the caller",
  peerCpuNs: "CPU per call of the server",
  bytes: "bytes per call",
};

function subjectsOf(
  { name, call, pid }: Caller,
  { sequentialCalls, concurrentCalls, allocation }: Comparison,
): readonly Subject[] {
  const checked = async (index: number): Promise<void> => assertResult(await call(index), index);
  const peer = pid === undefined ? undefined : () => usageOf(pid);
  return [
    { candidate: name, work: sequential, sample: sequentialLoop(checked, { calls: sequentialCalls, peer }) },
    { candidate: name, work: concurrent, sample: concurrentLoop(checked, { calls: concurrentCalls, peer }) },
    ...(allocation === true
      ? [{ candidate: name, work: "allocation", sample: allocationLoop(checked) }]
      : []),
  ];
}

function tableOf(name: string, callers: readonly Caller[], measurements: readonly Measurement[]): Table {
  const median = (candidate: string, work: string, metric: string): number =>
    find(measurements, { candidate, work, metric })?.median ?? Number.NaN;
  const relative = (candidate: string, work: string): string => {
    const own = find(measurements, { candidate, work, metric: "ns" });
    const base = find(measurements, { candidate: baseline, work, metric: "ns" });
    return own === undefined || base === undefined
      ? "–"
      : formatRatio(work === sequential ? ratio(own, base) : ratio(base, own));
  };
  const isRemote = callers.some(({ pid }) => pid !== undefined);
  const hasAllocation = measurements.some(({ metric }) => metric === "bytes");
  return {
    title: name,
    columns: [
      "",
      "sequential, median",
      "× raw",
      "64 concurrent, calls/s",
      "× raw",
      "CPU per call",
      ...(isRemote ? ["CPU per call, server"] : []),
      ...(hasAllocation ? ["bytes per call"] : []),
    ],
    rows: callers.map(({ name: candidate }) => [
      candidate,
      formatTime(median(candidate, sequential, "ns")),
      relative(candidate, sequential),
      formatCount(median(candidate, concurrent, "callsPerSecond")),
      relative(candidate, concurrent),
      formatTime(median(candidate, concurrent, "cpuNs")),
      ...(isRemote ? [formatTime(median(candidate, concurrent, "peerCpuNs"))] : []),
      ...(hasAllocation ? [formatBytes(median(candidate, "allocation", "bytes"))] : []),
    ]),
  };
}

function budgetOf(
  { of = "tenon", work, metric, to, atMost }: Limit,
  measurements: readonly Measurement[],
): Budget {
  const own = find(measurements, { candidate: of, work, metric });
  const other = find(measurements, { candidate: to, work, metric });
  return {
    name: `${of === "tenon" ? "" : `${of}: `}${work}, ${label[metric]}, relative to ${to}`,
    actual: own === undefined || other === undefined ? Number.NaN : ratio(own, other),
    limit: atMost,
  };
}

/** A suite that compares callers of the same method. */
export function comparison(options: Comparison): Suite {
  const { name, description, limits } = options;
  return {
    name,
    description,
    async run({ rounds, wants, log }) {
      const all = await options.callers();
      const callers = all.filter((caller) => caller.name.startsWith(baseline) || wants(caller.name));
      try {
        const subjects = callers.flatMap((caller) => subjectsOf(caller, options));
        const measurements = await interleave(subjects, {
          rounds,
          onRound: (round, of) => log(`round ${round} of ${of}`),
        });
        const names = new Set(callers.map((caller) => caller.name));
        return {
          tables: [tableOf(name, callers, measurements)],
          measurements,
          budgets: limits
            .filter(({ of = "tenon", to }) => names.has(to) && names.has(of))
            .map((limit) => budgetOf(limit, measurements)),
          notes: options.notes ?? [],
        };
      } finally {
        for (const caller of all) {
          await caller.close();
        }
      }
    },
  };
}
