import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import type { Transport } from "@tenon/jsonrpc2";
import { ndjsonConnection } from "@tenon/jsonrpc2/stream";
import { isRecord } from "@tenon/jsonrpc2/transport";

import { CliError } from "../exit.ts";
import type { Shell } from "../shell.ts";
import { socketPath } from "./socket.ts";
import { readLine, socketStream } from "./stream.ts";

/** Maximum time for the process to start, in milliseconds. */
const startMs = 15_000;
const pollMs = 50;

/** Whether the process that keeps connections is running. */
export async function isDaemonRunning(shell: Shell): Promise<boolean> {
  try {
    (await dial(shell)).destroy();
    return true;
  } catch {
    return false;
  }
}

/** Starts the process that keeps connections, unless it is running. */
export async function ensureDaemon(shell: Shell): Promise<void> {
  if (await isDaemonRunning(shell)) {
    return;
  }
  const [command, ...args] = shell.self;
  const child = spawn(command, [...args, "daemon"], {
    detached: true,
    stdio: "ignore",
    env: shell.env,
    cwd: shell.home,
  });
  child.unref();
  for (const deadline = performance.now() + startMs; performance.now() < deadline;) {
    if (await isDaemonRunning(shell)) {
      return;
    }
    await delay(pollMs);
  }
  throw new CliError("connection", "The process that keeps connections did not start.", {
    hint: "tenon daemon shows why",
  });
}

/** Sends a request to the process that keeps connections, and returns its response. */
export async function askDaemon(shell: Shell, request: object): Promise<Readonly<Record<string, unknown>>> {
  const socket = await dial(shell).catch((cause: unknown) => {
    throw notKept(cause);
  });
  try {
    socket.write(`${JSON.stringify(request)}\n`);
    return response(await readLine(socket));
  } finally {
    socket.destroy();
  }
}

/** The transport to a kept connection. */
export function keptTransport(shell: Shell, name: string): Transport {
  return {
    async connect() {
      const socket = await dial(shell).catch((cause: unknown) => {
        throw notKept(cause);
      });
      socket.write(`${JSON.stringify({ action: "attach", name })}\n`);
      response(await readLine(socket));
      return ndjsonConnection(socketStream(socket));
    },
  };
}

async function dial(shell: Shell): Promise<Socket> {
  const socket = connect(socketPath(shell));
  await once(socket, "connect");
  return socket;
}

function response(line: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) {
    throw new CliError("connection", "The process that keeps connections sent an invalid response.");
  }
  const { error } = value;
  if (typeof error === "string") {
    throw new CliError("connection", error, { hint: "tenon connections lists the kept connections" });
  }
  return value;
}

function notKept(cause: unknown): CliError {
  return new CliError("connection", "No connection is kept.", {
    hint: "tenon connect <target> --name <name>",
    cause,
  });
}
