/**
 * Matchers for vitest, and the wire of a failed test. Add the matchers in a setup file:
 * `expect.extend(matchers)`.
 *
 * @packageDocumentation
 */

import { onTestFailed } from "vitest";

import type { TenonMatchers } from "./matchers/types.ts";
import type { Pair } from "./pair/connect.ts";

export { matchers } from "./matchers/all.ts";
export type { TenonMatchers } from "./matchers/types.ts";

declare module "vitest" {
  // oxlint-disable-next-line no-unused-vars -- the declaration that is extended has the parameter
  interface Matchers<T> extends TenonMatchers {}
}

/**
 * Prints all messages of a pair if the current test fails, and returns the pair. Call it inside of
 * a test.
 *
 * @example
 * await using connected = printOnFailure(await pair(server));
 */
export function printOnFailure<P extends Pick<Pair, "printWire">>(connected: P): P {
  onTestFailed(() => {
    console.error(`The messages of the failed test:\n${connected.printWire()}`);
  });
  return connected;
}
