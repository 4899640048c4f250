import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { Server, ServerSession } from "@tenon/mcp/server";

import type { ProxySource } from "./source.ts";

/** Watches the resources behind a proxy that clients in front of it have subscribed to. */
export interface Watching {
  /** Watches resources while work is running, such as a stream of a client. */
  during<T>(uris: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Watches a resource until the session ends or {@link stop} is called. */
  start(uri: string, session: ServerSession): void;
  /** Ends what {@link start} began. */
  stop(uri: string, session: ServerSession): void;
}

/** Maximum number of resources that are watched at a time, for all clients together. */
const maxWatches = 1000;

interface Watch {
  readonly end: AbortController;
  users: number;
}

/**
 * Creates the watching. All clients share one watch of a resource. Above 1,000 resources further
 * ones are refused with `-32602`.
 *
 * @param onError - Called if a resource cannot be watched.
 */
export function createWatching(
  watch: NonNullable<ProxySource["watch"]>,
  server: () => Server,
  onError: (error: unknown) => void,
): Watching {
  const watches = new Map<string, Watch>();
  const sessions = new WeakMap<ServerSession, Set<string>>();

  async function follow(uri: string, signal: AbortSignal): Promise<void> {
    try {
      for await (const update of watch(uri, signal)) {
        server().resourceUpdated(update.uri);
      }
    } catch (error) {
      if (!signal.aborted) {
        onError(error);
      }
    }
  }

  function checkRoom(uris: readonly string[]): void {
    if (watches.size + uris.filter((uri) => !watches.has(uri)).length > maxWatches) {
      const message = `At most ${maxWatches} resources can be watched at a time; end other subscriptions first`;
      throw new RpcError(ErrorCode.InvalidParams, message);
    }
  }

  function retain(uri: string): void {
    let known = watches.get(uri);
    if (known === undefined) {
      known = { end: new AbortController(), users: 0 };
      watches.set(uri, known);
      void follow(uri, known.end.signal);
    }
    known.users++;
  }

  function release(uri: string): void {
    const known = watches.get(uri);
    if (known !== undefined && --known.users === 0) {
      watches.delete(uri);
      known.end.abort();
    }
  }

  function stop(uri: string, session: ServerSession): void {
    if (sessions.get(session)?.delete(uri) === true) {
      release(uri);
    }
  }

  return {
    async during(uris, work) {
      checkRoom(uris);
      uris.forEach(retain);
      try {
        return await work();
      } finally {
        uris.forEach(release);
      }
    },
    start(uri, session) {
      checkRoom([uri]);
      let uris = sessions.get(session);
      if (uris === undefined) {
        const started = new Set<string>();
        uris = started;
        sessions.set(session, started);
        void session.closed.then(() => started.forEach((each) => stop(each, session)));
      }
      if (!uris.has(uri)) {
        uris.add(uri);
        retain(uri);
      }
    },
    stop,
  };
}
