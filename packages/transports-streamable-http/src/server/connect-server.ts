import type { Connection } from "@tenon/jsonrpc2";

import type { ServerLike, SessionLike } from "./server-like.ts";

/** Connects a server to a session. @returns `undefined` if the server refused. */
export async function connectServer(
  server: ServerLike,
  connection: Connection,
  onError: (error: unknown) => void,
): Promise<SessionLike | undefined> {
  try {
    return await server.connect({ connect: () => Promise.resolve(connection) });
  } catch (error) {
    onError(error);
    return undefined;
  }
}
