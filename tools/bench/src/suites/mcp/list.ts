import { Client, Server } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { z } from "zod";

import { formatBytes, formatRatio, formatTime } from "../../format.ts";
import { sequentialLoop } from "../../loops/async.ts";
import { find, interleave, ratio, type Measurement, type Subject } from "../../runner.ts";
import type { Suite } from "../../suite.ts";
import { ownUsage } from "../../usage.ts";
import { heapPerSession } from "./heap.ts";
import { connectTenon, connectV1, connectV2 } from "./sessions.ts";

const count = 100;
const many = 10_000;
const work = `tools/list of ${count} tools`;
const names = Array.from({ length: count }, (_, index) => `tool-${String(index).padStart(3, "0")}`);

const input = {
  type: "object",
  properties: {
    query: { type: "string", description: "What to look for" },
    limit: { type: "integer", minimum: 1, maximum: 100, description: "Most results" },
    order: { enum: ["best", "newest", "oldest"] },
  },
  required: ["query"],
} as const;
const shape = {
  query: z.string().describe("What to look for"),
  limit: z.number().int().min(1).max(100).optional().describe("Most results"),
  order: z.enum(["best", "newest", "oldest"]).optional(),
};
const description = "Looks for things, and finds them";

function addTools(server: Server, tools: readonly string[]): void {
  for (const name of tools) {
    server.addTool({ name, description, input }, () => "");
  }
}

interface Lister {
  readonly name: string;
  list(): Promise<{ readonly tools: readonly { readonly name: string }[] }>;
  close(): Promise<void>;
}

async function listers(): Promise<Lister[]> {
  const tenon = async (
    name: string,
    revision: "2025-11-25" | "2026-07-28",
    serialize = true,
  ): Promise<Lister> => {
    const session = await connectTenon(revision, (server) => addTools(server, names), serialize);
    return { name, list: () => session.listTools(), close: () => session.close() };
  };
  const v2 = await connectV2((server) => {
    names.forEach((name) =>
      server.registerTool(name, { description, inputSchema: shape }, () => ({ content: [] })),
    );
  });
  const v1 = await connectV1((server) => {
    names.forEach((name) =>
      server.registerTool(name, { description, inputSchema: shape }, () => ({ content: [] })),
    );
  });
  const text = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    result: await (await connectTenon("2025-11-25", (server) => addTools(server, names))).listTools(),
  });
  return [
    {
      name: "raw",
      list: async () => (JSON.parse(text) as { result: { tools: { name: string }[] } }).result,
      close: async () => {},
    },
    await tenon("tenon", "2025-11-25"),
    await tenon("tenon 2026", "2026-07-28"),
    await tenon("tenon, objects passed", "2025-11-25", false),
    // Its client remembers lists: what is measured must cross.
    { name: "official v2", list: () => v2.request({ method: "tools/list" }), close: () => v2.close() },
    { name: "official v1", list: () => v1.listTools(), close: () => v1.close() },
  ];
}

/**
 * CPU time of this process in milliseconds, all its threads together: unlike the clock on the wall
 * it does not count what other processes take.
 */
const cpuMs = (): number => ownUsage().cpuNs / 1e6;

/**
 * Iterates many tools and finds the longest turn of the event loop: how long a timer has to wait on
 * a machine that does nothing else.
 */
async function longestStall(): Promise<number> {
  const server = new Server({ name: "bench", version: "1.0.0" });
  addTools(
    server,
    Array.from({ length: many }, (_, index) => `tool-${index}`),
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await new Client({ name: "bench", version: "1.0.0" }).connect(here);
  let last = cpuMs();
  let longest = 0;
  let running = true;
  const tick = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) {
      setImmediate(tick);
    }
  };
  setImmediate(tick);
  let seen = 0;
  for await (const tool of session.tools()) {
    seen += tool.name.startsWith("tool-") ? 1 : 0;
  }
  running = false;
  longest = Math.max(longest, cpuMs() - last);
  if (seen !== many) {
    throw new Error(`Expected ${many} tools, got ${seen}`);
  }
  await session.close();
  return longest;
}

const single = (name: string, metric: string, value: number): Measurement => ({
  candidate: "tenon",
  work: name,
  metric,
  samples: [value],
  median: value,
  min: value,
});

/** What a server with many tools costs, against budgets. */
export const list: Suite = {
  name: "mcp-list",
  description: `${work}, iterating ${many} tools, heap of idle sessions`,
  async run({ rounds, wants, log }) {
    const all = await listers();
    const kept = all.filter(({ name }) => name === "raw" || wants(name));
    const subjects: Subject[] = kept.map(({ name, list: ask }) => ({
      candidate: name,
      work,
      sample: sequentialLoop(
        async () => {
          const { tools } = await ask();
          if (tools.length !== count || tools[7]?.name !== names[7]) {
            throw new Error(`Expected ${count} tools, got ${tools.length}`);
          }
        },
        { calls: 30 },
      ),
    }));
    const measurements = await interleave(subjects, {
      rounds,
      onRound: (round, of) => log(`round ${round} of ${of}`),
    });
    for (const { close } of all) {
      await close();
    }
    log(`${many} tools`);
    const stall = Math.min(await longestStall(), await longestStall(), await longestStall());
    log("idle sessions");
    const heap = await heapPerSession();
    const of = (candidate: string): Measurement | undefined =>
      find(measurements, { candidate, work, metric: "ns" });
    const relative = (candidate: string, to: string): number => {
      const [own, other] = [of(candidate), of(to)];
      return own === undefined || other === undefined ? Number.NaN : ratio(own, other);
    };
    return {
      tables: [
        {
          title: work,
          columns: ["", "time", "× raw", "× official v2"],
          rows: kept.map(({ name }) => [
            name,
            formatTime(of(name)?.median ?? Number.NaN),
            formatRatio(relative(name, "raw")),
            formatRatio(relative(name, "official v2")),
          ]),
        },
        {
          title: "a server with many tools",
          columns: ["", "found", "at most"],
          rows: [
            [`longest stall while iterating ${many} tools`, formatTime(stall * 1e6), "20 ms"],
            ["heap of an idle server session, 100 tools", formatBytes(heap), "3.00 KB"],
          ],
        },
      ],
      measurements: [
        ...measurements,
        single(`iterate ${many} tools`, "stallMs", stall),
        single("idle session", "bytes", heap),
      ],
      budgets: [
        ...["tenon", "tenon 2026", "tenon, objects passed"].map((name) => ({
          name: `${name}: ${work}, relative to official v2`,
          actual: relative(name, "official v2"),
          limit: 1 / 30,
        })),
        ...["tenon", "tenon 2026"].map((name) => ({
          name: `${name}: ${work}, relative to raw`,
          actual: relative(name, "raw"),
          limit: 1.5,
        })),
        { name: `longest stall while iterating ${many} tools, ms`, actual: stall, limit: 20 },
        { name: "heap of an idle server session with 100 tools, bytes", actual: heap, limit: 3072 },
      ],
      notes: [
        "raw parses the text of the same answer once and does nothing else.",
        "The official SDKs pass objects in memory without writing them as JSON.",
      ],
    };
  },
};
