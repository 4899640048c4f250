import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { inTime, isRecord, unlessAborted } from "@tenon/base";
import type { Transport } from "@tenon/jsonrpc2";
import { ndjsonConnection } from "@tenon/jsonrpc2/stream";

import { CliError, exitCodes, type ErrorKind } from "../exit.ts";
import { LoginMissing } from "../output/missing-login.ts";
import type { Shell } from "../shell.ts";
import { socketPath } from "./socket.ts";
import { readLine, socketStream } from "./stream.ts";

/** Maximum time for the process to start, in milliseconds. */
const startMs = 15_000;
const pollMs = 50;
/** How often a process is started to open one connection. */
const maxAttempts = 3;

/**
 * Whether the process that keeps connections is running.
 *
 * @throws `CliError` if its folder cannot be used.
 */
export async function isDaemonRunning(shell: Shell): Promise<boolean> {
  const path = socketPath(shell);
  try {
    (await dial(path)).destroy();
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts the process that keeps connections, unless it is running.
 *
 * @throws `CliError` if it does not start.
 */
async function ensureDaemon(shell: Shell): Promise<void> {
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
  let failed: string | undefined;
  child.once("error", (error) => {
    failed = error.message;
  });
  // With 0 it has ended because another process keeps connections, which another command started.
  child.once("exit", (code, signal) => {
    failed = code === 0 ? undefined : `It ended with ${signal ?? `code ${code}`}.`;
  });
  for (const deadline = performance.now() + startMs; performance.now() < deadline;) {
    if (await isDaemonRunning(shell)) {
      return;
    }
    if (failed !== undefined) {
      break;
    }
    await delay(pollMs);
  }
  const reason = failed ?? `There is no response at ${socketPath(shell)} after ${startMs} ms.`;
  throw new CliError("connection", `The process that keeps connections did not start. ${reason}`, {
    hint: "tenon daemon shows why",
  });
}

/**
 * Requests a connection from the process that keeps connections. The process is started if it is
 * not running, or was ending.
 */
export async function openKept(shell: Shell, request: object): Promise<Readonly<Record<string, unknown>>> {
  for (let attempt = 1; ; attempt++) {
    await ensureDaemon(shell);
    try {
      return await askDaemon(shell, { action: "open", ...request });
    } catch (error) {
      if (!(error instanceof DaemonEnding) || attempt === maxAttempts) {
        throw error;
      }
    }
    await delay(pollMs);
  }
}

/** Maximum time for a response without work, such as a list, in milliseconds. */
export const quickMs = 2000;
/** Maximum time for the end of connections, in milliseconds. A program may take long to end. */
export const endMs = 15_000;

/**
 * Sends a request to the process that keeps connections, and returns its response.
 *
 * @param limitMs - Maximum time for the response. An interruption ends the wait earlier. By
 *   default there is no limit, because a server may take long to connect to.
 */
export async function askDaemon(
  shell: Shell,
  request: object,
  limitMs?: number,
): Promise<Readonly<Record<string, unknown>>> {
  const path = socketPath(shell);
  const socket = await dial(path).catch((cause: unknown) => {
    throw notKept(cause);
  });
  try {
    const asked = ask(socket, request);
    const limited =
      limitMs === undefined ? asked : inTime(asked, limitMs, { expired: () => tooSlow(limitMs) });
    return await unlessAborted(limited, shell.signal);
  } finally {
    socket.destroy();
  }
}

/** The transport to a kept connection. */
export function keptTransport(shell: Shell, name: string): Transport {
  return {
    async connect() {
      const socket = await dial(socketPath(shell)).catch((cause: unknown) => {
        throw notKept(cause);
      });
      await ask(socket, { action: "attach", name });
      return ndjsonConnection(socketStream(socket));
    },
  };
}

async function dial(path: string): Promise<Socket> {
  const socket = connect(path);
  await once(socket, "connect");
  // Readers detect the failure by the end of the stream.
  socket.on("error", () => {});
  return socket;
}

/**
 * Sends a request and reads its response.
 *
 * @throws {@link DaemonEnding} if the process is ending.
 */
async function ask(socket: Socket, request: object): Promise<Readonly<Record<string, unknown>>> {
  socket.write(`${JSON.stringify(request)}\n`);
  const line = await readLine(socket).catch((cause: unknown) => {
    throw new DaemonEnding("connection", "The process that keeps connections ended.", { cause });
  });
  const value: unknown = JSON.parse(line);
  if (!isRecord(value)) {
    throw new CliError("connection", "The process that keeps connections sent an invalid response.");
  }
  const { error, isEnding, loginScopes } = value;
  if (isRecord(error) && Array.isArray(loginScopes)) {
    throw new LoginMissing(String(error["message"]), loginScopes.map(String));
  }
  if (error !== undefined) {
    // A process of an earlier version sends the message alone.
    const { message, kind, hint } = isRecord(error) ? error : { message: error };
    const isKnown = typeof kind === "string" && kind !== "ok" && Object.hasOwn(exitCodes, kind);
    const failure = isEnding === true ? DaemonEnding : CliError;
    throw new failure(isKnown ? (kind as ErrorKind) : "connection", String(message), {
      hint:
        typeof hint === "string"
          ? hint
          : isKnown
            ? undefined
            : "tenon connections lists the kept connections",
    });
  }
  return value;
}

/** The process ended before it has done anything. */
class DaemonEnding extends CliError {}

function tooSlow(limitMs: number): never {
  throw new CliError("timeout", `The process that keeps connections did not respond within ${limitMs} ms.`, {
    hint: "end the process `tenon daemon`, which the next `tenon connect` starts again",
  });
}

function notKept(cause: unknown): CliError {
  return new CliError("connection", "No connection is kept.", {
    hint: "tenon connect <url, configured name or -- command> --name <name>",
    cause,
  });
}
