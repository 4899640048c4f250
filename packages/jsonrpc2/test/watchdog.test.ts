import { expect, test, vi } from "vitest";

import type { Connection, Incoming } from "../src/index.ts";
import { transportConformance, type ConnectedPair } from "../src/testing.ts";
import { runWatched } from "../src/testing/watchdog.ts";
import { MessageQueue } from "../src/transport-kit.ts";
import { note } from "./helpers.ts";

const silent: Connection = {
  read: () => new Promise(() => {}),
  write: () => new Promise(() => {}),
  close: () => Promise.resolve(),
  [Symbol.asyncDispose]: () => Promise.resolve(),
};
const factory = (): Promise<{ left: Connection; right: Connection }> =>
  Promise.resolve({ left: silent, right: silent });

test("a check that hangs says what it waits for", async () => {
  vi.useFakeTimers();
  const set = vi.spyOn(globalThis, "setTimeout");
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  try {
    const checked = runWatched(
      async (pairs) => {
        const { left, right } = await pairs();
        void right.read();
        await left.write(note("x"), { signal: AbortSignal.abort() });
      },
      factory,
      {},
    );
    const failure = expect(checked).rejects.toThrow(
      "Check exceeds the limit of 4000 ms (checkTimeoutMs). right.read() has not settled; " +
        "left.write(), whose signal has fired, must reject: pass the signal on, or use unlessAborted.",
    );
    await vi.advanceTimersByTimeAsync(4000);
    await failure;
    // By their times, because connections of earlier files in this worker may have timers too.
    const own = set.mock.results.filter((_, index) => set.mock.calls[index]?.[1] === 4000);
    const ended = new Set(cleared.mock.calls.map(([timer]) => timer));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ value }) => !ended.has(value as NodeJS.Timeout))).toEqual([]);
  } finally {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
});

test("a check that fails or passes is left alone", async () => {
  await expect(runWatched(() => Promise.reject(new Error("wrong")), factory, {})).rejects.toThrow("wrong");
  await runWatched(async (pairs) => (await pairs()).left.close(), factory, {});
});

/** As a first attempt at a transport often is: it delivers, and close does nothing. */
function naiveEnd(from: MessageQueue, to: MessageQueue): Connection {
  const close = (): Promise<void> => Promise.resolve();
  return {
    read: () => from.read(),
    write(message) {
      void to.put(message as Incoming);
      return Promise.resolve();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Runs one check of the kit over a naive transport. */
function check(
  name: string,
  pair: Partial<ConnectedPair> = {},
  checkTimeoutMs = 200,
): Promise<void> | undefined {
  const checks = new Map<string, () => Promise<void>>();
  const [here, there] = [new MessageQueue(), new MessageQueue()];
  const naive = { left: naiveEnd(here, there), right: naiveEnd(there, here) };
  transportConformance(
    { test: (title, run) => checks.set(title, run) },
    () => Promise.resolve({ ...naive, ...pair }),
    { checkTimeoutMs, connect: () => Promise.resolve(naive.left) },
  );
  return checks.get(name)?.();
}

test.each([
  [
    "writes to a side that has closed are refused in the end, and never hang",
    "write must reject with connectionClosed() after the remote peer has closed",
  ],
  [
    "close works while messages arrive",
    "write must reject with connectionClosed() after the remote peer has closed",
  ],
  [
    "a write after close is refused with CONNECTION_CLOSED",
    "write after close must reject with connectionClosed(); it did not reject.",
  ],
  [
    "connect with an aborted signal rejects with its reason",
    "connect must begin with signal?.throwIfAborted()",
  ],
  [
    "close ends a read of its own side that waits",
    "Check exceeds the limit of 200 ms (checkTimeoutMs). left.read() has not settled: " +
      "close of its own end must end the queue of read(), as MessageQueue.end() does.",
  ],
  [
    "close ends a pending read of the remote peer",
    "right.read() has not settled: close of the other end must end the queue of read()",
  ],
  ["a read after close of its own side ends", "close must discard what its own side has not read"],
])("the failure of a naive transport names its duty: %s", async (name, message) => {
  await expect(check(name)).rejects.toThrow(message);
});

test("a pair that is never released is named, and does not hide the failure of a check", async () => {
  const release = (): Promise<void> => new Promise(() => {});
  await expect(check("falsy results arrive", { release })).rejects.toThrow("release() has not settled");
  const failing = check("a write after close is refused with CONNECTION_CLOSED", { release }, 30_000);
  await expect(failing).rejects.toThrow("write after close must reject");
});

test.each([
  ["nothing", undefined, "left"],
  ["an array", [silent, silent], "left"],
  ["one end", { left: silent }, "right"],
])("a factory that makes %s instead of a pair is told the shape", async (_, pair, end) => {
  const checked = runWatched(
    async (pairs) => void (await pairs()),
    () => Promise.resolve(pair as never),
    {},
  );
  await expect(checked).rejects.toThrow(
    `The factory of pairs must resolve with { left, right }; ${end} is not a connection.`,
  );
});
