import type { Check, ConnectedPair } from "../conformance.ts";
import { expectEqual, numbered, numbersOf, readMany, upTo, withPair } from "./assert.ts";

/** Messages arrive in the order in which they were written. */
export const order: readonly Check[] = [
  {
    name: "a thousand messages written at once arrive in order",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const [messages] = await Promise.all([
          readMany(right, 1000),
          Promise.all(upTo(1000).map((n) => left.write(numbered(n)))),
        ]);
        expectEqual(numbersOf(messages), upTo(1000), "The order");
      }),
  },
  {
    name: "messages written one after the other arrive in order",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const reading = readMany(right, 300);
        for (const n of upTo(300)) {
          await left.write(numbered(n));
        }
        expectEqual(numbersOf(await reading), upTo(300), "The order");
      }),
  },
  {
    name: "small messages do not overtake large ones",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const sizes = upTo(60).map((n) => (n % 3 === 0 ? 100_000 : n));
        const [messages] = await Promise.all([
          readMany(right, sizes.length),
          Promise.all(sizes.map((size, n) => left.write(numbered(n, "x".repeat(size))))),
        ]);
        expectEqual(numbersOf(messages), upTo(sizes.length), "The order");
      }),
  },
  {
    name: "both directions flow at the same time, each in order",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const [fromLeft, fromRight] = await Promise.all([
          readMany(right, 500),
          readMany(left, 500),
          ...upTo(500).map((n) => left.write(numbered(n))),
          ...upTo(500).map((n) => right.write(numbered(n))),
        ]);
        expectEqual(numbersOf(fromLeft), upTo(500), "The order from left to right");
        expectEqual(numbersOf(fromRight), upTo(500), "The order from right to left");
      }),
  },
  {
    name: "a read that waits gets the message that comes next",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const first = right.read();
        await left.write(numbered(0));
        expectEqual(await first, numbered(0), "The first message");
        await left.write(numbered(1));
        expectEqual(await right.read(), numbered(1), "The second message");
      }),
  },
  {
    name: "what one direction does leaves the other alone",
    run: (factory) =>
      withPair(factory, async ({ left, right }) => {
        const idle = left.read();
        await left.write(numbered(1));
        expectEqual(await right.read(), numbered(1), "The message to the right");
        await right.write(numbered(2));
        expectEqual(await idle, numbered(2), "The message to the left");
      }),
  },
  {
    name: "two streams at the same time do not mix",
    run: (factory) => withPair(factory, (one) => withPair(factory, (two) => expectNoMixing(one, two))),
  },
];

async function expectNoMixing(one: ConnectedPair, two: ConnectedPair): Promise<void> {
  const [fromOne, fromTwo] = await Promise.all([
    readMany(one.right, 100),
    readMany(two.right, 100),
    ...upTo(100).flatMap((n) => [one.left.write(numbered(n)), two.left.write(numbered(n + 1000))]),
  ]);
  expectEqual(numbersOf(fromOne), upTo(100), "The messages of the first stream");
  expectEqual(
    numbersOf(fromTwo),
    upTo(100).map((n) => n + 1000),
    "The messages of the second stream",
  );
}
