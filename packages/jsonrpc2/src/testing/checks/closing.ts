import type { Connection } from "../../transport.ts";
import type { Check } from "../conformance.ts";
import {
  expect,
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
        expect((await right.read()) === undefined, "The stream must end normally.");
        await closed;
      }),
  },
  {
    name: "close ends a pending read of the remote peer",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const read = right.read();
        await left.close();
        expect((await read) === undefined, "The read must end normally.");
      }),
  },
  {
    name: "after the end every further read ends too",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await left.close();
        for (const _ of upTo(3)) {
          expect((await right.read()) === undefined, "A read after the end must end normally.");
        }
      }),
  },
  {
    name: "close ends a read of its own side that waits",
    run: (factory) =>
      withPair(factory, async ({ left }) => {
        const read = left.read();
        await left.close();
        expect((await read) === undefined, "The read must end normally.");
      }),
  },
  {
    name: "a read after close of its own side ends",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await right.write(numbered(1));
        await left.close();
        expect((await left.read()) === undefined, "The read must end normally.");
      }),
  },
  {
    name: "a write after close is refused with CONNECTION_CLOSED",
    run: (factory) =>
      withPair(factory, async ({ left }) => {
        await left.close();
        await expectLocalError(left.write(numbered(1)), "CONNECTION_CLOSED", "The write");
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
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await right.close();
        await rejection(writeOn(left), "Writing to a side that has closed");
      }),
  },
  {
    name: "close twice is close once",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await Promise.all([left.close(), left.close()]);
        await left.close();
        expect((await right.read()) === undefined, "The stream must end normally.");
      }),
  },
  {
    name: "both sides may close at the same time",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await Promise.all([left.close(), right.close()]);
        expect((await left.read()) === undefined, "The left side must have ended.");
        expect((await right.read()) === undefined, "The right side must have ended.");
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
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const refused = rejection(writeOn(right), "The flood after the end");
        await readMany(left, 20);
        await left.close();
        await refused;
      }),
  },
  {
    name: "the reason of close stays on its side",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const closed = left.close(new Error("a reason of our own"));
        expect((await right.read()) === undefined, "The remote peer must see a normal end.");
        await closed;
      }),
  },
  {
    name: "asyncDispose closes",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        await left[Symbol.asyncDispose]();
        expect((await right.read()) === undefined, "The stream must end normally.");
        await expectLocalError(left.write(numbered(1)), "CONNECTION_CLOSED", "The write");
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
 * Writes until it is refused; fails if that never happens. A process that is shut down may read on
 * for as long as its shutdown waits, so that the count must outlast seconds of quick writes.
 */
async function writeOn(to: Connection): Promise<void> {
  for (let n = 0; n < 100_000; n++) {
    await to.write(numbered(n, "x".repeat(1000)));
    if (n % 10 === 9) {
      await turn();
    }
  }
}
