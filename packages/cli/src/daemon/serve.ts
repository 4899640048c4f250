import { once } from "node:events";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";

import { ndjsonConnection } from "@tenon/jsonrpc2/stream";
import { isRecord } from "@tenon/jsonrpc2/transport";

import type { Invocation } from "../command/invocation.ts";
import { messageOf } from "../output/escape.ts";
import { Keeper } from "./keeper.ts";
import { socketPath } from "./socket.ts";
import { readLine, socketStream } from "./stream.ts";

/** Keeps connections and serves them at a socket, until none is left. */
export async function serveDaemon(invocation: Invocation): Promise<void> {
  const { shell, signal } = invocation;
  const path = socketPath(shell);
  const keeper = new Keeper(invocation);
  const listener = createServer({ pauseOnConnect: false }, (socket) => {
    socket.on("error", () => {});
    handle(keeper, socket).catch((error: unknown) => {
      socket.end(`${JSON.stringify({ error: messageOf(error) })}\n`);
    });
  });
  if (shell.platform !== "win32") {
    // A socket of a process that was killed. A process that still runs has been dialed before.
    rmSync(path, { force: true });
  }
  const mask = process.umask(0o177);
  try {
    listener.listen(path);
    await once(listener, "listening");
  } finally {
    process.umask(mask);
  }
  if (shell.platform !== "win32") {
    chmodSync(path, 0o600);
  }
  await Promise.race([keeper.idle, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
  listener.close();
  await keeper.close();
  if (shell.platform !== "win32") {
    rmSync(path, { force: true });
  }
}

async function handle(keeper: Keeper, socket: Socket): Promise<void> {
  const request: unknown = JSON.parse(await readLine(socket));
  const { action, name } = isRecord(request) ? request : {};
  if (!isRecord(request) || (action !== "list" && typeof name !== "string")) {
    throw new Error("Send an action and a name.");
  }
  const reply = (value: object): void => void socket.write(`${JSON.stringify(value)}\n`);
  switch (action) {
    case "list":
      reply({ connections: keeper.list() });
      break;
    case "open":
      reply(await keeper.open(request as never));
      break;
    case "close":
      await keeper.end(String(name));
      reply({ name });
      break;
    case "attach": {
      const server = keeper.attach(String(name), socket);
      reply({ name });
      await server.connect({ connect: () => Promise.resolve(ndjsonConnection(socketStream(socket))) });
      break;
    }
    default:
      throw new Error(`There is no action ${JSON.stringify(action)}.`);
  }
}
