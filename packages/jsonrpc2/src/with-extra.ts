import { extra, type MessageExtra } from "./extra.ts";
import {
  isBatch,
  type Incoming,
  type Message,
  type Notification,
  type Request,
  type RequestId,
} from "./message.ts";

/**
 * Sets `relatedTo` in the {@link MessageExtra} of requests and notifications: the ID of the
 * receiver's own request that caused them. Streamable HTTP knows it from the stream on which a
 * message arrives. Responses are returned unchanged.
 */
export function withRelation(incoming: Incoming, relatedTo: RequestId): Incoming {
  const known: object = { relatedTo };
  return withExtra(incoming, known);
}

/** Attaches data of the transport to a message. Responses are returned unchanged. */
export function withExtra(incoming: Incoming, known: MessageExtra): Incoming {
  if (isBatch(incoming)) {
    return { batch: incoming.batch.map((message) => withExtra(message, known) as Message) };
  }
  return "method" in incoming ? carrying(incoming, known) : incoming;
}

/**
 * Each kind of message is written as a literal with one shape. Copying all properties of the
 * envelope would take several times as long.
 */
function carrying(message: Request | Notification, known: MessageExtra): Request | Notification {
  const { method, params } = message;
  if ("id" in message) {
    const { id } = message;
    return params === undefined
      ? { jsonrpc: "2.0", id, method, [extra]: known }
      : { jsonrpc: "2.0", id, method, params, [extra]: known };
  }
  return params === undefined
    ? { jsonrpc: "2.0", method, [extra]: known }
    : { jsonrpc: "2.0", method, params, [extra]: known };
}
