import {
  isRequest,
  type Incoming,
  type Malformed,
  type Message,
  type Request,
  type RequestId,
} from "@tenon/jsonrpc2/core";
import { findMethod } from "@tenon/protocol";

/** The ids of the requests among messages, each once. */
export function idsOf(messages: readonly (Message | Malformed)[]): readonly RequestId[] {
  const [only] = messages;
  if (messages.length === 1 && only !== undefined) {
    return isRequest(only) ? [only.id] : [];
  }
  return [...new Set(messages.filter((message) => isRequest(message)).map(({ id }) => id))];
}

/** Whether a client repeats a request anyway, so that its response needs no stream. */
export function isPolled(message: Message | Malformed): boolean {
  return isRequest(message) && findMethod(message.method)?.polled === true;
}

/** Whether a message opens a session. */
export function isOpening(incoming: Incoming): incoming is Request {
  return isRequest(incoming) && incoming.method === "initialize";
}
