import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Lets a server listen on a port that is free on this machine; resolves with its origin. */
export async function listenOnFreePort(http: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}
