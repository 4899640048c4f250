import { describe, expect, test } from "vitest";

import { LoggingTransport, wrapTransport, type Connection, type Transport } from "../src/index.ts";
import { transportConformance, type ConnectedPair } from "../src/testing.ts";
import { createPipe } from "./byte-pipe.ts";

const over = (connection: Connection): Transport => ({
  connect: ({ signal } = {}) =>
    signal?.aborted === true ? Promise.reject(signal.reason) : Promise.resolve(connection),
});

type Pipe = ReturnType<typeof createPipe>;
const inject = (pair: ConnectedPair, text: string): Promise<void> => (pair as Pipe).inject(text);

describe("the kit over lines on a pipe of bytes", () => {
  const count = transportConformance({ test }, () => Promise.resolve(createPipe()), {
    inject,
    connect: (options) => over(createPipe().left).connect(options),
    checkTimeoutMs: 300_000,
  });

  test("the kit has at least forty checks", () => {
    expect(count).toBeGreaterThanOrEqual(40);
  });
});

describe.each([
  ["LoggingTransport", (inner: Transport): Transport => new LoggingTransport(inner, { write: () => true })],
  [
    "wrapTransport",
    (inner: Transport): Transport =>
      wrapTransport(inner, { onRead: (read) => read, onWrite: (message) => message }),
  ],
])("the kit over %s", (_name, wrap) => {
  transportConformance(
    { test },
    async () => {
      const pipe = createPipe();
      return {
        ...pipe,
        left: await wrap(over(pipe.left)).connect(),
        right: await wrap(over(pipe.right)).connect(),
      };
    },
    { inject, connect: (options) => wrap(over(createPipe().left)).connect(options), checkTimeoutMs: 300_000 },
  );
});

/** Transports with one fault each, and a check that must find it. */
const faults: readonly [string, string, (pair: ConnectedPair) => ConnectedPair][] = [
  [
    "loses order",
    "a thousand messages written at once arrive in order",
    ({ left, right }) => {
      let held: (() => Promise<void>) | undefined;
      const swapping: Connection = {
        ...left,
        async write(message) {
          if (held === undefined) {
            held = () => left.write(message);
            return;
          }
          await left.write(message);
          await held();
          held = undefined;
        },
      };
      return { left: swapping, right };
    },
  ],
  [
    "throws at malformed input",
    "text that is no JSON is a value, not a failure, and reading goes on",
    (pair) => ({
      ...pair,
      right: {
        ...pair.right,
        async read() {
          const read = await pair.right.read();
          if (read !== undefined && "malformed" in read) {
            throw new Error("malformed");
          }
          return read;
        },
      },
    }),
  ],
  [
    "accepts without a bound",
    "a writer waits while its messages are not read, and continues in order when they are",
    (pair) => ({
      ...pair,
      left: {
        ...pair.left,
        write(message) {
          pair.left.write(message).catch(() => {});
          return Promise.resolve();
        },
      },
    }),
  ],
  [
    "fails at the end",
    "close ends a pending read of the remote peer",
    (pair) => ({
      ...pair,
      right: {
        ...pair.right,
        async read() {
          const read = await pair.right.read();
          if (read === undefined) {
            throw new Error("ended");
          }
          return read;
        },
      },
    }),
  ],
  [
    "takes writes after close",
    "a write after close is refused with CONNECTION_CLOSED",
    (pair) => ({ ...pair, left: { ...pair.left, write: () => Promise.resolve() } }),
  ],
];

test.each(faults)("the kit finds a transport that %s", async (_fault, name, break_) => {
  const found = new Map<string, () => Promise<void>>();
  transportConformance(
    { test: (check, run) => found.set(check, run) },
    () => Promise.resolve(break_(createPipe())),
    { inject, floodBytes: 2 * 1024 * 1024 },
  );
  await expect(found.get(name)?.()).rejects.toThrow(/./);
});
