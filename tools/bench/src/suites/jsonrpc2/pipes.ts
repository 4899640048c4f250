import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";

import { Peer } from "@tenon/jsonrpc2";
import { CommandTransport } from "@tenon/transports-stdio/client";
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";

import { method, paramsOf, type Caller } from "./work.ts";

const argsOf = (name: string): string[] => [
  ...process.execArgv,
  fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url)),
];

function start(name: string, ...args: string[]): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, [...argsOf(name), ...args], { stdio: ["pipe", "pipe", "inherit"] });
}

/** Members that every message carries besides: of the params, and of the result. */
export interface Envelope {
  readonly params: object;
  readonly result: object;
}

/**
 * Lines in, lines out, and a table of who waits for what. `batched` writes the calls of one turn
 * together.
 */
export function raw(name: string, batched: boolean, envelope?: Envelope): Caller {
  const child = start("raw", JSON.stringify(envelope?.result ?? {}));
  const waiting = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  let rest = "";
  let pending = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { id, result } = JSON.parse(line) as { id: number; result: unknown };
      waiting.get(id)?.(result);
      waiting.delete(id);
    }
  });
  const write = (line: string): void => {
    if (!batched) {
      child.stdin.write(line);
      return;
    }
    if (pending === "") {
      process.nextTick(() => {
        child.stdin.write(pending);
        pending = "";
      });
    }
    pending += line;
  };
  return {
    name,
    pid: child.pid,
    call: (index) =>
      new Promise((resolve) => {
        waiting.set(++lastId, resolve);
        const params = { ...paramsOf(index), ...envelope?.params };
        write(`${JSON.stringify({ jsonrpc: "2.0", id: lastId, method, params })}\n`);
      }),
    close: () => void child.stdin.end(),
  };
}

async function tenon(): Promise<Caller> {
  const connection = await new CommandTransport({
    command: process.execPath,
    args: argsOf("tenon"),
    inheritEnv: "all",
  }).connect();
  const peer = new Peer(connection);
  return {
    name: "tenon",
    pid: connection.pid,
    call: (index) => peer.call(method, paramsOf(index)),
    close: () => peer.close(),
  };
}

function vscode(): Caller {
  const child = start("vscode");
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  return {
    name: "vscode-jsonrpc",
    pid: child.pid,
    call: (index) => connection.sendRequest(method, paramsOf(index)),
    close: () => {
      connection.end();
      child.kill();
    },
  };
}

/** The server as a child process. */
export async function pipeCallers(): Promise<Caller[]> {
  return [raw("raw", false), raw("raw, one write per turn", true), await tenon(), vscode()];
}
