import { builtinModule } from "@tenon/base";

/**
 * The name of the channel of `node:diagnostics_channel` on which clients and servers publish each
 * session that begins: a `ClientSession` or a `ServerSession`. Its end is `session.closed`. Without
 * a subscriber, or if the runtime has no such channels, nothing is published.
 */
export const sessionChannel = "tenon:session";

/**
 * The name of the channel on which servers publish the requests that middleware does not see, when
 * they have ended: `initialize`, and requests that were rejected before middleware, such as unknown
 * methods. See `UnseenRequest`.
 */
export const requestChannel = "tenon:request";

/**
 * The name of the channel on which clients publish each message that opens a session, before it is
 * sent: `server/discover`, `initialize` and `notifications/initialized`, which sending middleware
 * does not see. See `HandshakeMessage`.
 */
export const handshakeChannel = "tenon:handshake";

/**
 * The name of the channel on which extensions of servers, such as tasks, publish calls of tools
 * that leave their request: when a call is kept for later, and before each run. See `DeferredCall`
 * and `DeferredRun`.
 */
export const deferredChannel = "tenon:deferred";

interface Channel {
  readonly hasSubscribers: boolean;
  publish(event: unknown): void;
}

interface Diagnostics {
  channel(name: string): Channel;
}

/** Channels of this process. */
export const diagnostics: Diagnostics | undefined = /* @__PURE__ */ builtinModule(
  "node:diagnostics_channel",
) as Diagnostics | undefined;

/** The channel of sessions. */
export const sessions: Channel | undefined = /* @__PURE__ */ diagnostics?.channel(sessionChannel);

/** The channel of requests. */
export const requests: Channel | undefined = /* @__PURE__ */ diagnostics?.channel(requestChannel);
