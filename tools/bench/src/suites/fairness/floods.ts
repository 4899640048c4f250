import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { LoadConnection, openSocket } from "../http/load/connection.ts";
import { initializeParams, modernRequest, openSession, post } from "../http/load/requests.ts";
import type { Identity } from "./identity.ts";

/** What a flood has done so far. */
export interface Tally {
  /** Requests that were sent. */
  sent: number;
  /** Answers with a status of 400 and above, and connections that the server closed. */
  refused: number;
}

/**
 * Floods a server: first as fast as it can up to `count`, then on and on, one step every `everyMs`,
 * until the process ends.
 */
export interface Flood {
  readonly name: string;
  /** Steps with which it begins, on `width` connections at a time. */
  readonly count: number;
  readonly width: number;
  readonly everyMs: number;
  /** Prepares the steps. */
  begin(flooding: Flooding): Promise<() => Promise<void>>;
}

/** What the steps of a flood work with. */
export interface Flooding {
  readonly port: number;
  readonly identity: Identity;
  readonly tally: Tally;
}

/**
 * Sends a request on a connection of its own and keeps it; what comes is read and forgotten, unless
 * it shall be left unread.
 */
async function hold({ port, identity, tally }: Flooding, text: string, unread = false): Promise<Socket> {
  const socket = await openSocket(port, identity.address);
  let refused = false;
  const refuse = (): void => {
    if (!refused) {
      refused = true;
      tally.refused++;
    }
    socket.destroy();
  };
  socket.on("error", refuse).on("close", refuse);
  if (unread) {
    socket.pause();
  } else {
    socket.once("data", (chunk: Buffer) => {
      if (Number(chunk.toString("latin1", 9, 12)) >= 400) {
        refuse();
      }
      socket.on("data", () => {});
    });
  }
  socket.write(text, "latin1");
  tally.sent++;
  return socket;
}

/** A step that sends on one of a few connections and waits for the answer. */
async function asking({ port, identity, tally }: Flooding, text: string): Promise<() => Promise<void>> {
  const idle: LoadConnection[] = [];
  return async () => {
    tally.sent++;
    try {
      const connection = idle.pop() ?? (await LoadConnection.open(port, identity.address));
      const { status } = await connection.send(text);
      tally.refused += status >= 400 ? 1 : 0;
      idle.push(connection);
    } catch {
      tally.refused++;
    }
  };
}

const call = (identity: Identity, name: string, args: object = {}): string =>
  modernRequest(identity.fields, "tools/call", { name, arguments: args });

const listen = (identity: Identity): string =>
  modernRequest(identity.fields, "subscriptions/listen", { notifications: { toolsListChanged: true } });

/**
 * Sockets that get one byte a second each, so that the body never ends and the connection is never
 * idle.
 */
function drip(sockets: readonly Socket[]): void {
  let next = 0;
  setInterval(() => {
    for (let turn = 0; turn < sockets.length / 50; turn++) {
      sockets[next++ % sockets.length]?.write(" ");
    }
  }, 20);
}

/** Every way in which one client takes what others need. The counts go beyond the limits. */
export const floods: readonly Flood[] = [
  {
    name: "nothing (control)",
    count: 0,
    width: 1,
    everyMs: 1000,
    begin: () => Promise.resolve(() => Promise.resolve()),
  },
  {
    name: "sessions",
    count: 10_500,
    width: 8,
    everyMs: 5,
    begin: (flooding) =>
      asking(
        flooding,
        post(flooding.identity.fields, { id: 0, method: "initialize", params: initializeParams }),
      ),
  },
  {
    name: "idle listens",
    count: 1100,
    width: 32,
    everyMs: 10,
    begin: (flooding) => Promise.resolve(async () => void (await hold(flooding, listen(flooding.identity)))),
  },
  {
    name: "slow bodies",
    count: 1000,
    width: 32,
    everyMs: 20,
    begin: (flooding) => {
      const sockets: Socket[] = [];
      drip(sockets);
      const whole = call(flooding.identity, "length", { text: "x".repeat(100_000) });
      return Promise.resolve(async () => {
        sockets.push(await hold(flooding, whole.slice(0, -20_000)));
      });
    },
  },
  {
    name: "large bodies, held",
    count: 80,
    width: 4,
    everyMs: 250,
    begin: (flooding) => {
      const text = call(flooding.identity, "hold", { text: "x".repeat(1_000_000) });
      return Promise.resolve(async () => void (await hold(flooding, text)));
    },
  },
  {
    name: "unread answers",
    count: 400,
    width: 4,
    everyMs: 100,
    begin: (flooding) =>
      Promise.resolve(async () => void (await hold(flooding, call(flooding.identity, "large"), true))),
  },
  {
    name: "slow calls",
    count: 2200,
    width: 32,
    everyMs: 10,
    begin: (flooding) =>
      Promise.resolve(async () => void (await hold(flooding, call(flooding.identity, "hold")))),
  },
  {
    name: "list changes",
    count: 50,
    width: 1,
    everyMs: 10,
    async begin(flooding) {
      const { port, identity, tally } = flooding;
      for (let index = 0; index < 400; index++) {
        await hold(flooding, listen(identity));
      }
      for (let index = 0; index < 200; index++) {
        const connection = await LoadConnection.open(port, identity.address);
        tally.sent++;
        // A principal gets fewer sessions than a client without one.
        const fields = await openSession(connection, identity.fields).catch(() => undefined);
        connection.close();
        if (fields === undefined) {
          tally.refused++;
          break;
        }
        const request = `GET /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n${fields}\r\n`;
        await hold(flooding, request);
      }
      return asking(flooding, call(identity, "change"));
    },
  },
];

/**
 * Begins a flood; resolves when its first `count` steps are done, and goes on until the process
 * ends.
 */
export async function startFlood({ count, width, everyMs, begin }: Flood, flooding: Flooding): Promise<void> {
  const step = await begin(flooding);
  let left = count;
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left-- > 0) {
        await step();
      }
    }),
  );
  void (async () => {
    for (;;) {
      await delay(everyMs);
      // A step that waits for a slow server must not hold up the next one, or the flood would be
      // the gentler the worse it works.
      void step().catch(() => flooding.tally.refused++);
    }
  })();
}
