import { formatBytes, formatRatio } from "../../format.ts";
import { find, interleave, ratio, type Measurement, type Subject } from "../../runner.ts";
import type { Suite } from "../../suite.ts";
import { LoadConnection } from "./load/connection.ts";
import { openSession } from "./load/requests.ts";
import { startServer } from "./server-process.ts";

const tools = 100;
const work = `idle session, ${tools} tools`;

/** A server, and how many sessions of it are enough to tell their size from noise. */
interface Candidate {
  readonly name: string;
  readonly program: string;
  readonly serving: readonly string[];
  readonly count: number;
}

const candidates: readonly Candidate[] = [
  { name: "tenon", program: "tenon", serving: [], count: 2000 },
  { name: "official v2", program: "official-v2", serving: ["stateful"], count: 100 },
  { name: "official v1", program: "official-v1", serving: ["stateful"], count: 100 },
];

/** Opens sessions, one after the other over one connection, and leaves them. */
async function openMany(port: number, count: number): Promise<void> {
  const connection = await LoadConnection.open(port);
  for (let index = 0; index < count; index++) {
    await openSession(connection);
  }
  connection.close();
}

function subjectOf({ name, program, serving, count }: Candidate): Subject {
  return {
    candidate: name,
    work,
    async sample() {
      await using server = await startServer(program, [String(tools), ...serving]);
      await openMany(server.port, 10);
      const before = await server.ask("heap");
      await openMany(server.port, count);
      const after = await server.ask("heap");
      return { bytes: (after - before) / count };
    },
  };
}

/** What a session costs a server that waits for its client, against budgets. */
export const sessions: Suite = {
  name: "http-sessions",
  description: "heap of idle stateful sessions of a server with 100 tools",
  async run({ rounds, wants, log }) {
    const wanted = candidates.filter(({ name }) => wants(name));
    const measurements = await interleave(wanted.map(subjectOf), {
      rounds: rounds ?? 3,
      warmups: 0,
      onRound: (round, of) => log(`round ${round} of ${of}`),
    });
    const of = (candidate: string): Measurement | undefined =>
      find(measurements, { candidate, work, metric: "bytes" });
    const [own, other] = [of("tenon"), of("official v2")];
    return {
      tables: [
        {
          title: `heap of an ${work}`,
          columns: ["", "per session", "× official v2"],
          rows: wanted.map(({ name }) => {
            const found = of(name);
            return [
              name,
              formatBytes(found?.median ?? Number.NaN),
              found === undefined || other === undefined ? "–" : formatRatio(ratio(found, other)),
            ];
          }),
        },
      ],
      measurements,
      budgets: [
        ...(own === undefined || other === undefined
          ? []
          : [{ name: `${work}, heap, relative to official v2`, actual: ratio(own, other), limit: 1 / 10 }]),
        ...(own === undefined
          ? []
          : [{ name: `${work}, heap, bytes`, actual: Math.round(own.median), limit: 4 * 1024 }]),
      ],
      notes: ["The official SDKs have no limit on sessions and no end for idle ones; ours has both."],
    };
  },
};
