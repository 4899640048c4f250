import type { Connection } from "../../transport.ts";
import type { Check, ConformanceOptions } from "../conformance.ts";
import { checkTimeoutOf } from "../watchdog.ts";
import {
  expect,
  expectEnd,
  expectEqual,
  expectLocalError,
  numbered,
  numbersOf,
  readMany,
  rejection,
  turn,
  upTo,
  withPair,
} from "./assert.ts";

const own = "close must end the queue of its own read(), as MessageQueue.end() does";
const remote = "close must end the stream of the remote peer, whose transport then ends its queue of read()";
const refused = "write after close must reject with connectionClosed()";
const broken = "write must reject with connectionClosed() after the remote peer has closed";

/** Endings: at any time, from either side, once or twice. */
export const closing: readonly Check[] = [
  {
    name: "what was written before close arrives, then the stream ends",
    applies: ({ drains }) => drains !== false,
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const accepted = await writeUnread(left, 50);
        const closed = left.close();
        expectEqual(numbersOf(await readMany(right, accepted)), upTo(accepted), "What arrived");
        await expectEnd(right.read(), remote);
        await closed;
      }),
  },
  {
    name: "close ends a pending read of the remote peer",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const read = right.read();
        await left.close();
        await expectEnd(read, remote);
      }),
  },
  {
    name: "after the end every further read ends too",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await left.close();
        for (const _ of upTo(3)) {
          await expectEnd(right.read(), remote);
        }
      }),
  },
  {
    name: "close ends a read of its own side that waits",
    run: (factory) =>
      withPair(factory, async ({ left }) => {
        const read = left.read();
        await left.close();
        await expectEnd(read, own);
      }),
  },
  {
    name: "a read after close of its own side ends",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await right.write(numbered(1));
        await left.close();
        await expectEnd(
          left.read(),
          "close must discard what its own side has not read: queue.end({ discard: true })",
        );
      }),
  },
  {
    name: "a write after close is refused with CONNECTION_CLOSED",
    run: (factory) =>
      withPair(factory, async ({ left }) => {
        await left.close();
        await expectLocalError(left.write(numbered(1)), "CONNECTION_CLOSED", refused);
      }),
  },
  {
    name: "a write during close settles",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const closed = left.close();
        await left.write(numbered(1)).catch(() => {});
        await right.close();
        await closed;
      }),
  },
  {
    name: "writes to a side that has closed are refused in the end, and never hang",
    run: (factory, options) =>
      withPair(factory, async ({ left, right }) => {
        await right.close();
        await rejection(writeOn(left, options), broken);
      }),
  },
  {
    name: "close twice is close once",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await Promise.all([left.close(), left.close()]);
        await left.close();
        await expectEnd(right.read(), remote);
      }),
  },
  {
    name: "both sides may close at the same time",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await Promise.all([left.close(), right.close()]);
        await expectEnd(left.read(), own);
        await expectEnd(right.read(), own);
      }),
  },
  {
    name: "close works while the remote peer never reads",
    run: (factory) =>
      withPair(factory, async ({ left }) => {
        await writeUnread(left, 10);
        await left.close();
      }),
  },
  {
    name: "close works while messages arrive",
    run: (factory, options) =>
      withPair(factory, async ({ left, right }) => {
        const flood = rejection(writeOn(right, options), broken);
        await Promise.all([flood, readMany(left, 20).then(() => left.close())]);
      }),
  },
  {
    name: "the reason of close stays on its side",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const closed = left.close(new Error("a reason of our own"));
        await expectEnd(right.read(), remote);
        await closed;
      }),
  },
  {
    name: "asyncDispose closes",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await left[Symbol.asyncDispose]();
        await expectEnd(right.read(), remote);
        await expectLocalError(left.write(numbered(1)), "CONNECTION_CLOSED", refused);
      }),
  },
  {
    name: "streams that have come and gone leave nothing behind",
    applies: ({ countResources }) => countResources !== undefined,
    run: async (factory, { countResources = () => 0 }) => {
      const exchange = (): Promise<void> =>
        withPair(factory, async ({ left, right }) => {
          await left.write(numbered(1));
          await right.read();
        });
      // The first one may set up what is shared by all.
      await exchange();
      await turn(50);
      const before = countResources();
      for (const _ of upTo(5)) {
        await exchange();
      }
      for (let tries = 0; tries < 100 && countResources() > before; tries++) {
        await turn(20);
      }
      expect(countResources() <= before, `${countResources() - before} resources were left behind.`);
    },
  },
];

/** Writes messages without a reader. Returns how many of them were accepted. */
async function writeUnread(to: Connection, count: number): Promise<number> {
  let accepted = 0;
  for (const n of upTo(count)) {
    to.write(numbered(n)).then(
      () => accepted++,
      () => {},
    );
  }
  await turn(50);
  return accepted;
}

/**
 * Writes until it is refused, or until three quarters of the check's time have passed. A process
 * that is shut down may read on for as long as its shutdown waits, so that the count must outlast
 * seconds of quick writes.
 */
async function writeOn(to: Connection, options: ConformanceOptions): Promise<void> {
  const end = Date.now() + checkTimeoutOf(options) * 0.75;
  for (let n = 0; n < 100_000 && Date.now() < end; n++) {
    await to.write(numbered(n, "x".repeat(1000)));
    if (n % 10 === 9) {
      await turn();
    }
  }
}
