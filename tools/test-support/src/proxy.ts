import { once } from "node:events";
import { createConnection, createServer, type AddressInfo, type NetConnectOpts, type Socket } from "node:net";

/** Passes connections to a server on, until it is stopped. */
export interface Proxy extends AsyncDisposable {
  /** Port on 127.0.0.1. */
  readonly port: number;
  /** Cuts all connections, and cuts further ones at once. */
  stop(): void;
  /** Keeps all bytes back, in both directions, and passes them on after `restore`. */
  hold(): void;
  /** Passes bytes on after a time, in milliseconds, in their order. */
  delay(ms: number): void;
  /**
   * Loses all bytes, in both directions, and leaves the connections open: their ends learn nothing.
   * `restore` cuts the connections that have lost bytes.
   */
  drop(): void;
  /** Loses all bytes of the present connections until they end. Further connections work. */
  deafen(): void;
  /** Passes connections and bytes on again. */
  restore(): void;
}

/** What happens to connections and bytes. */
type Mode = "pass" | "stop" | "hold" | "drop";

/** Starts a {@link Proxy}. */
export async function startProxy(target: NetConnectOpts): Promise<Proxy> {
  const sockets = new Set<Socket>();
  /** Sockets whose bytes were lost. */
  const damaged = new Set<Socket>();
  /** Sockets whose bytes are lost. */
  const deaf = new Set<Socket>();
  let mode: Mode = "pass";
  let delayMs = 0;

  /** Passes the bytes of one socket on to another. */
  function forward(one: Socket, other: Socket): void {
    const write = (chunk: Buffer): void => {
      if (!other.destroyed && !other.write(chunk)) {
        one.pause();
        other.once("drain", () => resume(one));
      }
    };
    sockets.add(one);
    one.setNoDelay(true);
    one.on("error", () => other.destroy());
    one.on("end", () => other.end());
    one.on("close", () => {
      sockets.delete(one);
      damaged.delete(one);
      deaf.delete(one);
      other.destroy();
    });
    one.on("data", (chunk: Buffer) => {
      if (deaf.has(one)) {
        return;
      }
      if (mode === "drop") {
        damaged.add(one);
      } else if (delayMs > 0) {
        one.pause();
        setTimeout(() => {
          resume(one);
          write(chunk);
        }, delayMs);
      } else {
        write(chunk);
      }
    });
    if (mode === "hold") {
      one.pause();
    }
  }

  function resume(socket: Socket): void {
    if (mode !== "hold") {
      socket.resume();
    }
  }

  const server = createServer((socket) => {
    if (mode === "stop") {
      socket.destroy();
      return;
    }
    const upstream = createConnection(target);
    forward(socket, upstream);
    forward(upstream, socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (from: Iterable<Socket>): void => [...from].forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      mode = "stop";
      cut(sockets);
    },
    hold() {
      mode = "hold";
      sockets.forEach((socket) => socket.pause());
    },
    delay(ms) {
      delayMs = ms;
    },
    drop() {
      mode = "drop";
      sockets.forEach((socket) => socket.resume());
    },
    deafen() {
      sockets.forEach((socket) => deaf.add(socket));
    },
    restore() {
      mode = "pass";
      delayMs = 0;
      cut(damaged);
      sockets.forEach((socket) => socket.resume());
    },
    async [Symbol.asyncDispose]() {
      server.close();
      cut(sockets);
      await once(server, "close");
    },
  };
}
