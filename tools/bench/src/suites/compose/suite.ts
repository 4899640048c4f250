import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

import { compose } from "@tenon/compose";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { listen } from "@tenon/node";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";

import { formatTime } from "../../format.ts";
import { sequentialLoop } from "../../loops/async.ts";
import { find, interleave, ratio, type Subject } from "../../runner.ts";
import type { Suite } from "../../suite.ts";
import { addInput } from "../mcp/sessions.ts";

const info = { name: "bench", version: "1.0.0" };
const revisions = ["2025-11-25", "2026-07-28"] as const;
const serverCount = 20;
const toolCount = 50;

type Revision = (typeof revisions)[number];

/** What each work is compared with, and how much more CPU time a composition may take. */
const limits: ReadonlyMap<string, readonly [baseline: string, limit: number]> = new Map([
  ["mounted", ["direct", 1.15]],
  ["list", ["direct", 1.2]],
  ["proxied", ["bytes passed on", 1.3]],
]);

function adding(): Server {
  const server = new Server(info);
  server.addTool({ name: "add", input: addInput }, ({ a, b }) => ({
    content: [{ type: "text", text: String(a + b) }],
    structuredContent: { sum: a + b },
  }));
  return server;
}

function listing(count: number, prefix: string): Server {
  const server = new Server(info, { limits: { pageSize: 1000 } });
  for (let index = 0; index < count; index++) {
    const name = `${prefix}${index}`;
    server.addTool({ name, description: `Does ${name}.`, input: addInput }, () => "");
  }
  return server;
}

async function inMemory(server: Server, revision: Revision): Promise<ClientSession> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return new Client(info, { revisions: [revision], cache: false }).connect(here);
}

/** What ends with a run, last first. Node 20 has no `AsyncDisposableStack`. */
interface Closers extends AsyncDisposable {
  defer(close: () => Promise<void>): void;
}

function closers(): Closers {
  const all: (() => Promise<void>)[] = [];
  return {
    defer: (close) => void all.push(close),
    async [Symbol.asyncDispose]() {
      for (const close of all.toReversed()) {
        await close();
      }
    },
  };
}

/** Closes a composition before the servers that it is connected to: it reports a lost server. */
function closed(composition: Server, closing: Closers): Server {
  closing.defer(() => composition.close({ drainMs: 0 }));
  return composition;
}

/** Serves a server over HTTP. @returns The URL. */
async function overHttp(server: Server, closing: Closers): Promise<string> {
  const handler = createStreamableHandler({ getServer: () => server });
  const listening = await listen(handler, { port: 0, host: "127.0.0.1" });
  closing.defer(() => listening.close({ drainMs: 0 }));
  return listening.url.href;
}

/** A proxy that passes on bytes and reads none: the least that a hop costs. @returns Its URL. */
async function bareProxy(url: string, closing: Closers): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const http = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const passed = request(url, { ...(method === undefined ? {} : { method }), headers, agent }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    outgoing.on("close", () => passed.destroy());
    incoming.pipe(passed);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  closing.defer(async () => {
    agent.destroy();
    http.closeAllConnections();
    http.close();
    await once(http, "close");
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}${new URL(url).pathname}`;
}

/** What one server costs behind a composition, against the server itself. */
export const composition: Suite = {
  name: "compose",
  description: "calls and lists through a composition, against the same without it",
  async run({ rounds, wants, log }) {
    await using closing = closers();
    const subjects: Subject[] = [];

    function add(work: string, candidate: string, session: ClientSession, body: "call" | "list"): void {
      closing.defer(() => session.close({ drainMs: 0 }));
      const call = async (index: number): Promise<void> => {
        const { structuredContent } = await session.callTool({
          name: "add",
          arguments: { a: index, b: 1 },
        });
        if ((structuredContent as { sum?: unknown } | undefined)?.sum !== index + 1) {
          throw new Error(`Expected ${index + 1}, got ${JSON.stringify(structuredContent)}`);
        }
      };
      const list = async (): Promise<void> => {
        const { tools } = await session.listTools();
        if (tools.length !== serverCount * toolCount) {
          throw new Error(`Expected ${serverCount * toolCount} tools, got ${tools.length}`);
        }
      };
      const calls = body === "list" ? 40 : work.startsWith("proxied") ? 400 : 4000;
      subjects.push({ candidate, work, sample: sequentialLoop(body === "call" ? call : list, { calls }) });
    }

    for (const revision of revisions) {
      const mounted = `mounted call, ${revision}`;
      if (wants(mounted)) {
        const around = closed(compose({ one: adding() }, { names: "own" }), closing);
        add(mounted, "direct", await inMemory(adding(), revision), "call");
        add(mounted, "compose", await inMemory(around, revision), "call");
      }
      const list = `list of ${serverCount} × ${toolCount} tools, ${revision}`;
      if (wants(list)) {
        const servers = Array.from({ length: serverCount }, (_, index) => [
          `s${index}`,
          listing(toolCount, `tool-${index}-`),
        ]);
        const around = closed(compose(Object.fromEntries(servers) as Record<string, Server>), closing);
        const one = listing(serverCount * toolCount, "mcp__s00__tool-00-");
        add(list, "direct", await inMemory(one, revision), "list");
        add(list, "compose", await inMemory(around, revision), "list");
      }
      const proxied = `proxied call over HTTP, ${revision}`;
      if (wants(proxied)) {
        const url = await overHttp(adding(), closing);
        const sources = { one: () => new StreamableClientTransport(url) };
        const around = closed(compose(sources, { names: "own" }), closing);
        const front = await overHttp(around, closing);
        const client = new Client(info, { revisions: [revision], cache: false });
        const direct = await client.connect(new StreamableClientTransport(url));
        const hop = await client.connect(new StreamableClientTransport(front));
        const bare = await bareProxy(url, closing);
        const passed = await client.connect(new StreamableClientTransport(bare));
        add(proxied, "direct", direct, "call");
        add(proxied, "bytes passed on", passed, "call");
        add(proxied, "compose", hop, "call");
      }
    }
    const measurements = await interleave(subjects, {
      rounds,
      onRound: (round, of) => log(`round ${round} of ${of}`),
    });
    const works = [...new Set(subjects.map(({ work }) => work))];
    const found = works.map((work) => {
      const kind = work.startsWith("list") ? "list" : (work.split(" ")[0] ?? "");
      const [baseline, limit] = limits.get(kind) ?? ["direct", Infinity];
      const own = find(measurements, { candidate: baseline, work, metric: "cpuNs" });
      const composed = find(measurements, { candidate: "compose", work, metric: "cpuNs" });
      const times = own === undefined || composed === undefined ? NaN : ratio(composed, own);
      return { work, baseline, own, composed, times, limit };
    });
    return {
      tables: [
        {
          title: "a composition, against the server itself (CPU time)",
          columns: ["", "against", "its time", "composed", "ratio", "at most"],
          rows: found.map(({ work, baseline, own, composed, times, limit }) => [
            work,
            baseline,
            formatTime(own?.median ?? NaN),
            formatTime(composed?.median ?? NaN),
            `${times.toFixed(2)} ×`,
            `${limit} ×`,
          ]),
        },
      ],
      measurements,
      budgets: found.map(({ work, times, limit }) => ({ name: `${work}, ratio`, actual: times, limit })),
      notes: [],
    };
  },
};
