import type { Connection } from "../../transport.ts";
import type { Check, ConformanceOptions } from "../conformance.ts";
import {
  expect,
  expectEqual,
  numbered,
  numbersOf,
  readMany,
  rejection,
  turn,
  upTo,
  withPair,
} from "./assert.ts";

const chunkBytes = 32 * 1024;
/** How long a write may take before it counts as blocked. */
const blockedAfterMs = 150;

/** A writer that is faster than its reader has to wait. */
export const pressure: readonly Check[] = [
  {
    name: "a writer waits while its messages are not read, and continues in order when they are",
    run: (factory, options) =>
      withPair(factory, async ({ left, right }) => {
        const { written, blocked } = await fill(left, options);
        const messages = await readMany(right, written);
        expectEqual(numbersOf(messages), upTo(written), "The order");
        await blocked;
      }),
  },
  {
    name: "a blocked direction does not block the other one",
    run: (factory, options) =>
      withPair(factory, async ({ left, right }) => {
        const { blocked } = await fill(left, options);
        const answer = left.read();
        await right.write(numbered(-1));
        expectEqual(await answer, numbered(-1), "The message in the free direction");
        await Promise.all([left.close(), blocked.catch(() => {})]);
      }),
  },
  {
    name: "an aborted signal ends the wait of a writer with its reason",
    run: (factory, options) =>
      withPair(factory, async ({ left }) => {
        const { written, blocked } = await fill(left, options);
        const abort = new AbortController();
        const reason = new Error("no longer needed");
        const write = left.write(numbered(written, "x".repeat(chunkBytes)), { signal: abort.signal });
        abort.abort(reason);
        const aborted = "write must reject with signal.reason, as unlessAborted does";
        const error = await rejection(write, aborted);
        expect(error === reason, `${aborted}; it rejected with ${String(error)}.`);
        await Promise.all([left.close(), blocked.catch(() => {})]);
      }),
  },
  {
    name: "closing ends the wait of a writer",
    run: (factory, options) =>
      withPair(factory, async ({ left }) => {
        const { blocked } = await fill(left, options);
        await left.close();
        await blocked.catch(() => {});
      }),
  },
  {
    name: "the end of the reader ends the wait of a writer",
    run: (factory, options) =>
      withPair(factory, async ({ left, right }) => {
        const { blocked } = await fill(left, options);
        await right.close();
        await blocked.catch(() => {});
      }),
  },
  {
    name: "a slow reader gets everything from a fast writer",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const writing = Promise.all(upTo(200).map((n) => left.write(numbered(n, "x".repeat(10_000)))));
        const numbers: number[] = [];
        for (const n of upTo(20)) {
          numbers.push(...numbersOf(await readMany(right, 10)));
          await turn(n % 4);
        }
        await writing;
        expectEqual(numbers, upTo(200), "The order");
      }),
  },
];

/** Writes until a write has to wait. `blocked` is that write. */
async function fill(
  to: Connection,
  { floodBytes = 64 * 1024 * 1024 }: ConformanceOptions,
): Promise<{ written: number; blocked: Promise<void> }> {
  const padding = "x".repeat(chunkBytes);
  for (let written = 0; written * chunkBytes < floodBytes;) {
    const write = to.write(numbered(written, padding));
    written++;
    if ((await Promise.race([write.then(() => "accepted"), turn(blockedAfterMs)])) === undefined) {
      return { written, blocked: write };
    }
  }
  throw new Error(
    `write must wait while the remote peer does not read; ${floodBytes} bytes were accepted without a wait.`,
  );
}
