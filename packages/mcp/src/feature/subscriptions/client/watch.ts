import type { ResourceUpdatedNotificationParams } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import { onceClosed } from "../../../base/once-closed.ts";
import { stateKey } from "../../../base/state.ts";
import type { InnerClientSession } from "../../../request/client/inner-session.ts";
import type { ResourceWatch } from "../../../request/client/subscription.ts";
import { type KeptListener, listening } from "./kept.ts";
import { Updates } from "./updates.ts";

/** A resource that at least one reader of the session watches. */
interface Watched {
  readonly readers: Set<Updates>;
  readonly started: Promise<() => Promise<void>>;
}

const watchedResources = stateKey(() => new Map<string, Watched>());

/**
 * Watches a resource, by `resources/subscribe` or `subscriptions/listen`. Readers of one resource
 * share one subscription.
 */
export function watchResource(
  session: InnerClientSession,
  uri: string,
  signal: AbortSignal | undefined,
): ResourceWatch {
  const all = session.state.get(watchedResources);
  const updates = new Updates(uri);
  const watched = all.get(uri) ?? startWatching(session, uri);
  all.set(uri, watched);
  watched.readers.add(updates);

  const forget = onceClosed(session, ({ error }) => {
    updates.end(error === undefined ? {} : { error });
    signal?.removeEventListener("abort", onAbort);
  });
  let closing: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    updates.end({});
    signal?.removeEventListener("abort", onAbort);
    forget();
    watched.readers.delete(updates);
    if (watched.readers.size === 0 && all.get(uri) === watched) {
      all.delete(uri);
      await watched.started.then((unsubscribe) => unsubscribe()).catch(() => {});
    }
  };
  const close = (): Promise<void> => {
    closing ??= stop();
    return closing;
  };
  const fail = (reason: unknown): void => {
    updates.end({ error: reason });
    close().catch(session.onError);
  };
  const onAbort = (): void => {
    fail(signal?.reason);
  };
  if (signal?.aborted === true) {
    onAbort();
  }
  signal?.addEventListener("abort", onAbort);
  const ready = watched.started.then(() => {});
  ready.catch(fail);
  const watch: ResourceWatch = {
    ready,
    close,
    next: () => updates.next(),
    return: async () => {
      await close();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => watch,
    [Symbol.asyncDispose]: close,
  };
  return watch;
}

function startWatching(session: InnerClientSession, uri: string): Watched {
  const readers = new Set<Updates>();
  const tell = (update: ResourceUpdatedNotificationParams): void => {
    for (const reader of readers) {
      reader.push(update);
    }
  };
  const lose = (error: unknown): void => {
    session.state.get(watchedResources).delete(uri);
    for (const reader of readers) {
      reader.end({ error });
    }
  };
  const subscribe = session.era === "legacy" ? subscribeTo : listenTo;
  return { readers, started: subscribe(session, uri, tell, lose) };
}

/**
 * Passes an update to the readers of a legacy session that watch the URI or a parent of it; if
 * there are none, to all readers.
 *
 * @source R-524
 */
export function tellReaders(session: InnerClientSession, update: ResourceUpdatedNotificationParams): void {
  const all = [...(session.state.peek(watchedResources) ?? [])];
  const above = all.filter(([uri]) => update.uri.startsWith(uri));
  for (const [, { readers }] of above.length > 0 ? above : all) {
    for (const reader of readers) {
      reader.push(update);
    }
  }
}

type Subscribe = (
  session: InnerClientSession,
  uri: string,
  tell: (update: ResourceUpdatedNotificationParams) => void,
  lose: (error: unknown) => void,
) => Promise<() => Promise<void>>;

/** By URI: the `resources/unsubscribe` requests in flight. */
const unsubscribing = stateKey(() => new Map<string, Promise<unknown>>());

const subscribeTo: Subscribe = async (session, uri) => {
  const leaving = session.state.get(unsubscribing);
  // Over HTTP a request may overtake another: an earlier unsubscribe that arrives later would end
  // this subscription.
  for (let earlier = leaving.get(uri); earlier !== undefined; earlier = leaving.get(uri)) {
    await earlier;
  }
  await session.subscribe({ uri });
  return async () => {
    // A new reader may have started since.
    if (session.state.get(watchedResources).get(uri) === undefined && !session.isClosed) {
      const left = session.unsubscribe({ uri }).catch(() => {});
      leaving.set(uri, left);
      await left;
      if (leaving.get(uri) === left) {
        leaving.delete(uri);
      }
    }
  };
};

const listenTo: Subscribe = async (session, uri, tell, lose) => {
  const filter = { resourceSubscriptions: [uri] };
  const listener: KeptListener = {
    onChange: ({ params }) => {
      tell(typeof params["uri"] === "string" ? { ...params, uri: params["uri"] } : { uri });
    },
    onResumed: () => {
      tell({ uri });
    },
    onLost: lose,
  };
  const { honoured, stop } = await listening.use(({ keepListening }) =>
    keepListening(session, filter, listener),
  );
  if (honoured.resourceSubscriptions?.includes(uri) !== true) {
    await stop();
    throw cannotWatch(uri);
  }
  return stop;
};

function cannotWatch(uri: string): McpError {
  return new McpError(
    "CAPABILITY_MISSING",
    `Cannot subscribe to ${uri.slice(0, 200)}: the server does not send updates of it.`,
  );
}
