import type { HandshakeMessage } from "@tenon/mcp";

import { subscribe } from "./channel.ts";
import { sending } from "./middleware.ts";
import { Channel } from "./names.ts";
import type { Observer } from "./observer.ts";

/**
 * Observes the messages with which a client opens its sessions, which its middleware does not see.
 *
 * @returns Ends the observation.
 */
export function observeHandshakes(owner: object, observer: Observer): () => void {
  return subscribe(Channel.handshake, (published) => {
    const message = published as HandshakeMessage;
    if (message.client === owner) {
      message.wrap(sending(observer, message.network));
    }
  });
}
