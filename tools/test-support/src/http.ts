import type { AddressInfo, Server } from "node:net";

/**
 * Lets a server listen on a port that is free on this machine; resolves with the port. A server of
 * HTTP keeps idle connections. On a busy machine, a client may send a request after more than the
 * 5 s of Node, when the connection is being closed.
 */
export async function listenOnFreePort(server: Server): Promise<number> {
  if ("keepAliveTimeout" in server) {
    server.keepAliveTimeout = 0;
  }
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** The same for a server of HTTP; resolves with its origin. */
export async function originOnFreePort(server: Server): Promise<string> {
  return `http://127.0.0.1:${await listenOnFreePort(server)}`;
}
