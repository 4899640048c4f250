import { statusError, type HeadersLike, type RequestSignal, type WireResponse } from "@tenon/http/client";
import { encode, type Message } from "@tenon/jsonrpc2/core";
import { isRepeatable } from "@tenon/protocol";

import type { SenderOwner } from "./sender.ts";

/** Sends a notification or a response. @throws `HttpError` if it was not accepted. */
export async function sendOneWay(
  owner: SenderOwner,
  message: Message | readonly Message[],
  headers: HeadersLike,
  signal: RequestSignal,
): Promise<WireResponse> {
  const { url, http } = owner;
  const once = !isRepeatable(message);
  const response = await http({ url, method: "POST", headers, body: encode(message), signal, once });
  if (response.status >= 200 && response.status < 300) {
    response.discard();
    return response;
  }
  throw await statusError(response, url);
}
