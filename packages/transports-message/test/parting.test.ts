import type { Connection, Message } from "@tenon/jsonrpc2";
import { deferred } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { broadcastTransport, listenOnBroadcast } from "../src/index.ts";

// The end of a connection on a platform with locks, which are granted at once: messages of the
// channel that were posted before arrive later.

const note = (n: number): Message => ({ jsonrpc: "2.0", method: "m", params: { n } });

interface Waiting {
  readonly run: () => Promise<void> | void;
  readonly resolve: () => void;
}

/** Installs locks that are granted in a microtask. */
function installLocks(): { readonly held: () => number } {
  const queues = new Map<string, Waiting[]>();
  const grant = async (name: string, { run, resolve }: Waiting): Promise<void> => {
    await run();
    resolve();
    const queue = queues.get(name) ?? [];
    queue.shift();
    const [next] = queue;
    if (next === undefined) {
      queues.delete(name);
    } else {
      void grant(name, next);
    }
  };
  const locks = {
    request: (name: string, { signal }: { signal?: AbortSignal }, run: Waiting["run"]) =>
      new Promise<void>((resolve, reject) => {
        const queue = queues.get(name) ?? [];
        queues.set(name, queue);
        const waiting: Waiting = { run, resolve };
        queue.push(waiting);
        signal?.addEventListener("abort", () => {
          if (queue.indexOf(waiting) > 0) {
            queue.splice(queue.indexOf(waiting), 1);
          }
          reject(signal.reason as Error);
        });
        if (queue.length === 1) {
          void grant(name, waiting);
        }
      }),
  };
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { locks }, configurable: true });
  onTestFinished(() => {
    Reflect.deleteProperty(globalThis, "navigator");
    if (before !== undefined) {
      Object.defineProperty(globalThis, "navigator", before);
    }
  });
  return { held: () => queues.size };
}

async function pair(): Promise<{
  readonly client: Connection;
  readonly server: Connection;
  readonly close: () => Promise<void>;
}> {
  const name = `parting ${process.pid} ${Math.random()}`;
  const accepted = deferred<Connection>();
  const listener = listenOnBroadcast(name, {
    onConnection: async (transport) => accepted.resolve(await transport.connect()),
  });
  onTestFinished(() => listener.close());
  const client = await broadcastTransport(name).connect();
  return { client, server: await accepted.promise, close: () => listener.close() };
}

/** Reads to the end. */
async function rest(connection: Connection): Promise<unknown[]> {
  const messages: unknown[] = [];
  for (let next = await connection.read(); next !== undefined; next = await connection.read()) {
    messages.push(next);
  }
  return messages;
}

test("what a client has written before it closes arrives, and the stream ends in order", async () => {
  const { held } = installLocks();
  const { client, server, close } = await pair();
  await Promise.all([1, 2, 3].map((n) => client.write(note(n))));
  await client.close();
  expect(await rest(server)).toMatchObject([note(1), note(2), note(3)]);
  await close();
  await expect.poll(held).toBe(0);
});

test("what a server has written before its listener closes arrives, and the stream ends in order", async () => {
  const { held } = installLocks();
  const { client, server, close } = await pair();
  await Promise.all([1, 2, 3].map((n) => server.write(note(n))));
  await close();
  expect(await rest(client)).toMatchObject([note(1), note(2), note(3)]);
  await expect.poll(held).toBe(0);
});
