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

interface Channel {
  readonly hasSubscribers: boolean;
  publish(event: unknown): void;
}

interface Builtins {
  readonly process?: {
    getBuiltinModule?(name: string): { channel(name: string): Channel } | undefined;
  };
}

/** Channels of this process. Not imported: bundlers for browsers fail on modules of Node. */
const diagnostics = (globalThis as Builtins).process?.getBuiltinModule?.("node:diagnostics_channel");

/** The channel of sessions. */
export const sessions: Channel | undefined = diagnostics?.channel(sessionChannel);

/** The channel of requests. */
export const requests: Channel | undefined = diagnostics?.channel(requestChannel);
