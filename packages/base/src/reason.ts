import { isBranded } from "./branded-error.ts";
import { printable } from "./printable.ts";

/** The brand of errors that carry the message of a remote peer: `RpcError` of `@tenon/jsonrpc2`. */
export const remoteError: unique symbol = Symbol.for("@tenon/jsonrpc2/RpcError");

/**
 * Returns the message of an error for use in another message. A message of a remote peer is made
 * {@link printable}.
 *
 * @param error - Any thrown value. A value that is not an error is converted to a string.
 */
export function quotedMessage(error: unknown): string {
  if (isBranded(error, remoteError)) {
    return printable((error as Error).message);
  }
  return error instanceof Error ? error.message : String(error);
}

/** Maximum number of causes that `reasonOf` reads. */
const maxCauses = 8;

/**
 * Returns the messages of an error and of its causes, outermost first. A message that an outer
 * message already quotes is omitted.
 *
 * @param error - Any thrown value. A value that is not an error is converted to a string.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  let text = quotedMessage(error);
  let cause = error.cause;
  for (let depth = 1; cause instanceof Error && depth < maxCauses; depth++) {
    const message = quotedMessage(cause);
    if (!text.includes(message)) {
      text += text === "" ? message : ` ${message}`;
    }
    cause = cause.cause;
  }
  return text;
}
