import { once } from "node:events";
import { chmodSync, statSync } from "node:fs";
import type { Server } from "node:http";

import { checkOptionNames } from "@tenon/base";
import { socketUrl } from "@tenon/http/socket";

import { listenerOf, type NodeListenerOptions } from "../listener.ts";
import { createHttpServer, listeningOf, type Listening, type ListeningHandler } from "../listening.ts";
import { createOpenResponses } from "../open-responses.ts";
import { freeSocket } from "./free-socket.ts";

/** Options of {@link listenOnSocket}. */
export interface SocketListenOptions extends NodeListenerOptions {
  /**
   * The permissions of the socket: `0o660` also admits the group. Has no effect on Windows, where
   * only the user and administrators may connect. Default: `0o600`, only the user of this process.
   */
  readonly mode?: number | undefined;
  /**
   * Called with errors of the `node:http` server, such as a connection that it cannot accept.
   * Default: `console.error`; `() => {}` silences it.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Starts a `node:http` server for a handler on a Unix socket or a Windows named pipe. Neither other
 * machines nor web pages can reach it, and by default no other user of this machine.
 *
 * A socket of this user on which no process listens is replaced. `close` removes the socket.
 * Clients name the host `localhost`: if the handler has `allowedHosts`, they must contain it.
 *
 * @example
 * const handler = createStreamableHandler({ getServer: () => server });
 * const listening = await listenOnSocket(handler, "/run/user/1000/notes.sock");
 * console.log(listening.url.href); // http+unix://%2Frun%2Fuser%2F1000%2Fnotes.sock/mcp
 *
 * @param socket - The absolute path of the socket, or `\\.\pipe\name` on Windows.
 * @throws If the socket is in use, another file has its path, all users may replace it, or its
 *   permissions cannot be set. `TypeError` for a socket whose path is relative or longer than the
 *   system allows, for a `path` that does not begin with a slash or contains a query, and for an
 *   option that does not exist.
 */
export async function listenOnSocket(
  handler: ListeningHandler,
  socket: string,
  options: SocketListenOptions = {},
): Promise<Listening> {
  const { mode = 0o600, path = "/mcp", routes, onError } = options;
  checkOptionNames("listenOnSocket", options, "path routes mode onError");
  if (!Number.isInteger(mode) || mode < 0 || mode > 0o777) {
    throw new TypeError(`mode must be permissions such as 0o660; got ${String(mode)}.`);
  }
  const url = socketUrl(socket, path);
  const routed = createOpenResponses();
  const http = createHttpServer(listenerOf(handler, { path, routes }, routed.add));
  if (process.platform === "win32") {
    http.listen({ path: socket, exclusive: true });
    await once(http, "listening");
  } else {
    await freeSocket(socket);
    bindWith(mode, () => http.listen({ path: socket, exclusive: true }));
    try {
      await restrict(http, socket, mode);
    } catch (error) {
      http.close();
      throw error;
    }
  }
  return listeningOf({ http, handler, url, onError, routed });
}

/**
 * Creates the socket with its permissions. If they were set afterwards, another user could connect
 * in between, and would stay connected.
 */
function bindWith(mode: number, bind: () => void): void {
  let before: number;
  try {
    before = process.umask(0o777 & ~mode);
  } catch (cause) {
    // A worker thread cannot change the mask of its process.
    if ((0o022 & ~process.umask() & ~mode) !== 0) {
      throw new Error(
        "A worker thread cannot restrict a new socket, and the mask of the process lets other users connect: call process.umask(0o077) in the main thread first, or listen there.",
        { cause },
      );
    }
    bind();
    return;
  }
  try {
    bind();
  } finally {
    process.umask(before);
  }
}

/**
 * Sets the permissions again, because a directory may have defaults of its own, and checks them,
 * because some file systems have none.
 */
async function restrict(http: Server, socket: string, mode: number): Promise<void> {
  // Otherwise the socket is another process's, and the error follows as an event.
  if (http.listening) {
    chmodSync(socket, mode);
  }
  await once(http, "listening");
  const { mode: set } = statSync(socket);
  if ((set & 0o777) !== mode) {
    throw new Error(
      `Permissions of ${socket} must be 0o${mode.toString(8)}; got 0o${(set & 0o777).toString(8)}, because its file system cannot restrict it. Use another directory, such as $XDG_RUNTIME_DIR.`,
    );
  }
}
