import { isHttpError, type Exchange, type HeaderFields } from "@tenon/http/server";

import { attempt } from "../shared/attempt.ts";
import { refusal, refuse, type Refusal } from "./refusal.ts";

/**
 * Responds to a request whose handling threw: with a rejection, or with an error that is reported
 * to `onError` if the client is not at fault. Does not throw.
 */
export function answerFailure(
  exchange: Exchange,
  error: unknown,
  headers: HeaderFields,
  onError: (error: unknown) => void,
): void {
  const refused = refusalOf(error);
  if (refused === undefined) {
    onError(error);
  }
  attempt(() => refuse(exchange, refused ?? refusal(500, -32603, "Internal error"), headers), onError);
}

/**
 * The error response for a request whose body could not be read; `undefined` if the failure is not
 * the client's.
 */
function refusalOf(error: unknown): Refusal | undefined {
  if (!isHttpError(error)) {
    return undefined;
  }
  switch (error.code) {
    case "BODY_TOO_LARGE":
      return refusal(413, -32600, `${error.message} (maxBodyBytes)`);
    case "OVERLOADED":
      return refusal(503, -32603, error.message);
    case "BODY_TIMEOUT":
      return refusal(408, -32600, error.message);
    case "UNSUPPORTED_ENCODING":
      return refusal(415, -32600, error.message);
    case "BODY_INCOMPLETE":
      return refusal(400, -32700, error.message);
    default:
      return undefined;
  }
}
