import { ErrorCode, isLocalError } from "../error.ts";
import type { Response } from "../message.ts";

/**
 * The response in a form that JSON can carry: an error keeps its code and message, a result becomes
 * an internal error.
 */
export function withoutPayload(response: Response): Response {
  const { code, message } =
    "error" in response ? response.error : { code: ErrorCode.InternalError, message: "Internal error" };
  return { jsonrpc: "2.0", id: response.id ?? null, error: { code, message } };
}

/**
 * The response to send in place of a response that the transport rejected with this error;
 * `undefined` if no other response would be accepted.
 */
export function inPlaceOf(response: Response, error: unknown): Response | undefined {
  if (isLocalError(error, "NOT_SERIALIZABLE")) {
    return withoutPayload(response);
  }
  if (!isLocalError(error, "LIMIT_EXCEEDED")) {
    return undefined;
  }
  if ("error" in response) {
    return response.error.data === undefined ? undefined : withoutPayload(response);
  }
  const message = "The result could not be sent: it exceeds a limit of the connection";
  return { jsonrpc: "2.0", id: response.id, error: { code: ErrorCode.InternalError, message } };
}

/** Whether JSON can carry the result or the error of a response. */
export function isSerializable(response: Response): boolean {
  try {
    const payload: unknown = "error" in response ? response.error : response.result;
    return (JSON.stringify(payload) as string | undefined) !== undefined;
  } catch {
    return false;
  }
}
