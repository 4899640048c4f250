import { isHttpError } from "@tenon/http/server";

import { refusal, type Refusal } from "./refusal.ts";

/** How a request is refused whose body could not be had; `undefined` if the failure is not the client's. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!isHttpError(error)) {
    return undefined;
  }
  switch (error.code) {
    case "BODY_TOO_LARGE":
      return refusal(413, -32600, `${error.message} (maxBodyBytes)`);
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
