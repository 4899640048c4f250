import { brandErrors, isBranded } from "@tenon/base";

import { isMcpError, type McpError } from "../../../base/error.ts";

/**
 * Errors of asking a client whose message the client may read, since it holds nothing that is not
 * the client's own.
 */
const told = new WeakSet<object>();

/**
 * Marks an error that the client may receive unchanged if the handler does not catch it. Errors
 * with the same code from elsewhere, such as another server, stay private.
 */
export function toldToClient<E extends McpError>(error: E): E {
  told.add(error);
  return error;
}

/** Errors of a program whose message a model may read although they are reported like any other. */
const explained = new WeakSet<object>();

/** Marks an error that describes only what the program itself asks of users. */
export function explainedToModel<E extends McpError>(error: E): E {
  explained.add(error);
  return error;
}

/** Whether an error was passed to {@link explainedToModel}. */
export function isExplainedToModel(error: unknown): error is McpError {
  return isMcpError(error) && explained.has(error);
}

/** Whether an error was passed to {@link toldToClient}. */
export function isToldToClient(error: unknown): error is McpError {
  return isMcpError(error) && told.has(error);
}

/** Marks the error that ends a run while it waits for input. */
export const suspended: unique symbol = Symbol.for("@tenon/mcp/Suspension") as never;

/**
 * Makes a suspension: an extension rejects the pending input requests of a run with it. A tool that
 * throws it has not failed: `runTool` rejects with it.
 *
 * @param message - For logs. It should describe when the run continues.
 */
export function createSuspension(message: string): Error {
  const error = new Error(message);
  brandErrors(error, "Suspension", suspended);
  return error;
}

/**
 * Whether an error is the suspension of a run that waits for input. A handler that catches all
 * errors may rethrow it or ignore it.
 */
export function isSuspension(value: unknown): value is Error {
  return isBranded(value, suspended);
}
