import type { Network, OutgoingCall, Sender } from "@tenon/jsonrpc2";

import { diagnostics, handshakeChannel } from "../../base/diagnostics.ts";
import type { SendingCall, SendingMiddleware, SendingNext } from "../../request/middleware.ts";

/** A message that opens a session, as the channel `tenon:handshake` publishes it. */
export interface HandshakeMessage {
  /** The `Client` that sends the message. */
  readonly client: object;
  /** The way to the server; `undefined` if the transport does not know it. */
  readonly network: Network | undefined;
  /**
   * Wraps the sending of the message. Middleware that is added later wraps the earlier middleware.
   */
  wrap(middleware: SendingMiddleware<undefined>): void;
}

// Not beside the other channels: the code of servers has no handshakes to publish.
const handshakes = diagnostics?.channel(handshakeChannel);

/** Publishes a message of a handshake, and sends it as the subscribers have wrapped it. */
export function sendHandshake(
  client: object,
  call: OutgoingCall,
  network: Network | undefined,
  next: Sender,
): Promise<unknown> {
  let send: SendingNext<undefined> = next;
  const wrap: HandshakeMessage["wrap"] = (middleware) => {
    send = middleware(send);
  };
  // Without subscribers this costs an object for each handshake.
  handshakes?.publish({ client, network, wrap } satisfies HandshakeMessage);
  return send(call as SendingCall<undefined>);
}
