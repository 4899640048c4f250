import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts to listen, and returns the port. @throws If the port is taken. */
export async function listen(http: Server, port: number, host: string): Promise<number> {
  http.listen(port, host);
  await once(http, "listening");
  return (http.address() as AddressInfo).port;
}

/** Stops to listen, and ends all connections. */
export async function stop(http: Server): Promise<void> {
  const closed = once(http, "close");
  http.close();
  http.closeAllConnections();
  await closed;
}
