import type { AddressInfo, Server } from "node:net";

/** Lets a server listen on a port that is free on this machine; resolves with the port. */
export async function listenOnFreePort(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** The same for a server of HTTP; resolves with its origin. */
export async function originOnFreePort(server: Server): Promise<string> {
  return `http://127.0.0.1:${await listenOnFreePort(server)}`;
}
