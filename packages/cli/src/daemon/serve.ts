import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { isRecord } from "@tenon/base";
import { ndjsonConnection } from "@tenon/jsonrpc2/stream";

import type { Invocation } from "../command/invocation.ts";
import { isDaemonRunning } from "../kept/client.ts";
import { socketPath } from "../kept/socket.ts";
import { readLine, socketStream } from "../kept/stream.ts";
import { describeError } from "../output/error.ts";
import { missingLogin } from "../output/missing-login.ts";
import type { Shell } from "../shell.ts";
import { Keeper } from "./keeper.ts";
import { startLock } from "./start-lock.ts";

/** How long the end waits until the last responses have been read, in milliseconds. */
const drainMs = 2000;

/**
 * Keeps connections and serves them at a socket, until none is left. If another process serves the
 * socket, there is nothing to do.
 */
export async function serveDaemon(invocation: Invocation): Promise<void> {
  const { shell, signal, printer } = invocation;
  const keeper = new Keeper(invocation);
  const replies = new Set<Promise<unknown>>();
  const listener = createServer({ pauseOnConnect: false }, (socket) => {
    socket.on("error", () => {});
    const reply = handle(keeper, socket)
      .catch((error: unknown) =>
        respond(socket, {
          error: describeError(error),
          isEnding: keeper.isEnding,
          loginScopes: missingLogin(error)?.scopes,
        }),
      )
      .finally(() => replies.delete(reply));
    replies.add(reply);
  });
  if (!(await listen(listener, shell))) {
    printer.note("Another process keeps connections already.");
    await keeper.close();
    return;
  }
  await Promise.race([keeper.idle, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
  // The listener removes the file of its socket. A later file of this name is not ours.
  listener.close();
  await keeper.close();
  const limit = new AbortController();
  await Promise.race([
    Promise.allSettled(replies),
    delay(drainMs, undefined, { signal: limit.signal }).catch(() => {}),
  ]);
  limit.abort();
}

/** Listens at the socket of the user. @returns False if another process serves it. */
async function listen(listener: Server, shell: Shell): Promise<boolean> {
  const path = socketPath(shell);
  if (shell.platform === "win32") {
    return opened(listener, path);
  }
  await using _ = await startLock(`${path}.lock`);
  if (await isDaemonRunning(shell)) {
    return false;
  }
  // No process serves it, and no other process starts: a process that was killed has left the file.
  rmSync(path, { force: true });
  const mask = process.umask(0o177);
  try {
    if (!(await opened(listener, path))) {
      return false;
    }
  } finally {
    process.umask(mask);
  }
  chmodSync(path, 0o600);
  return true;
}

async function opened(listener: Server, path: string): Promise<boolean> {
  listener.listen(path);
  try {
    await once(listener, "listening");
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
      return false;
    }
    throw error;
  }
}

/** Sends the response and ends. Settles when the other process has read it, or has gone. */
async function respond(socket: Socket, value: object): Promise<void> {
  if (!socket.destroyed) {
    const closed = once(socket, "close").catch(() => {});
    socket.end(`${JSON.stringify(value)}\n`);
    socket.resume();
    await closed;
  }
}

async function handle(keeper: Keeper, socket: Socket): Promise<void> {
  const request: unknown = JSON.parse(await readLine(socket));
  const { action, name } = isRecord(request) ? request : {};
  if (!isRecord(request) || (action !== "list" && action !== "logout" && typeof name !== "string")) {
    throw new Error("Send an action and a name.");
  }
  switch (action) {
    case "list":
      return respond(socket, { connections: keeper.list() });
    case "login":
      return respond(socket, keeper.loginOf(String(name)));
    case "logout": {
      const { url, profile } = request;
      return respond(socket, {
        names: await keeper.endLogin({ url: String(url), profile: String(profile) }),
      });
    }
    case "open":
      return respond(socket, await keeper.open(request as never));
    case "close":
      await keeper.end(String(name));
      return respond(socket, { name });
    case "attach": {
      const server = keeper.attach(String(name), socket);
      socket.write(`${JSON.stringify({ name })}\n`);
      await server.connect({ connect: () => Promise.resolve(ndjsonConnection(socketStream(socket))) });
      return undefined;
    }
    default:
      throw new Error(`There is no action ${JSON.stringify(action)}.`);
  }
}
