import { Client, Server, type ClientSession } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { createInMemoryTransports } from "@tenon/transports-memory";

import { formatBytes, formatTime } from "../../format.ts";
import { allocationLoop } from "../../loops/allocation.ts";
import { sequentialLoop } from "../../loops/async.ts";
import { find, type Measurement, type Subject } from "../../runner.ts";
import { addInput } from "../mcp/sessions.ts";

const info = { name: "bench", version: "1.0.0" };
const revisions = ["2025-11-25", "2026-07-28"] as const;
const candidates = ["without tasks", "with tasks"] as const;
const workOf = (revision: string): string => `call of a plain tool, ${revision}`;

type Revision = (typeof revisions)[number];

async function open(revision: Revision, hasTasks: boolean): Promise<ClientSession> {
  const server = new Server(info);
  const client = new Client(info, { revisions: [revision], cache: false });
  if (hasTasks) {
    server.use(tasks({ engine: createTaskEngine() }));
    client.use(taskClient());
    server.addTool({ name: "slow", task: "optional" }, () => "");
  }
  server.addTool({ name: "add", input: addInput }, ({ a, b }) => String(a + b));
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return client.connect(here);
}

/** Calls of a tool without tasks, where server and client have the extension, and where not. */
export async function plainCalls(): Promise<Subject[]> {
  const subjects: Subject[] = [];
  for (const revision of revisions) {
    for (const candidate of candidates) {
      const session = await open(revision, candidate === "with tasks");
      const call = async (index: number): Promise<void> => {
        const { content } = await session.callTool({ name: "add", arguments: { a: index, b: 1 } });
        const [block] = content;
        if (block?.type !== "text" || block.text !== String(index + 1)) {
          throw new Error(`Expected ${index + 1}, got ${JSON.stringify(content)}`);
        }
      };
      const time = sequentialLoop(call);
      const allocation = allocationLoop(call);
      subjects.push({
        candidate,
        work: workOf(revision),
        sample: async () => ({ ...(await time()), ...(await allocation()) }),
      });
    }
  }
  return subjects;
}

/** Time and allocated bytes of these calls, as rows of a table. */
export function plainRows(measurements: readonly Measurement[]): string[][] {
  return revisions.flatMap((revision) =>
    candidates.flatMap((candidate) => {
      const of = (metric: string) => find(measurements, { candidate, work: workOf(revision), metric });
      const ns = of("ns");
      const bytes = of("bytes");
      return ns === undefined || bytes === undefined
        ? []
        : [[workOf(revision), candidate, formatTime(ns.median), formatBytes(bytes.median)]];
    }),
  );
}
