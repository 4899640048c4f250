import { lstat, stat } from "node:fs/promises";
import { dirname } from "node:path";

import buildConnector from "undici/lib/core/connect.js";

import { HttpError } from "../../error.ts";
import { placeOf } from "../refusal.ts";
import { readSocketUrl } from "../socket-url.ts";
import type { Wire } from "../wire.ts";
import { agentTable, dispatch } from "./undici.lazy.ts";

const agents = agentTable((socketPath) => {
  const connect = buildConnector({ socketPath, timeout: 30_000 });
  return (options, callback) => {
    checkOwner(socketPath).then(
      () => connect(options, callback),
      // oxlint-disable-next-line promise/no-callback-in-promise -- undici has callbacks
      (error: unknown) => callback(error as Error, null),
    );
  };
});

/**
 * Sends a request to the socket that its URL names. A redirect that names an origin is refused,
 * because clients compare the origins of URLs, which sockets do not have.
 */
export const socketWire: Wire = async (request) => {
  const { socket, url } = readSocketUrl(request.url);
  const target = { origin: "http://localhost", path: url.pathname + url.search };
  const response = await dispatch(agents(socket), request, target);
  const { status } = response;
  const location = status === 307 || status === 308 ? response.header("location") : undefined;
  if (location !== undefined && !staysAt(url, location)) {
    response.discard();
    throw new HttpError("REDIRECT", `${placeOf(url)} redirects to another origin.`, {
      status,
      delivered: "no",
    });
  }
  return response;
};

/**
 * Checks that the socket does not come from another user, if all users can create sockets in its
 * directory. In any other directory, its owner decides who can.
 */
async function checkOwner(socket: string): Promise<void> {
  const own = process.getuid?.();
  if (own === undefined) {
    return;
  }
  const { mode } = await stat(dirname(socket));
  if ((mode & 0o002) === 0) {
    return;
  }
  // Both a link and the socket behind it could be another user's.
  for (const { uid } of [await lstat(socket), await stat(socket)]) {
    if (uid !== own && uid !== 0) {
      throw new Error(
        `the socket ${socket} belongs to another user (${uid}), and its directory is writable for all users: use a socket in a directory of its server`,
      );
    }
  }
}

/** Whether a redirect leads to the same socket, by the rules of URLs. */
function staysAt(url: URL, location: string): boolean {
  if (!URL.canParse(location, url.href)) {
    return false;
  }
  const next = new URL(location, url.href);
  return (
    next.protocol === url.protocol && next.host === url.host && next.username === "" && next.password === ""
  );
}
