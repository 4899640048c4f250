import { kindOf, takeLateFailure } from "@tenon/base";

import { McpError } from "./error.ts";

/**
 * Checks the principal that a callback returns. Sealed state and private results are bound to this
 * string. Values of other types, such as two promises, would be equal for different accounts.
 *
 * @param option - The option that returned the value.
 * @throws `McpError` `INVALID_DEFINITION` for anything but a string or `undefined`.
 */
export function checkedIdentity(option: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === "string") {
    return value;
  }
  // Nothing else waits for an asynchronous callback, and its rejection must not end the process.
  takeLateFailure(value, () => {});
  const isAsync = value instanceof Promise;
  const got = isAsync ? "a promise" : kindOf(value);
  const fix = isAsync ? " Look the identity up before, and return it synchronously." : "";
  throw new McpError("INVALID_DEFINITION", `${option} must return a string or undefined; got ${got}.${fix}`);
}
