import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";

import { hasRedis, startRedis } from "@tenon/test-support/redis";

import type { Metrics, Subject } from "../../runner.ts";
import { usageOf } from "../../usage.ts";

export const work = "CPU of the nodes for each call";
/** Names by number of nodes. */
export const nodeCounts = { "1 node": 1, "3 nodes": 3 } as const;

const program = fileURLToPath(new URL("programs/node.mjs", import.meta.url));
/** Calls of a sample for each node, and how many are in flight. */
const [callsOfNode, concurrencyOfNode] = [4000, 16];
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
    const started = Array.from({ length: count }, () =>
      fork(program, [path, `${candidate}:`], { execArgv: [] }),
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
    const [calls, concurrency] = [callsOfNode * count, concurrencyOfNode * count];
    const cpuNs = (): number => started.reduce((sum, { pid }) => sum + usageOf(pid ?? -1).cpuNs, 0);
    const sample = async (): Promise<Metrics> => {
      // Nodes close connections that are idle between samples.
      const agent = new Agent({ keepAlive: true });
      let next = 0;
      const before = cpuNs();
      const run = async (): Promise<void> => {
        while (next < calls) {
          const index = next++;
          // Sessions have no affinity: each call of a session goes to the next node in turn.
          const port = ports[Math.floor(index / sessions + index) % count] ?? 0;
          const { text } = await post(agent, port, echo(index + 2), ids[index % sessions]);
          if (!text.includes('"text":"echo"')) {
            throw new Error(`Expected "echo", got ${text}`);
          }
        }
      };
      await Promise.all(Array.from({ length: concurrency }, run));
      const spent = cpuNs() - before;
      agent.destroy();
      return { cpuNs: spent / calls };
    };
    subjects.push({ candidate, work, sample });
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
