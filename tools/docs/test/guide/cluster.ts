import { Server } from "@tenon/sdk/server";

/** What carries a text from each machine to all machines: Redis, NATS, Postgres `NOTIFY`. */
export interface Bus {
  publish(text: string): unknown;
  subscribe(listener: (text: string) => void): void;
}

/** A server of which there are several. */
export function createNode(bus: Bus): Server {
  // #region node
  const server = new Server(
    { name: "shop", version: "1.0.0" },
    { onChange: (change) => bus.publish(JSON.stringify(change)) },
  );
  bus.subscribe((text) => server.announce(JSON.parse(text)));
  // #endregion node
  return server;
}
