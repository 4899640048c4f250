import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type NetConnectOpts, type Socket } from "node:net";

/** Passes connections to a server on, until it is stopped. */
export interface Proxy extends AsyncDisposable {
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** Cuts all connections, and cuts further ones at once. */
  stop(): void;
  /** Passes connections on again. */
  restore(): void;
}

/** Starts a {@link Proxy}. */
export async function startProxy(target: NetConnectOpts): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isStopped = false;
  const server = createServer((socket) => {
    if (isStopped) {
      socket.destroy();
      return;
    }
    const upstream = createConnection(target);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      isStopped = true;
      cut();
    },
    restore() {
      isStopped = false;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}
