/**
 * Assertions for `node:test` and every other runner: functions that throw.
 *
 * @packageDocumentation
 */

import type { Definitions } from "./definitions/collect.ts";
import * as matchers from "./matchers/matchers.ts";
import type { Expected, Verdict } from "./matchers/matchers.ts";
import type { Pair } from "./pair/connect.ts";

/** Fails with the message of a verdict, under the name that test runners know. */
function assert({ pass, message }: Verdict): void {
  if (!pass) {
    throw Object.assign(new Error(message()), { name: "AssertionError", code: "ERR_ASSERTION" });
  }
}

/** The result of a call is not an error, and its text equals or matches `expected`. */
export function assertToolText(result: unknown, expected: Expected): void {
  assert(matchers.toBeToolText(result, expected));
}

/** The result of a call is an error that the model sees, with this text if one is given. */
export function assertToolError(result: unknown, expected?: Expected): void {
  assert(matchers.toBeToolError(result, expected));
}

/** `structuredContent` of a result fits a schema, or the output schema of a tool. */
export function assertOutputSchema(result: unknown, schemaOrTool: object): void {
  assert(matchers.toMatchOutputSchema(result, schemaOrTool));
}

/** The client has sent a request of this method, with these properties in its parameters. */
export function assertCalled(pair: Pair, method: string, params?: object): void {
  assert(matchers.toHaveCalled(pair, method, params));
}

/** No error response, and nothing that is not a message, went over the wire of a pair. */
export function assertNoProtocolErrors(pair: Pair): void {
  assert(matchers.toHaveNoProtocolErrors(pair));
}

/** The definitions contain a tool of this name, with these properties if some are given. */
export function assertOffersTool(definitions: Definitions, name: string, members?: object): void {
  assert(matchers.toOfferTool(definitions, name, members));
}
