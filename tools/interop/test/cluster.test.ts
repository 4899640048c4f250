import { Client, type ClientOptions, type ClientSession } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { afterAll, expect, onTestFinished, test } from "vitest";

import { startChild, type ChildNode } from "./cluster/child.ts";
import { startCluster, type Cluster } from "./cluster/cluster.ts";
import { startNode, type Node } from "./cluster/node.ts";
import { kinds, stopServers, type SharedStores } from "./cluster/stores.ts";

/**
 * `TENON_CLUSTER=full` runs the sizes of the trials that `docs/deployment.md` reports. Every node
 * is a process then, where the store allows it; in the tests only nodes that are killed are.
 */
const isFull = process.env["TENON_CLUSTER"] === "full";
const size = (small: number, full: number): number => (isFull ? full : small);
const report = (text: string): void => (isFull ? console.log(text) : undefined);

afterAll(stopServers);

async function storesOf(kind: string): Promise<SharedStores> {
  const shared = await (kinds[kind] as NonNullable<(typeof kinds)[string]>)();
  onTestFinished(() => shared[Symbol.asyncDispose]());
  return shared;
}

async function start(kind: string): Promise<Cluster> {
  const { place, connect } = await storesOf(kind);
  const cluster = await startCluster<Node>(async () =>
    isFull && place !== undefined ? startChild(place) : startNode(await connect()),
  );
  onTestFinished(() => cluster[Symbol.asyncDispose]());
  return cluster;
}

async function connect(
  url: URL,
  options: Partial<ClientOptions> = {},
  revision: (typeof bothEras)[number] = legacyRevision,
): Promise<ClientSession> {
  const client = new Client(
    { name: "client", version: "1.0.0" },
    {
      revisions: [revision],
      elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
      onError: () => {},
      ...options,
    },
  );
  const session = await client.connect(
    new StreamableClientTransport(url, { eras: false, reconnect: { initialDelayMs: 20, maxDelayMs: 200 } }),
  );
  onTestFinished(() => client.close());
  return session;
}

const all = Object.keys(kinds);
const withServer = ["redis", "postgres"];
const name = (title: string): string => `${title} (%s, skipped without a server)`;
const trial = (title: string, chosen: readonly string[], run: (kind: string) => Promise<void>): void => {
  for (const kind of chosen) {
    test.skipIf(kinds[kind] === undefined)(name(title).replace("%s", kind), () => run(kind));
  }
};

trial("T-120: three nodes without affinity serve every call of every session", all, async (kind) => {
  const cluster = await start(kind);
  const [sessions, calls] = [size(6, 500), size(9, 100)];
  const started = performance.now();
  const opened: ClientSession[] = [];
  for (let index = 0; index < sessions; index++) {
    opened.push(await connect(cluster.url));
  }
  const failures: unknown[] = [];
  await Promise.all(
    opened.map(async (session) => {
      for (let index = 0; index < calls; index++) {
        await session.callTool({ name: "echo" }).catch((error: unknown) => failures.push(error));
      }
    }),
  );
  expect(failures).toEqual([]);
  const seconds = (performance.now() - started) / 1000;
  report(`T-120 ${kind}: ${sessions} x ${calls} calls, 0 errors, ${seconds.toFixed(1)} s`);
});

trial("T-121: an answer that arrives at another node reaches the handler that asked", all, async (kind) => {
  const cluster = await start(kind);
  const session = await connect(cluster.url);
  const times: number[] = [];
  for (let index = 0; index < size(4, 200); index++) {
    const before = performance.now();
    expect(await session.callTool({ name: "ask" })).toMatchObject({ content: [{ text: "accept" }] });
    times.push(performance.now() - before);
  }
  times.sort((one, other) => one - other);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(1);
  report(`T-121 ${kind}: a call with a question p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
});

trial(
  "T-122: streams of a process that is killed are resumed at others, each event once",
  withServer,
  async (kind) => {
    const { place } = await storesOf(kind);
    const streams = size(5, 200);
    const written = Array.from({ length: streams }, () => 0);
    const cluster = await startCluster<ChildNode>(() =>
      startChild(place as NonNullable<typeof place>, (stream, step) => (written[stream] = step)),
    );
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    const [owner] = cluster.nodes as [ChildNode];
    const others = cluster.nodes.slice(1);
    const clients: { readonly session: ClientSession; readonly heard: number[] }[] = [];
    for (let index = 0; index < streams; index++) {
      const heard: number[] = [];
      const session = await connect(cluster.url, { onLog: ({ data }) => void heard.push(Number(data)) });
      await session.setLogLevel("info");
      clients.push({ session, heard });
    }
    others.forEach((node) => (node.isReady = false));
    const calls = clients.map(({ session }, stream) =>
      session.callTool({ name: "flow", arguments: { stream } }).then(
        () => "done",
        (error: Error) => error.message,
      ),
    );
    await expect.poll(() => clients.every(({ heard }) => heard.length >= 3)).toBe(true);
    others.forEach((node) => (node.isReady = true));
    owner.isReady = false;
    const killed = performance.now();
    owner.child.kill("SIGKILL");
    const outcomes = await Promise.all(calls);
    const seconds = (performance.now() - killed) / 1000;
    expect(new Set(outcomes)).toEqual(new Set([expect.stringContaining("has ended")]));
    for (const [stream, { heard }] of clients.entries()) {
      expect(heard).toEqual(heard.map((_, index) => index + 1));
      expect(heard.length).toBeGreaterThanOrEqual(written[stream] ?? 0);
    }
    for (const { session } of clients) {
      expect(await session.callTool({ name: "echo" })).toMatchObject({ content: [{ text: "echo" }] });
    }
    const events = clients.reduce((sum, { heard }) => sum + heard.length, 0);
    report(
      `T-122 ${kind}: the process of ${streams} streams killed, ${events} events, 0 lost, 0 twice; all resumed and ended in ${seconds.toFixed(2)} s`,
    );
  },
);

trial("T-123: without the bus calls go on, and one change is announced after", withServer, async (kind) => {
  for (const revision of bothEras) {
    const cluster = await start(kind);
    const heard: number[] = [];
    const session = await connect(cluster.url, { onToolsChanged: () => void heard.push(0) }, revision);
    const [first] = cluster.nodes as [Node];
    first.change();
    await expect.poll(() => heard.length).toBe(1);
    cluster.nodes.forEach((node) => node.stop("bus", "stop"));
    const until = performance.now() + size(0, 30_000);
    do {
      expect(await session.callTool({ name: "echo" })).toMatchObject({ content: [{ text: "echo" }] });
    } while (performance.now() < until);
    heard.length = 0;
    cluster.nodes.forEach((node) => node.restore());
    await expect.poll(() => heard.length).toBe(1);
    report(`T-123 ${kind} ${revision}: calls went on, ${heard.length} change after`);
  }
});

trial(
  "T-123: a change of a node whose messages to the bus get lost is announced by all nodes after",
  withServer,
  async (kind) => {
    const cluster = await start(kind);
    const [first] = cluster.nodes as [Node];
    const heard = [0, 0, 0];
    for (const index of heard.keys()) {
      const onToolsChanged = (): void => {
        heard[index] = (heard[index] ?? 0) + 1;
      };
      await connect(cluster.url, { onToolsChanged }, "2026-07-28");
    }
    first.change();
    await expect.poll(() => heard).toEqual([1, 1, 1]);
    first.stop("bus", "drop");
    first.change();
    // Only the clients of this node learn it.
    await expect.poll(() => heard.reduce((sum, count) => sum + count, 0)).toBe(4);
    first.restore();
    await expect.poll(() => heard.every((count) => count >= 2)).toBe(true);
  },
);

for (const how of ["stop", "drop"] as const) {
  const failure = how === "stop" ? "connections are cut" : "bytes get lost";
  trial(
    `T-124: without the store sessions are refused, and stateless calls served, when ${failure}`,
    withServer,
    async (kind) => {
      const cluster = await start(kind);
      const modern = await connect(cluster.url, {}, "2026-07-28");
      const session = await connect(cluster.url);
      cluster.nodes.forEach((node) => node.stop("all", how));
      const until = performance.now() + size(0, 10_000);
      let calls = 0;
      do {
        await expect(connect(cluster.url)).rejects.toThrow();
        expect(await modern.callTool({ name: "echo" })).toMatchObject({ content: [{ text: "echo" }] });
        calls++;
      } while (performance.now() < until);
      cluster.nodes.forEach((node) => node.restore());
      await expect
        .poll(() => session.callTool({ name: "echo" }).catch(() => undefined))
        .toMatchObject({ content: [{ text: "echo" }] });
      report(`T-124 ${kind} ${how}: ${calls} sessions refused, ${calls} stateless calls served`);
    },
  );
}

trial("T-125: a rolling deploy of all nodes fails no call", all, async (kind) => {
  const cluster = await start(kind);
  const sessions = await Promise.all(
    [...bothEras, ...bothEras].map((revision) => connect(cluster.url, {}, revision)),
  );
  const perSecond = size(100, 300);
  // On a machine that is slower than the pace, more calls would wait for the store for too long.
  const maxRunning = size(16, 300);
  const load = { isOver: false };
  const failures: unknown[] = [];
  let count = 0;
  const loaded = (async () => {
    const began = performance.now();
    const running = new Set<Promise<unknown>>();
    while (!load.isOver) {
      while (running.size < maxRunning && count < ((performance.now() - began) / 1000) * perSecond) {
        const call = (sessions[count++ % sessions.length] as ClientSession)
          .callTool({ name: count % 10 === 0 ? "ask" : "echo" })
          .catch((error: unknown) => failures.push(error))
          .finally(() => running.delete(call));
        running.add(call);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(running);
  })();
  for (const node of cluster.nodes.slice()) {
    const seen = count;
    await expect.poll(() => count, { interval: 5 }).toBeGreaterThan(seen + size(10, 600));
    await cluster.add();
    await cluster.retire(node);
  }
  load.isOver = true;
  await loaded;
  expect(failures).toEqual([]);
  report(`T-125 ${kind}: ${count} calls at ${perSecond}/s during three replacements, 0 failed`);
});
