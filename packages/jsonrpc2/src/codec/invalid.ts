import { ErrorCode } from "../error.ts";
import type { Malformed, RequestId } from "../message.ts";

/** A frame that is JSON but no message. */
export function invalid(detail: string, id?: RequestId): Malformed {
  return { malformed: { code: ErrorCode.InvalidRequest, message: `Invalid Request: ${detail}` }, id };
}

/** Whether a value has the members of a JSON-RPC error. */
export function isErrorObject(error: unknown): boolean {
  if (typeof error !== "object" || error === null) {
    return false;
  }
  const { code, message } = error as { code?: unknown; message?: unknown };
  return Number.isSafeInteger(code) && typeof message === "string";
}
