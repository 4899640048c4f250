import { Manager, ResourceCache, type ServerSpec } from "@tenon/host";
import { Server } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";

import { formatTime } from "../../format.ts";
import { sequentialLoop } from "../../loops/async.ts";
import { interleave, type Measurement, type Metrics, type Subject } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import { connectPrograms, startFleet } from "./fleet.ts";

const serverCount = 20;
const toolCount = 100;
const entries = 1000;
const fullEntries = 10_000;
const candidate = "tenon";

const works = {
  connect: `connect ${serverCount} servers in this process`,
  tools: `tools() on ${serverCount} × ${toolCount} tools, nothing changed`,
  hit: `ResourceCache hit among ${entries} entries`,
  fullHit: `ResourceCache hit among ${fullEntries} entries`,
  programs: `connect ${serverCount} programs`,
  fleet: "200 servers, 50 dead, 20 slow, 10 flapping: until all healthy ones are ready",
} as const;

/** Budgets of a work, in nanoseconds. */
const limits: ReadonlyMap<string, number> = new Map([
  [works.tools, 10_000],
  [works.hit, 1000],
  [works.fullHit, 1000],
  [works.fleet, 2e9],
]);

function specs(): Record<string, ServerSpec> {
  const servers = Array.from({ length: serverCount }, (_, index): [string, ServerSpec] => {
    const server = new Server({ name: "bench", version: "1.0.0" });
    for (let tool = 0; tool < toolCount; tool++) {
      server.addTool({ name: `tool-${tool}` }, () => "");
    }
    return [
      `server-${index}`,
      {
        type: "custom",
        transport: () => ({
          async connect(options) {
            const [here, there] = createInMemoryTransports();
            await server.connect(there);
            return here.connect(options);
          },
        }),
      },
    ];
  });
  return Object.fromEntries(servers);
}

async function connectOnce(): Promise<Metrics> {
  const manager = new Manager({ servers: specs() });
  const start = performance.now();
  const { ready } = await manager.connectAll();
  const ns = (performance.now() - start) * 1e6;
  await manager.close();
  if (ready.length !== serverCount) {
    throw new Error(`Expected ${serverCount} servers, got ${ready.length}`);
  }
  return { ns };
}

function cacheHits(entries: number): Metrics {
  const cache = new ResourceCache({ limits: { maxEntries: entries } });
  const uris = Array.from({ length: entries }, (_, index) => `bench://${index}`);
  uris.forEach((uri) => cache.set("bench", uri, { contents: [{ uri, text: uri }] }));
  const calls = 200_000;
  let hits = 0;
  const start = performance.now();
  for (let call = 0; call < calls; call++) {
    hits += cache.get("bench", uris[(call * 7919) % entries] ?? "") === undefined ? 0 : 1;
  }
  const ns = ((performance.now() - start) * 1e6) / calls;
  if (hits !== calls) {
    throw new Error(`Expected ${calls} hits, got ${hits}`);
  }
  return { ns };
}

/** What many servers as one cost, against budgets. */
export const host: Suite = {
  name: "host",
  description: "a manager of many servers: connecting, merged tools, cached resources",
  async run({ rounds, wants, log }) {
    await using fleet = await startFleet();
    const manager = new Manager({ servers: specs() });
    await manager.connectAll();
    const readTools = async (): Promise<void> => {
      const { length } = await manager.tools();
      if (length !== serverCount * toolCount) {
        throw new Error(`Expected ${serverCount * toolCount} tools, got ${length}`);
      }
    };
    const all: Subject[] = [
      { candidate, work: works.connect, sample: connectOnce },
      { candidate, work: works.tools, sample: sequentialLoop(readTools, { calls: 50_000 }) },
      { candidate, work: works.hit, sample: () => cacheHits(entries) },
      { candidate, work: works.fullHit, sample: () => cacheHits(fullEntries) },
      { candidate, work: works.programs, sample: () => connectPrograms(serverCount) },
      { candidate, work: works.fleet, sample: fleet.sample },
    ];
    const subjects = all.filter(({ work }) => wants(work));
    const measurements: Measurement[] = await interleave(subjects, {
      rounds,
      onRound: (round, of) => log(`round ${round} of ${of}`),
    });
    await manager.close();
    const found = measurements.filter(({ metric }) => metric === "ns");
    const budgets = found.flatMap(({ work, median }): Budget[] => {
      const limit = limits.get(work);
      return limit === undefined ? [] : [{ name: `${work}, ns`, actual: median, limit }];
    });
    const rows = found.map(({ work, median }) => {
      const limit = limits.get(work);
      return [work, formatTime(median), limit === undefined ? "" : formatTime(limit)];
    });
    return {
      tables: [{ title: "many servers as one", columns: ["", "found", "at most"], rows }],
      measurements,
      budgets,
      notes: [],
    };
  },
};
