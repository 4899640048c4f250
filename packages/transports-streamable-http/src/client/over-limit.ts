import { isHttpError } from "@tenon/http/client";
import { isMalformed, type Incoming } from "@tenon/jsonrpc2/core";
import { responseOverLimit } from "@tenon/jsonrpc2/transport";

/** @throws `LocalError` `LIMIT_EXCEEDED` for input that exceeds a limit of the decoder. */
export function refuseOverLimit(incoming: Incoming): void {
  if (isMalformed(incoming) && incoming.limit !== undefined) {
    throw responseOverLimit(incoming.limit);
  }
}

/** Rethrows the error of a response; the error for more than `maximum` bytes names the limit. */
export function namingLimit(maximum: number): (error: unknown) => never {
  return (error) => {
    const isTooLarge = isHttpError(error, "BODY_TOO_LARGE") || isHttpError(error, "EVENT_TOO_LARGE");
    throw isTooLarge ? responseOverLimit({ name: "maxMessageBytes", maximum }, error) : error;
  };
}
