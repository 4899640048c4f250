import { isLocalError, type LocalErrorCode } from "../../error.ts";
import { isMany, type Incoming, type Outgoing } from "../../message.ts";
import type { Connection } from "../../transport.ts";
import type { ConnectedPair, PairFactory } from "../conformance.ts";

/** Fails the check unless `condition` holds. */
export function expect(condition: boolean, what: string): asserts condition {
  if (!condition) {
    throw new Error(what);
  }
}

/** Fails the check unless both have the same JSON, properties in any order. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  expect(isEqual(actual, expected), `${what}: expected ${shown(expected)}, got ${shown(actual)}.`);
}

/**
 * Fails the check unless the promise rejects with this local error.
 *
 * @param duty - As for {@link rejection}.
 */
export async function expectLocalError(
  promise: Promise<unknown>,
  code: LocalErrorCode,
  duty: string,
): Promise<void> {
  const error = await rejection(promise, duty);
  expect(isLocalError(error, code), `${duty}; expected a ${code} error, got ${String(error)}.`);
}

/**
 * Returns the error that the promise rejects with.
 *
 * @param duty - What the transport must do: the message for a promise that is fulfilled.
 */
export async function rejection(promise: Promise<unknown>, duty: string): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`${duty}; it did not reject.`);
}

/**
 * Fails the check unless the read finds the normal end of the stream.
 *
 * @param duty - What the transport must do: the message for a read that finds something else.
 */
export async function expectEnd(read: Promise<Incoming | undefined>, duty: string): Promise<void> {
  const found = await read.then(
    (message) => (message === undefined ? undefined : `returned ${shown(message)}`),
    (error: unknown) => `rejected with ${String(error)}`,
  );
  expect(found === undefined, `${duty}; read() must return undefined, but it ${String(found)}.`);
}

/** How long a check that has failed waits for the end of its pair, in milliseconds. */
const releaseMs = 300;

/**
 * Runs a check over a pair of its own and releases the pair, whatever happens. The failure of a
 * check comes before a pair that does not end.
 */
export async function withPair(
  factory: PairFactory,
  run: (pair: ConnectedPair) => Promise<void>,
): Promise<void> {
  const pair = await factory();
  const end = async (): Promise<void> => {
    await Promise.all([pair.left.close(), pair.right.close()]);
    await pair.release?.();
  };
  try {
    await run(pair);
  } catch (error) {
    await Promise.race([end().catch(() => {}), turn(releaseMs)]);
    throw error;
  }
  await end();
}

/** Reads `count` messages. */
export async function readMany(from: Connection, count: number): Promise<Incoming[]> {
  const messages: Incoming[] = [];
  while (messages.length < count) {
    const message = await from.read();
    expect(message !== undefined, `The stream ended after ${messages.length} of ${count} messages.`);
    messages.push(message);
  }
  return messages;
}

/** Fails the check unless the message arrives as it was written. */
export async function expectDelivery({ left, right }: ConnectedPair, message: Outgoing): Promise<void> {
  const [received] = await Promise.all([right.read(), left.write(message)]);
  expectEqual(received, isMany(message) ? { batch: message } : message, "The message that was read");
}

/** A notification that carries a number, to tell it from others. */
export function numbered(
  n: number,
  padding = "",
): { jsonrpc: "2.0"; method: string; params: { n: number; padding: string } } {
  return { jsonrpc: "2.0", method: "numbered", params: { n, padding } };
}

/** The numbers of messages made by {@link numbered}. */
export function numbersOf(messages: readonly Incoming[]): number[] {
  return messages.map((message) => ("params" in message ? (message.params as { n: number }).n : Number.NaN));
}

/** `0, 1, 2 …`, `length` of them. */
export function upTo(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** Waits until all tasks that are ready have run. */
export function turn(ms = 0): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

function isEqual(left: unknown, right: unknown): boolean {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return Object.is(left, right);
  }
  const leftKeys = Object.keys(left);
  return (
    Array.isArray(left) === Array.isArray(right) &&
    leftKeys.length === Object.keys(right).length &&
    leftKeys.every(
      (key) =>
        Object.hasOwn(right, key) &&
        isEqual(left[key as keyof typeof left], right[key as keyof typeof right]),
    )
  );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
