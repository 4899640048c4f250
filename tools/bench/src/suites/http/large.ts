import { formatBytes, formatRatio, formatTime } from "../../format.ts";
import { find, interleave, ratio, type Measurement, type Subject } from "../../runner.ts";
import type { Suite } from "../../suite.ts";
import { usageOf } from "../../usage.ts";
import { LoadConnection } from "./load/connection.ts";
import { callsOn } from "./load/requests.ts";
import { startServer, type ServerProcess } from "./server-process.ts";

const work = "a result of 10 MB";
const size = 10_000_000;
/** Calls in a sample: CPU time is counted in ticks of 10 ms. */
const calls = 12;

const programs: readonly (readonly [name: string, program: string])[] = [
  ["raw", "raw"],
  ["tenon", "tenon"],
  ["official v2", "official-v2"],
];

function subjectOf(candidate: string, { port, pid }: ServerProcess): Subject {
  return {
    candidate,
    work,
    async sample() {
      const connection = await LoadConnection.open(port);
      const text = await callsOn(connection, "modern");
      const before = usageOf(pid);
      const start = performance.now();
      for (let index = 0; index < calls; index++) {
        const { status, body } = await connection.send(text("large", {}));
        if (status !== 200 || body.length < size || body.length > size + 2000) {
          throw new Error(`Expected ${size} bytes, got ${status} and ${body.length}`);
        }
      }
      const ns = ((performance.now() - start) * 1e6) / calls;
      const after = usageOf(pid);
      connection.close();
      return { ns, peerCpuNs: (after.cpuNs - before.cpuNs) / calls, peerRssBytes: after.rssBytes };
    },
  };
}

/** What a large result costs, against budgets. */
export const large: Suite = {
  name: "http-large",
  description: `${work} over HTTP`,
  async run({ rounds, wants, log }) {
    const wanted = programs.filter(([name]) => name === "raw" || wants(name));
    const servers: ServerProcess[] = [];
    try {
      const subjects: Subject[] = [];
      for (const [name, program] of wanted) {
        const server = await startServer(program);
        servers.push(server);
        subjects.push(subjectOf(name, server));
      }
      const measurements = await interleave(subjects, {
        rounds: rounds ?? 7,
        onRound: (round, of) => log(`round ${round} of ${of}`),
      });
      const of = (candidate: string, metric: string): Measurement | undefined =>
        find(measurements, { candidate, work, metric });
      const relative = (candidate: string, metric: string): number => {
        const [own, bare] = [of(candidate, metric), of("raw", metric)];
        return own === undefined || bare === undefined ? Number.NaN : ratio(own, bare);
      };
      return {
        tables: [
          {
            title: work,
            columns: ["", "time", "× raw", "CPU, server", "× raw", "resident memory"],
            rows: wanted.map(([name]) => [
              name,
              formatTime(of(name, "ns")?.median ?? Number.NaN),
              formatRatio(relative(name, "ns")),
              formatTime(of(name, "peerCpuNs")?.median ?? Number.NaN),
              formatRatio(relative(name, "peerCpuNs")),
              formatBytes(of(name, "peerRssBytes")?.median ?? Number.NaN),
            ]),
          },
        ],
        measurements,
        budgets: [
          { name: `${work}, CPU, relative to raw`, actual: relative("tenon", "peerCpuNs"), limit: 1.1 },
        ],
        notes: ["raw is JSON.stringify and one write of node:http."],
      };
    } finally {
      for (const server of servers) {
        await server.close();
      }
    }
  },
};
