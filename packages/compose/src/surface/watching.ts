import type { LaneCaller } from "@tenon/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { ServerSession } from "@tenon/mcp/server";

import type { Audience, ProxySource } from "../source/source.ts";

/** Watches the resources behind a proxy that clients in front of it have subscribed to. */
export interface Watching {
  /** Watches resources while work is running, such as a stream of a client. */
  during<T>(uris: readonly string[], caller: LaneCaller, work: () => Promise<T>): Promise<T>;
  /** Watches a resource until the session ends or {@link stop} is called. */
  start(uri: string, caller: LaneCaller, session: ServerSession): void;
  /** Ends what {@link start} began. */
  stop(uri: string, session: ServerSession): void;
}

/** The dependencies of {@link createWatching}. */
export interface WatchingOptions {
  readonly watch: NonNullable<ProxySource["watch"]>;
  /** The clients that see the same resources as a caller. They share a watch. */
  readonly audienceOf: (caller: LaneCaller) => Audience;
  readonly onUpdate: (uri: string, audience: Audience) => void;
  /** Called if a resource cannot be watched. */
  readonly onError: (error: unknown) => void;
}

/** Maximum number of resources that are watched at a time, for all clients together. */
const maxWatches = 1000;

interface Watch {
  readonly uri: string;
  readonly end: AbortController;
  users: number;
}

/**
 * Creates the watching. Clients that see the same share one watch of a resource. More than 1,000
 * watches are refused with `-32602`.
 */
export function createWatching({ watch, audienceOf, onUpdate, onError }: WatchingOptions): Watching {
  /** By the key of the audience, then by URI. */
  const watches = new Map<unknown, Map<string, Watch>>();
  const sessions = new WeakMap<ServerSession, Map<string, () => void>>();
  let count = 0;

  async function follow(
    uri: string,
    caller: LaneCaller,
    audience: Audience,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      for await (const update of watch(uri, caller, signal)) {
        onUpdate(update.uri, audience);
      }
    } catch (error) {
      if (!signal.aborted) {
        onError(error);
      }
    }
  }

  function checkRoom(uris: readonly string[], caller: LaneCaller): void {
    const known = watches.get(audienceOf(caller)?.key);
    if (count + uris.filter((uri) => known?.has(uri) !== true).length > maxWatches) {
      const message = `At most ${maxWatches} resources can be watched at a time; end other subscriptions first`;
      throw new RpcError(ErrorCode.InvalidParams, message);
    }
  }

  function retain(uri: string, caller: LaneCaller): () => void {
    const audience = audienceOf(caller);
    const key = audience?.key;
    const of = watches.get(key) ?? new Map<string, Watch>();
    watches.set(key, of);
    const known = of.get(uri) ?? { uri, end: new AbortController(), users: 0 };
    if (known.users++ === 0) {
      of.set(uri, known);
      count++;
      void follow(uri, caller, audience, known.end.signal);
    }
    return () => {
      if (--known.users === 0) {
        count--;
        of.delete(uri);
        known.end.abort();
        if (of.size === 0) {
          watches.delete(key);
        }
      }
    };
  }

  function stop(uri: string, session: ServerSession): void {
    const own = sessions.get(session);
    const release = own?.get(uri);
    own?.delete(uri);
    release?.();
  }

  return {
    async during(uris, caller, work) {
      checkRoom(uris, caller);
      const releases = uris.map((uri) => retain(uri, caller));
      try {
        return await work();
      } finally {
        releases.forEach((release) => release());
      }
    },
    start(uri, caller, session) {
      checkRoom([uri], caller);
      let own = sessions.get(session);
      if (own === undefined) {
        const started = new Map<string, () => void>();
        own = started;
        sessions.set(session, started);
        void session.closed.then(() => [...started.keys()].forEach((each) => stop(each, session)));
      }
      if (!own.has(uri)) {
        own.set(uri, retain(uri, caller));
      }
    },
    stop,
  };
}
