import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";

import { hasRedis, startRedis } from "@tenon/test-support/redis";

import type { Metrics, Subject } from "../../runner.ts";
import { exactCpuOf } from "../../usage.ts";

/** Calls of each node in a second, far below the most that it can serve. */
const pace = 600;
export const works = {
  paced: `CPU of the nodes for each call, ${pace} calls per second and node`,
  full: "CPU of the nodes for each call, 16 calls of each node at a time",
} as const;
/** Names by number of nodes. The last one shares nothing: it shows what the machine costs. */
export const nodeCounts = { "1 node": 1, "3 nodes": 3, "3 nodes apart": 3 } as const;

const program = fileURLToPath(new URL("programs/node.mjs", import.meta.url));
/** Calls of a sample for each node, and how many are in flight. */
const [callsOfNode, concurrencyOfNode] = [4000, 16];
/** Calls of a sample for each node at a steady pace. */
const pacedCalls = 1500;
const sessions = 30;

interface Posted {
  readonly text: string;
  readonly session: string;
}

/** Sends one message to a node. */
function post(agent: Agent, port: number, text: string, session?: string): Promise<Posted> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
    ...(session === undefined ? {} : { "mcp-session-id": session }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(
      { port, host: "127.0.0.1", path: "/mcp", method: "POST", headers, agent },
      (response) => {
        let received = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
        response.on("end", () =>
          resolve({ text: received, session: String(response.headers["mcp-session-id"] ?? session) }),
        );
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(text);
  });
}

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1.0.0" },
  },
});
const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const echo = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{}}}`;

/** Starts nodes on one Redis server. @returns Takes samples, and ends all of it. */
export async function startNodes(): Promise<{ subjects: Subject[]; close(): Promise<void> }> {
  if (!hasRedis) {
    return { subjects: [], close: () => Promise.resolve() };
  }
  const server = await startRedis();
  const path = "path" in server.target ? (server.target.path ?? "") : "";
  const children: ReturnType<typeof fork>[] = [];
  const subjects: Subject[] = [];
  for (const [candidate, count] of Object.entries(nodeCounts)) {
    const ports: number[] = [];
    const isApart = candidate.endsWith("apart");
    const started = Array.from({ length: count }, (_, index) =>
      fork(program, [path, isApart ? `${candidate} ${index}:` : `${candidate}:`], { execArgv: [] }),
    );
    children.push(...started);
    for (const child of started) {
      const [{ port }] = (await once(child, "message")) as [{ port: number }];
      ports.push(port);
    }
    const ids: string[] = [];
    const opening = new Agent({ keepAlive: true });
    for (let index = 0; index < sessions; index++) {
      const { session } = await post(opening, ports[index % count] ?? 0, initialize);
      await post(opening, ports[index % count] ?? 0, initialized, session);
      ids.push(session);
    }
    opening.destroy();
    const call = async (agent: Agent, index: number): Promise<void> => {
      // Sessions of nodes that share have no affinity: each call goes to the next node in turn.
      const turn = isApart ? index : Math.floor(index / sessions + index);
      const port = ports[turn % count] ?? 0;
      const { text } = await post(agent, port, echo(index + 2), ids[index % sessions]);
      if (!text.includes('"text":"echo"')) {
        throw new Error(`Expected "echo", got ${text}`);
      }
    };
    const cpuNs = (): number => started.reduce((sum, { pid }) => sum + exactCpuOf(pid ?? -1), 0);
    const subject = (
      work: string,
      run: (call: (index: number) => Promise<void>) => Promise<number>,
    ): Subject => ({
      candidate,
      work,
      async sample(): Promise<Metrics> {
        // Nodes close connections that are idle between samples.
        const agent = new Agent({ keepAlive: true });
        const before = cpuNs();
        const calls = await run((index) => call(agent, index));
        const spent = cpuNs() - before;
        agent.destroy();
        return { cpuNs: spent / calls };
      },
    });
    subjects.push(
      subject(works.paced, (each) => paced(each, pacedCalls * count, pace * count)),
      subject(works.full, (each) => full(each, callsOfNode * count, concurrencyOfNode * count)),
    );
  }
  return {
    subjects,
    async close() {
      for (const child of children) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Makes calls as fast as the nodes can serve them. @returns Their number. */
async function full(
  call: (index: number) => Promise<void>,
  calls: number,
  concurrency: number,
): Promise<number> {
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < calls) {
      await call(next++);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, run));
  return calls;
}

/**
 * Makes calls at a steady pace. A busy node handles many calls in one turn of its event loop, so
 * its CPU time for a call depends on its load. Here the load is the same for any number of nodes.
 *
 * @returns Their number.
 */
async function paced(
  call: (index: number) => Promise<void>,
  calls: number,
  perSecond: number,
): Promise<number> {
  const begun = performance.now();
  const all: Promise<void>[] = [];
  while (all.length < calls) {
    const due = Math.min(calls, ((performance.now() - begun) / 1000) * perSecond);
    while (all.length < due) {
      all.push(call(all.length));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(all);
  return calls;
}
