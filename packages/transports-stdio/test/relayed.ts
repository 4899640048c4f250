import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

import {
  connectionClosed,
  LocalError,
  type Connection,
  type Incoming,
  type LocalErrorCode,
} from "@tenon/jsonrpc2";
import type { ConnectedPair } from "@tenon/jsonrpc2/testing";

import { CommandTransport, type LaunchedProcess, type ProcessLauncher } from "../src/index.ts";

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly code?: string;
  readonly text?: string;
}

/**
 * The far end of a pair: a connection inside the child, operated from here. When the process is
 * over, so is the connection.
 */
function remoteConnection(child: ChildProcess): Connection {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  let lastId = 0;
  let closed = false;
  child.on("message", ({ id, value, code, text }: Answer) => {
    const operation = waiting.get(id);
    waiting.delete(id);
    if (code === undefined) {
      operation?.resolve(value);
    } else {
      operation?.reject(
        code === "OTHER" ? new Error(text) : new LocalError(code as LocalErrorCode, text ?? ""),
      );
    }
  });
  child.on("disconnect", () => {
    for (const { reject } of waiting.values()) {
      reject(connectionClosed());
    }
    waiting.clear();
  });
  function ask(operation: string, message?: unknown): Promise<unknown> {
    if (!child.connected) {
      return Promise.reject(connectionClosed());
    }
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      child.send(
        { id, operation, message },
        (error) => error !== null && reject(connectionClosed(undefined, { cause: error })),
      );
    });
  }
  const connection: Connection = {
    read: async () => (await ask("read").catch(() => {})) as Incoming | undefined,
    write: async (message, options) => {
      if (closed) {
        throw connectionClosed();
      }
      const aborted = new Promise((_resolve, reject) => {
        options?.signal?.addEventListener("abort", () => reject(options.signal?.reason));
      });
      await Promise.race([ask("write", message), aborted]);
    },
    async close() {
      closed = true;
      await ask("close").catch(() => {});
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
  return connection;
}

/**
 * A pair over real pipes: `left` is a {@link CommandTransport}'s end, `right` a `StdioTransport`'s
 * inside the child that it started.
 */
export async function relayedPair(
  relay: string,
): Promise<ConnectedPair & { inject(text: string): Promise<void> }> {
  let started: ChildProcess | undefined;
  const launcher: ProcessLauncher = {
    async launch({ command, args, env }): Promise<LaunchedProcess> {
      const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit", "ipc"] });
      const exited = once(child, "exit").then(([code, signal]) => ({
        code: code as number | null,
        signal: signal as string | null,
      }));
      await once(child, "spawn");
      started = child;
      const { pid, stdin, stdout } = child;
      if (stdin === null || stdout === null) {
        throw new Error("The child has no pipes.");
      }
      return {
        pid,
        stdin,
        stdout,
        stderr: undefined,
        exited,
        kill: (signal) => void child.kill(signal),
        alive: () => child.exitCode === null && child.signalCode === null,
      };
    },
  };
  const left = await new CommandTransport({
    command: process.execPath,
    args: [relay],
    launcher,
    limits: { maxMessageBytes: 64 * 1024 * 1024 },
    shutdown: [
      { action: "close-stdin", waitMs: 1000 },
      { action: "SIGKILL", waitMs: 1000 },
    ],
  }).connect();
  const child = started;
  if (child === undefined) {
    throw new Error("The launcher was not used.");
  }
  return {
    left,
    right: remoteConnection(child),
    inject: (text) =>
      new Promise((resolve) => {
        child.stdin?.write(`${text}\n`, () => resolve());
      }),
  };
}
