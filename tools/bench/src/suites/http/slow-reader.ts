import { setTimeout as delay } from "node:timers/promises";

import { formatBytes } from "../../format.ts";
import { interleave, type Metrics, type Subject } from "../../runner.ts";
import type { Suite } from "../../suite.ts";
import { usageOf } from "../../usage.ts";
import { LoadConnection } from "./load/connection.ts";
import { callsOn } from "./load/requests.ts";
import { startServer } from "./server-process.ts";

const work = "100 MB of progress to a client that does not read";
const messageBytes = 64 * 1024;
/** What our server lets wait by default, and the one message that goes beyond it, in its frame. */
const limit = 1024 * 1024 + messageBytes + 1024;

const programs: readonly (readonly [name: string, program: string])[] = [
  ["tenon", "tenon"],
  ["official v2", "official-v2"],
];

/** Waits until the server sends no further messages. */
async function settled(sent: () => Promise<number>): Promise<number> {
  let last = -1;
  let unchanged = 0;
  for (let turn = 0; turn < 600 && unchanged < 5; turn++) {
    const now = await sent();
    unchanged = now === last && now > 0 ? unchanged + 1 : 0;
    last = now;
    await delay(100);
  }
  return last;
}

async function sample(program: string): Promise<Metrics> {
  await using server = await startServer(program);
  const connection = await LoadConnection.open(server.port);
  const text = await callsOn(connection, "modern");
  await server.ask("watch");
  const before = usageOf(server.pid).rssBytes;
  connection.sendUnread(text("flood", {}, { progressToken: 1 }));
  const sent = await settled(() => server.ask("sent"));
  const unsentBytes = await server.ask("unsent");
  const grownBytes = usageOf(server.pid).rssBytes - before;
  connection.close();
  return { sentBytes: sent * messageBytes, unsentBytes, grownBytes };
}

/** What a server holds for a client that does not read, against budgets. */
export const slowReader: Suite = {
  name: "http-slow-reader",
  description: work,
  async run({ rounds, wants, log }) {
    const wanted = programs.filter(([name]) => wants(name));
    const subjects = wanted.map(([candidate, program]): Subject => ({
      candidate,
      work,
      sample: () => sample(program),
    }));
    const measurements = await interleave(subjects, {
      rounds: rounds ?? 3,
      warmups: 0,
      onRound: (round, of) => log(`round ${round} of ${of}`),
    });
    const most = (candidate: string, metric: string): number =>
      Math.max(
        ...measurements
          .filter((found) => found.candidate === candidate && found.metric === metric)
          .flatMap(({ samples }) => samples),
      );
    return {
      tables: [
        {
          title: work,
          columns: ["", "accepted from the handler", "unsent on the socket", "growth of resident memory"],
          rows: wanted.map(([name]) => [
            name,
            formatBytes(most(name, "sentBytes")),
            formatBytes(most(name, "unsentBytes")),
            formatBytes(most(name, "grownBytes")),
          ]),
        },
      ],
      measurements,
      budgets: wanted.some(([name]) => name === "tenon")
        ? [{ name: `${work}, unsent bytes`, actual: most("tenon", "unsentBytes"), limit }]
        : [],
      notes: [
        "What is accepted and not unsent is in the buffers of the kernel. The worst of all rounds is shown.",
      ],
    };
  },
};
