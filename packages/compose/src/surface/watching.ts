import { adjustCount } from "@tenon/base";
import type { LaneCaller } from "@tenon/host";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { ServerSession } from "@tenon/mcp/server";

import type { Audience, ProxySource } from "../source/source.ts";
import { again } from "./again.ts";

/** Watches the resources behind a proxy that clients in front of it have subscribed to. */
export interface Watching {
  /** Watches resources while work is running, such as a stream of a client. */
  during<T>(uris: readonly string[], caller: LaneCaller, work: () => Promise<T>): Promise<T>;
  /**
   * Watches a resource until the session ends or {@link stop} is called.
   *
   * @returns Whether the session did not watch it before.
   */
  start(uri: string, caller: LaneCaller, session: ServerSession): boolean;
  /** Ends what {@link start} began. */
  stop(uri: string, session: ServerSession): void;
}

/** The dependencies of {@link createWatching}. */
export interface WatchingOptions {
  readonly watch: NonNullable<ProxySource["watch"]>;
  /** The clients that see the same resources as a caller. They share a watch. */
  readonly audienceOf: (caller: LaneCaller) => Audience;
  readonly onUpdate: (uri: string, audience: Audience) => void;
  /** Called when a session begins to watch a resource. The result is called at the end. */
  readonly onSession: (session: ServerSession) => () => void;
  /** Called if a resource cannot be watched, or is not watched any more. It is tried again. */
  readonly onError: (error: unknown) => void;
}

/** Maximum number of resources that are watched at a time for one caller. */
const maxWatches = 1000;
/** Maximum number of watches for all callers together. */
const maxTotal = 50_000;

interface Watch {
  readonly uri: string;
  readonly end: AbortController;
  users: number;
}

/**
 * Creates the watching. Clients that see the same share one watch of a resource. More than 1,000
 * watches of one caller are refused with `-32602`. A watch that ends is begun again, as long as it
 * has users.
 */
export function createWatching({
  watch,
  audienceOf,
  onUpdate,
  onSession,
  onError,
}: WatchingOptions): Watching {
  /** By the key of the audience, then by URI. */
  const watches = new Map<unknown, Map<string, Watch>>();
  const sessions = new WeakMap<ServerSession, Map<string, () => void>>();
  /** By the key of the caller, then by URI: how often the caller uses the watch. */
  const callers = new Map<unknown, Map<string, number>>();
  let count = 0;

  async function follow(
    uri: string,
    caller: LaneCaller,
    audience: Audience,
    signal: AbortSignal,
  ): Promise<void> {
    for await (const update of again(() => watch(uri, caller, signal), signal, onError)) {
      onUpdate(update.uri, audience);
    }
  }

  function checkRoom(uris: readonly string[], caller: LaneCaller): void {
    const own = callers.get(caller.key);
    const shared = watches.get(audienceOf(caller)?.key);
    const more = uris.filter((uri) => own?.has(uri) !== true).length;
    const isFull = count + uris.filter((uri) => shared?.has(uri) !== true).length > maxTotal;
    if ((own?.size ?? 0) + more > maxWatches || isFull) {
      const message = isFull
        ? `At most ${maxTotal} resources can be watched at a time for all clients together; try again later`
        : `At most ${maxWatches} resources can be watched at a time; end other subscriptions first`;
      throw new RpcError(ErrorCode.InvalidParams, message);
    }
  }

  function use(uri: string, key: unknown, change: 1 | -1): void {
    const own = callers.get(key) ?? new Map<string, number>();
    callers.set(key, own);
    adjustCount(own, uri, change);
    if (own.size === 0) {
      callers.delete(key);
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
    use(uri, caller.key, 1);
    return () => {
      use(uri, caller.key, -1);
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
      const isNew = !own.has(uri);
      if (isNew) {
        const release = retain(uri, caller);
        const endUse = onSession(session);
        own.set(uri, () => {
          release();
          endUse();
        });
      }
      return isNew;
    },
    stop,
  };
}
