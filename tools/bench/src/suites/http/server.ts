import { formatBytes, formatCount, formatRatio, formatTime } from "../../format.ts";
import { find, interleave, ratio, type Measurement } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import type { Table } from "../../table.ts";
import { load, type LoadOptions } from "./load/load.ts";
import type { Mode } from "./load/requests.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

/** A server program and who it stands for. */
interface Candidate {
  readonly name: string;
  readonly program: string;
  readonly args?: readonly string[];
}

/** A work, who does it, and how it is judged. */
interface Contest {
  readonly work: string;
  readonly options: LoadOptions;
  readonly candidates: readonly Candidate[];
}

const raw: Candidate = { name: "raw", program: "raw" };
const tenon = (tools: number): Candidate => ({ name: "tenon", program: "tenon", args: [String(tools)] });
const v2 = (tools: number, serving = "handler", name = "official v2"): Candidate => ({
  name,
  program: "official-v2",
  args: [String(tools), serving],
});
const v1 = (serving: string, name = "official v1"): Candidate => ({
  name,
  program: "official-v1",
  args: ["1", serving],
});

const hoisted = "official v2, schemas hoisted";
const asJson = "official v2, JSON";
const modern = "2026-07-28, 1 tool";
const many = "2026-07-28, 100 tools";
const stateful = "2025-11-25 in sessions";
const stateless = "2025-11-25 without sessions";
const few = "2026-07-28, 16 connections";

const call = (mode: Mode, connections = 64): LoadOptions => ({ mode, connections });
const contests: readonly Contest[] = [
  { work: modern, options: call("modern"), candidates: [raw, tenon(1), v2(1)] },
  {
    work: many,
    options: call("modern"),
    candidates: [raw, tenon(100), v2(100), v2(100, "hoisted", hoisted)],
  },
  {
    work: stateful,
    options: call("stateful"),
    candidates: [
      raw,
      tenon(1),
      v2(1, "stateful"),
      v2(1, "stateful-json", asJson),
      v1("stateful"),
      v1("stateful-json", "official v1, JSON"),
    ],
  },
  {
    work: stateless,
    options: call("stateless"),
    candidates: [raw, tenon(1), v2(1), v1("stateless")],
  },
  { work: few, options: call("modern", 16), candidates: [raw, tenon(1), v2(1)] },
];

/**
 * A server that has just started runs code that is not compiled yet, several times as slowly; how
 * long each is warmed up for each work.
 */
const warmUpMs = 3000;

/** A bound on one of our numbers, as a ratio to another candidate's. */
interface Limit {
  readonly work: string;
  readonly metric: "ns" | "p99Ns";
  readonly to: string;
  readonly atMost: number;
}

/**
 * So many times the calls per second is so small a share of the time per call. The official SDK is
 * taken as it does best: with schemas made once, and with JSON where we answer JSON. README's rows
 * are these.
 */
const limits: readonly Limit[] = [
  { work: modern, metric: "ns", to: "official v2", atMost: 1 / 5 },
  { work: many, metric: "ns", to: hoisted, atMost: 1 / 5 },
  { work: stateful, metric: "ns", to: asJson, atMost: 1 / 5 },
  { work: stateful, metric: "ns", to: "official v1", atMost: 1 / 3 },
  { work: few, metric: "p99Ns", to: "official v2", atMost: 1 / 3 },
  ...[modern, many, stateful, stateless].map((work): Limit => ({
    work,
    metric: "ns",
    to: "raw",
    atMost: 1 / 0.6,
  })),
];

function tableOf({ work, candidates }: Contest, measurements: readonly Measurement[]): Table {
  const of = (candidate: string, metric: string): Measurement | undefined =>
    find(measurements, { candidate, work, metric });
  const median = (candidate: string, metric: string): number => of(candidate, metric)?.median ?? Number.NaN;
  const times = (candidate: string, to: string): string => {
    const [own, other] = [of(candidate, "ns"), of(to, "ns")];
    return own === undefined || other === undefined ? "–" : formatRatio(ratio(other, own));
  };
  const cpu = (candidate: string): string => {
    const [own, other] = [of(candidate, "peerCpuNs"), of("raw", "peerCpuNs")];
    return own === undefined || other === undefined ? "–" : formatRatio(ratio(own, other));
  };
  return {
    title: `tools/call over HTTP, ${work}`,
    columns: [
      "",
      "calls/s",
      "× raw",
      "× official v2",
      "CPU per call",
      "× raw",
      "p50",
      "p99",
      "resident memory",
    ],
    rows: candidates
      .filter(({ name }) => of(name, "ns") !== undefined)
      .map(({ name }) => [
        name,
        formatCount(median(name, "callsPerSecond")),
        times(name, "raw"),
        times(name, "official v2"),
        formatTime(median(name, "peerCpuNs")),
        cpu(name),
        formatTime(median(name, "p50Ns")),
        formatTime(median(name, "p99Ns")),
        formatBytes(median(name, "peerRssBytes")),
      ]),
  };
}

function budgetOf({ work, metric, to, atMost }: Limit, measurements: readonly Measurement[]): Budget[] {
  const own = find(measurements, { candidate: "tenon", work, metric });
  const other = find(measurements, { candidate: to, work, metric });
  const label = metric === "ns" ? "time per call" : "p99";
  return own === undefined || other === undefined
    ? []
    : [{ name: `${work}, ${label}, relative to ${to}`, actual: ratio(own, other), limit: atMost }];
}

/** One process for each candidate that differs. */
async function startAll(wanted: readonly Contest[]): Promise<ReadonlyMap<string, ServerProcess>> {
  const servers = new Map<string, ServerProcess>();
  for (const { program, args = [] } of wanted.flatMap(({ candidates }) => candidates)) {
    const key = [program, ...args].join(" ");
    if (!servers.has(key)) {
      servers.set(key, await startServer(program, args));
    }
  }
  return servers;
}

/** What HTTP servers of all SDKs do under the load of one neutral generator; with limits. */
export const server: Suite = {
  name: "http-server",
  description: "tools/call under a raw-socket load generator, servers in processes of their own",
  async run({ rounds, windowMs, wants, log }) {
    const wanted = contests
      .map((contest) => ({
        ...contest,
        candidates: contest.candidates.filter(
          ({ name }) => name === "raw" || wants(name) || wants(contest.work),
        ),
      }))
      .filter(({ candidates }) => candidates.length > 1);
    const servers = await startAll(wanted);
    try {
      const subjects = wanted.flatMap(({ work, options, candidates }) =>
        candidates.flatMap(({ name, program, args = [] }) => {
          const target = servers.get([program, ...args].join(" "));
          return target === undefined
            ? []
            : [
                {
                  candidate: name,
                  work,
                  target,
                  options,
                  sample: () => load(target, { ...options, windowMs }),
                },
              ];
        }),
      );
      log("warming up");
      for (const { target, options } of subjects) {
        await load(target, { ...options, windowMs: warmUpMs });
      }
      const measurements = await interleave(subjects, {
        rounds: rounds ?? 5,
        onRound: (round, of) => log(`round ${round} of ${of}`),
      });
      return {
        tables: wanted.map((contest) => tableOf(contest, measurements)),
        measurements,
        budgets: limits.flatMap((limit) => budgetOf(limit, measurements)),
        notes: [
          "raw is node:http with JSON.parse and JSON.stringify, without any check.",
          "On a machine that does other work, compare CPU per call: calls per second are then a matter of luck.",
          "The official SDK 2 makes a server for each request; with 100 tools, making their schemas is most of it, so the budget is that of hoisted schemas.",
          "Both servers validate the arguments of each call; tenon by compiled JSON Schema, the official SDK by zod, which also parses each message of the protocol.",
        ],
      };
    } finally {
      for (const target of servers.values()) {
        await target.close();
      }
    }
  },
};
