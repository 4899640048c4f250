import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request, Agent } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import type { Subject } from "../../runner.ts";
import { cli } from "./program.ts";

/** The works, and how many messages an exchange of each has. */
export const tapWorks = {
  stdio: "an exchange over standard input and output",
  http: "an exchange over HTTP",
} as const;

/** A request and its response. */
export const messagesOfExchange = 2;

const exchanges = 2000;
const echo = fileURLToPath(new URL("programs/echo.mjs", import.meta.url));
const question =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}\n';
const answer = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"ok"}]}}';

/** Something that is asked one question after the other. */
interface Asked extends AsyncDisposable {
  ask(): Promise<void>;
}

function subject(candidate: string, work: string, asked: Asked): Subject {
  return {
    candidate,
    work,
    async sample() {
      const started = performance.now();
      for (let index = 0; index < exchanges; index++) {
        await asked.ask();
      }
      return { ns: ((performance.now() - started) * 1e6) / exchanges };
    },
  };
}

function program(args: readonly string[]): Asked {
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  let arrived = (): void => {};
  child.stdout.on("data", () => arrived());
  return {
    ask() {
      const answered = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      child.stdin.write(question);
      return answered;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.stdin.end();
      setTimeout(() => child.kill(), 2000).unref();
      await exited;
    },
  };
}

function address(url: string, agent: Agent): Asked["ask"] {
  return () =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(question) };
      const sent = request(url, { method: "POST", agent, headers }, (response) => {
        response.resume().on("end", resolve).on("error", reject);
      });
      sent.on("error", reject).end(question);
    });
}

/** The tap of an address, in a process of its own. @returns Its address, and its end. */
async function tapOf(url: string, folder: string): Promise<{ url: string; end: () => Promise<void> }> {
  const args = [cli, "tap", url, "--http", "--out", join(folder, "http.jsonl")];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const end = async (): Promise<void> => {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    };
    return { url: line, end };
  }
  throw new Error("The tap ended before it had an address.");
}

/** What a tap is compared with: the same conversation without it. */
export async function tapSubjects(): Promise<{ subjects: readonly Subject[]; end: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-bench-tap-"));
  const out = join(folder, "stdio.jsonl");
  const http = createServer((incoming, outgoing) => {
    incoming.resume().on("end", () => {
      outgoing.writeHead(200, { "content-type": "application/json" }).end(answer);
    });
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const tap = await tapOf(url, folder);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const direct = program([echo]);
  const tapped = program([cli, "tap", "--out", out, "--", process.execPath, echo]);
  const none = { [Symbol.asyncDispose]: () => Promise.resolve() };
  return {
    subjects: [
      subject("direct", tapWorks.stdio, direct),
      subject("tap", tapWorks.stdio, tapped),
      subject("direct", tapWorks.http, { ask: address(url, agent), ...none }),
      subject("tap", tapWorks.http, { ask: address(tap.url, agent), ...none }),
    ],
    async end() {
      agent.destroy();
      await Promise.all([direct[Symbol.asyncDispose](), tapped[Symbol.asyncDispose](), tap.end()]);
      http.closeAllConnections();
      http.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
