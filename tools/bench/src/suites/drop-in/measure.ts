import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

import type { Metrics } from "../../runner.ts";
import { usageOf } from "../../usage.ts";

type Child = ChildProcessByStdio<Writable, Readable, null>;

const callsPerSample = 4000;
const postsPerSample = 400;
const sessionsPerSample = 300;

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "bench", version: "1.0.0" },
};

function start(file: string, ...args: readonly string[]): Child {
  return spawn(process.execPath, ["--expose-gc", file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
}

const messageOf = (id: number, method: string, params: object): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

async function end(child: Child): Promise<void> {
  const ended = once(child, "close");
  child.kill();
  await ended;
}

/** The time of a call, and the CPU time of the server for it. */
async function perCall(child: Child, count: number, work: () => Promise<void>): Promise<Metrics> {
  const pid = child.pid ?? 0;
  const before = usageOf(pid).cpuNs;
  const started = performance.now();
  await work();
  const ns = ((performance.now() - started) * 1e6) / count;
  return { ns, cpuNs: (usageOf(pid).cpuNs - before) / count };
}

/** Resolves when a server has sent `count` lines. `onLine` is called for each. */
function lines(child: Child, count: number, onLine: () => void): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const reader = createInterface({ input: child.stdout });
    reader.on("line", () => {
      onLine();
      if (++seen === count) {
        reader.close();
        resolve();
      }
    });
  });
}

async function calls(child: Child, count: number): Promise<void> {
  let sent = 0;
  const send = (): void => {
    if (sent < count) {
      sent++;
      child.stdin.write(messageOf(sent, "tools/call", { name: "add", arguments: { a: sent, b: 1 } }));
    }
  };
  const done = lines(child, count, send);
  for (let i = 0; i < 64; i++) {
    send();
  }
  await done;
}

/** The time of a call over stdio. */
export async function callsOverStdio(file: string): Promise<Metrics> {
  const child = start(file, "stdio");
  const ready = lines(child, 1, () => {});
  child.stdin.write(messageOf(0, "initialize", initialize));
  await ready;
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  await calls(child, 1000);
  const measured = await perCall(child, callsPerSample, () => calls(child, callsPerSample));
  await end(child);
  return measured;
}

/** The time of a call over HTTP, without a session. */
export async function callsOverHttp(file: string): Promise<Metrics> {
  const child = start(file, "http");
  const [port] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const post = async (id: number): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
      },
      body: messageOf(id, "tools/call", { name: "add", arguments: { a: id, b: 1 } }),
    });
    const text = await response.text();
    if (!text.includes('"text"')) {
      throw new Error(`Expected a result of the tool, got ${text}`);
    }
  };
  const posts = async (count: number): Promise<void> => {
    let sent = 0;
    const lane = async (): Promise<void> => {
      while (sent < count) {
        await post(++sent);
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
  };
  await posts(1000);
  const measured = await perCall(child, postsPerSample, () => posts(postsPerSample));
  await end(child);
  return measured;
}

/** The time from the start of the process to its first response. */
export async function startToAnswer(file: string): Promise<Metrics> {
  const started = performance.now();
  const child = start(file, "stdio");
  const ready = lines(child, 1, () => {});
  child.stdin.write(messageOf(0, "initialize", initialize));
  await ready;
  const ns = (performance.now() - started) * 1e6;
  await end(child);
  return { ns };
}

/** The heap of an idle session. */
export async function heapOfIdle(file: string): Promise<Metrics> {
  const child = start(file, "idle", String(sessionsPerSample));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  await end(child);
  return { bytes: Number(line.split(" ")[0]) };
}
