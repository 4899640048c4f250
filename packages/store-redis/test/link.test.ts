import { expect, test } from "vitest";

import { linkOf } from "../src/link.ts";

/** A client of `redis` that answers when `end` is called, and the options of its commands. */
function recorder(isReady: boolean): {
  readonly client: Parameters<typeof linkOf>[0];
  readonly options: unknown[];
  readonly end: () => void;
} {
  const options: unknown[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const client = {
    isReady,
    sendCommand(_: string[], its?: object) {
      options.push(its);
      return ended;
    },
    duplicate: () => {
      throw new Error("unused");
    },
  };
  return { client, options, end: () => end() };
}

test("a command that the client sends at once has no timer of the client", async () => {
  const { client, options, end } = recorder(true);
  const sent = linkOf(client).command(["PING"]);
  end();
  await sent;
  expect(options).toStrictEqual([{ timeout: 0 }]);
});

test("a command that must wait keeps the timer: of a client that is not ready, and behind 1,000 others", async () => {
  const offline = recorder(false);
  const waiting = linkOf(offline.client).command(["PING"]);
  offline.end();
  await waiting;
  expect(offline.options).toEqual([undefined]);
  const busy = recorder(true);
  const { command } = linkOf(busy.client);
  const sent = Array.from({ length: 1001 }, () => command(["PING"]));
  expect(busy.options.map((its) => its === undefined)).toEqual([...Array(1000).fill(false), true]);
  busy.end();
  await Promise.all(sent);
  await command(["PING"]);
  expect(busy.options.at(-1)).toStrictEqual({ timeout: 0 });
});

test("a connection that the client has given up can be closed", () => {
  const gaveUp = {
    connect: () => Promise.reject(new Error("The client gave up.")),
    on: () => undefined,
    subscribe: () => Promise.reject(new Error("The client is closed")),
    unsubscribe: () => Promise.reject(new Error("The client is closed")),
    destroy() {
      throw new Error("The client is closed");
    },
  };
  const client = { sendCommand: () => Promise.resolve(), duplicate: () => gaveUp };
  const subscriber = linkOf(client).subscriber({ message: () => undefined, ready: () => undefined });
  expect(() => subscriber.close()).not.toThrow();
});
