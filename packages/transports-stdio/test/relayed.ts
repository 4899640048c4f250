import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";

import {
  connectionClosed,
  LocalError,
  type Connection,
  type Incoming,
  type LocalErrorCode,
  type Outgoing,
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
function remoteConnection(child: ChildProcess): Connection & { idle(): Promise<void> } {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  let lastId = 0;
  let closed = false;
  let settled = (): void => {};
  child.on("message", ({ id, value, code, text }: Answer) => {
    const operation = waiting.get(id);
    waiting.delete(id);
    settled();
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
    settled();
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
  const connection = {
    /** Resolves when no operation waits, and none begins in the same turn. */
    async idle() {
      for (;;) {
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
        if (waiting.size === 0) {
          return;
        }
        await new Promise<void>((resolve) => {
          settled = resolve;
        });
      }
    },
    read: async () => (await ask("read").catch(() => {})) as Incoming | undefined,
    write: async (message: Outgoing, options?: { readonly signal?: AbortSignal | undefined }) => {
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
  let started: ReturnType<typeof remoteConnection> | undefined;
  let inject: (text: string) => Promise<void> = () => Promise.resolve();
  const launcher: ProcessLauncher = {
    async launch({ command, args, env }): Promise<LaunchedProcess> {
      const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit", "ipc"] });
      const exited = once(child, "exit").then(([code, signal]) => ({
        code: code as number | null,
        signal: signal as string | null,
      }));
      await once(child, "spawn");
      const remote = remoteConnection(child);
      started = remote;
      const { pid, stdin, stdout } = child;
      if (stdin === null || stdout === null) {
        throw new Error("The child has no pipes.");
      }
      inject = (text) =>
        new Promise((resolve) => {
          stdin.write(`${text}\n`, () => resolve());
        });
      return {
        pid,
        stdin,
        stdout,
        stderr: undefined,
        exited,
        // A busy machine needs longer than the wait for the process to read what was written.
        kill: (signal) => void remote.idle().then(() => child.kill(signal)),
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
      { action: "SIGKILL", waitMs: 60_000 },
    ],
  }).connect();
  if (started === undefined) {
    throw new Error("The launcher was not used.");
  }
  return { left, right: started, inject };
}
