import { startChild, type ChildCandidate } from "../../child.ts";
import { formatCount, formatRatio, formatTime } from "../../format.ts";
import { find, interleave, ratio, type Measurement, type Subject } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import type { Table } from "../../table.ts";
import { usageOf } from "../../usage.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

const program = new URL("programs/client.ts", import.meta.url);
const sequential = "sequential";
const concurrent = "64 concurrent";

/** A client and the server that it talks to. */
interface Pair {
  readonly name: string;
  readonly client: string;
  readonly server: string;
  readonly args?: readonly string[];
  /** Calls in a sample; more than a second of them. */
  readonly calls: number;
}

const alone = (client: string, calls: number): Pair => ({
  name: client,
  client,
  server: "raw",
  calls,
});

/** Every client against the same bare server, so that only the clients differ. */
const clients: readonly Pair[] = [
  alone("raw", 6000),
  alone("tenon", 4000),
  alone("tenon 2025", 4000),
  alone("official v2", 1000),
  alone("official v2, 2025", 1000),
  alone("official v1", 1000),
];

/** Every client against the server of its own SDK. */
const pairs: readonly Pair[] = [
  { ...alone("raw", 6000), name: "raw and raw" },
  { name: "tenon and tenon", client: "tenon", server: "tenon", args: ["1"], calls: 4000 },
  { name: "tenon and tenon, 2025", client: "tenon 2025", server: "tenon", args: ["1"], calls: 4000 },
  { name: "official v2 and v2", client: "official v2", server: "official-v2", args: ["1"], calls: 600 },
  {
    name: "official v2 and v2, 2025",
    client: "official v2, 2025",
    server: "official-v2",
    args: ["1", "stateful"],
    calls: 600,
  },
  {
    name: "official v1 and v1",
    client: "official v1",
    server: "official-v1",
    args: ["1", "stateful"],
    calls: 600,
  },
];

function tableOf(title: string, rows: readonly Pair[], measurements: readonly Measurement[]): Table {
  const of = (candidate: string, work: string, metric: string): Measurement | undefined =>
    find(measurements, { candidate, work, metric });
  const median = (candidate: string, work: string, metric: string): number =>
    of(candidate, work, metric)?.median ?? Number.NaN;
  const base = rows[0]?.name ?? "";
  const times = (candidate: string): string => {
    const [own, other] = [of(candidate, concurrent, "ns"), of(base, concurrent, "ns")];
    return own === undefined || other === undefined ? "–" : formatRatio(ratio(other, own));
  };
  return {
    title,
    columns: ["", "calls/s", "× raw", "CPU per call, client", "CPU per call, server", "sequential, median"],
    rows: rows.map(({ name }) => [
      name,
      formatCount(median(name, concurrent, "callsPerSecond")),
      times(name),
      formatTime(median(name, concurrent, "cpuNs")),
      formatTime(median(name, concurrent, "peerCpuNs")),
      formatTime(median(name, sequential, "ns")),
    ]),
  };
}

function subjectsOf({ name }: Pair, child: ChildCandidate, { pid }: ServerProcess): readonly Subject[] {
  return [sequential, concurrent].map((work) => ({
    candidate: name,
    work,
    async sample() {
      const before = usageOf(pid);
      const metrics = await child.sample(work);
      const after = usageOf(pid);
      const calls = metrics["calls"] ?? Number.NaN;
      return { ...metrics, peerCpuNs: (after.cpuNs - before.cpuNs) / calls };
    },
  }));
}

function budgetsOf(measurements: readonly Measurement[]): readonly Budget[] {
  const limit = (of: string, to: string, metric: string, label: string, atMost: number): Budget[] => {
    const own = find(measurements, { candidate: of, work: concurrent, metric });
    const other = find(measurements, { candidate: to, work: concurrent, metric });
    return own === undefined || other === undefined
      ? []
      : [{ name: `${of}, ${label}, relative to ${to}`, actual: ratio(own, other), limit: atMost }];
  };
  return [
    ...limit("tenon", "official v2", "cpuNs", "CPU per call of the client", 1 / 5),
    ...limit("tenon 2025", "official v2, 2025", "cpuNs", "CPU per call of the client", 1 / 5),
    ...limit("tenon", "raw", "cpuNs", "CPU per call of the client", 1.4),
    ...limit("tenon and tenon", "official v2 and v2", "ns", "time per call", 1 / 5),
    ...limit("tenon and tenon, 2025", "official v2 and v2, 2025", "ns", "time per call", 1 / 5),
  ];
}

/** What HTTP clients cost, alone and with the servers of their own SDKs, against budgets. */
export const client: Suite = {
  name: "http-client",
  description:
    "tools/call over HTTP by the clients of all SDKs, clients and servers in processes of their own",
  async run({ rounds, wants, log }) {
    const open: AsyncDisposable[] = [];
    const wanted = [clients, pairs].map((set) =>
      set.filter(({ name }) => name.startsWith("raw") || wants(name)),
    );
    const [bare = [], own = []] = wanted;
    try {
      const subjects: Subject[] = [];
      for (const pair of wanted.flat()) {
        log(`starting ${pair.name}`);
        const server = await startServer(pair.server, pair.args);
        open.push(server);
        const args = [pair.client, server.url, String(pair.calls)];
        // The official clients hang a listener for each call on one signal, and Node warns of each.
        const execArgv = [...process.execArgv, "--no-warnings"];
        const child = await startChild(program, { args, execArgv });
        open.push(child);
        subjects.push(...subjectsOf(pair, child, server));
      }
      const measurements = await interleave(subjects, {
        rounds: rounds ?? 5,
        warmups: 2,
        onRound: (round, of) => log(`round ${round} of ${of}`),
      });
      return {
        tables: [
          tableOf("clients against a bare server, 64 concurrent", bare, measurements),
          tableOf("clients and servers of one SDK, 64 concurrent", own, measurements),
        ],
        measurements,
        budgets: budgetsOf(measurements),
        notes: ["The raw client is node:http with a pool of 64 connections."],
      };
    } finally {
      for (const each of open.toReversed()) {
        await each[Symbol.asyncDispose]();
      }
    }
  },
};
