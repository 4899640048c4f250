import { printable } from "@tenon/base";
import { isLocalError, LocalError, type Answered, type Response } from "@tenon/jsonrpc2/core";

import { notJson } from "../../base/not-json.ts";

/**
 * The error of a response that was not sent: it names the request, and the value that JSON cannot
 * carry.
 *
 * @param error - Why the transport refused the response. Other errors are returned unchanged.
 */
export function explain({ method, params }: Answered, response: Response, error: unknown): unknown {
  if (!isLocalError(error, "NOT_SERIALIZABLE") && !isLocalError(error, "LIMIT_EXCEEDED")) {
    return error;
  }
  const { name } = (params ?? {}) as { readonly name?: unknown };
  const about = typeof name === "string" ? ` of ${printable(name)}` : "";
  const problem = isLocalError(error, "NOT_SERIALIZABLE") ? notJson(response) : undefined;
  const message = `The response to ${method}${about} was not sent: ${problem ?? error.message}`;
  return new LocalError(error.code, message, { cause: error });
}
