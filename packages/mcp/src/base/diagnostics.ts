/**
 * The name of the channel of `node:diagnostics_channel` on which clients and servers publish each
 * session that begins: a `ClientSession` or a `ServerSession`. Its end is `session.closed`. Without
 * a subscriber, or if the runtime has no such channels, nothing is published.
 */
export const sessionChannel = "tenon:session";

interface Channel {
  publish(session: unknown): void;
}

interface Builtins {
  readonly process?: {
    getBuiltinModule?(name: string): { channel(name: string): Channel } | undefined;
  };
}

/** The channel of this process. Not imported: bundlers for browsers fail on modules of Node. */
export const sessions: Channel | undefined = (globalThis as Builtins).process
  ?.getBuiltinModule?.("node:diagnostics_channel")
  ?.channel(sessionChannel);
