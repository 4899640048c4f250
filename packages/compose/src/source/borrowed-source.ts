import type { CallRelay, LaneLimits, LaneSetup } from "@tenon/host";
import type { Client, ClientRequest, ClientSession, ReceivingMiddleware } from "@tenon/mcp/client";

import { connectedSource, type ChangedList, type ConnectedSource } from "./connected-source.ts";

/** Options of {@link borrowedSource}. */
export interface BorrowedSourceOptions {
  readonly name: string;
  readonly relay: CallRelay;
  readonly limits?: LaneLimits | undefined;
  /** Whether the connection tells for which call a legacy server requests input. */
  readonly related?: boolean | undefined;
  /** The session of this moment. */
  readonly session: () => ClientSession | Promise<ClientSession>;
  /** Whether to announce the changes of lists of the session. */
  readonly follows?: boolean | undefined;
  /** Called if the session cannot listen to changes, and as `onError` of `LanesOptions`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Makes a source of a session that the composition does not close. All callers share the session.
 * If a legacy server can request input, and its connection does not tell for which call, calls wait
 * for each other.
 */
export function borrowedSource({
  session,
  follows,
  onError,
  ...options
}: BorrowedSourceOptions): ConnectedSource {
  const ended = new AbortController();
  const preparing = createPreparing(() => source.lanes.shared?.calls.size ?? 0);
  const source: ConnectedSource = connectedSource({
    ...options,
    onError,
    isolation: "everybody",
    borrowed: true,
    async connect({ prepare }) {
      const own = await session();
      if (own.isClosed) {
        throw new Error(`The session with ${options.name} has ended.`);
      }
      prepare(preparing(own));
      if (follows === true) {
        followLists(own, source, ended.signal, onError);
      }
      return own;
    },
  });
  const close = source[Symbol.asyncDispose].bind(source);
  return Object.assign(source, {
    [Symbol.asyncDispose]: () => {
      ended.abort();
      return close();
    },
  });
}

/** The lists by the notification of their change. */
const changedBy: ReadonlyMap<string, ChangedList> = new Map(
  (["tools", "prompts", "resources"] as const).map((list) => [`notifications/${list}/list_changed`, list]),
);

/** Announces the changes of lists of a session, whose client may not listen to them. */
function followLists(
  session: ClientSession,
  source: ConnectedSource,
  signal: AbortSignal,
  onError: BorrowedSourceOptions["onError"],
): void {
  const onChange = ({ method }: { readonly method: string }): void => {
    const list = changedBy.get(method);
    if (list !== undefined && !signal.aborted) {
      source.listChanged(list);
    }
  };
  if (session.era === "legacy") {
    (session.client as Client).addReceivingMiddleware((next) => (request) => {
      if (request.session === session) {
        onChange(request);
      }
      return next(request);
    });
    return;
  }
  const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  session.listen(filter, { onChange, signal }).catch((error: unknown) => {
    // A server without subscriptions has nothing to announce.
    if (!signal.aborted && !session.isClosed && session.offers("subscriptions/listen")) {
      onError?.(error);
    }
  });
}

/** The middleware for one session of a client. */
interface OwnMiddleware {
  readonly session: ClientSession;
  readonly middleware: readonly ReceivingMiddleware<ClientRequest>[];
}

/**
 * Adds middleware to the client of a session for that session alone. Without an open call, the
 * client responds itself, as without the composition. If the client connects again, the middleware
 * of its next session replaces that of the session before, because a client keeps its middleware.
 */
function createPreparing(
  openCalls: () => number,
): (session: ClientSession) => Parameters<LaneSetup["prepare"]>[0] {
  const present = new WeakMap<Client, OwnMiddleware>();

  /** Runs the middleware of the present session. */
  function install(client: Client): void {
    client.addReceivingMiddleware((next) => {
      let known: OwnMiddleware | undefined;
      let asked = next;
      return (request) => {
        const own = present.get(client);
        if (own !== known && own !== undefined) {
          known = own;
          asked = own.middleware.reduceRight((inner, each) => each(inner), next);
        }
        return request.session === own?.session && (request.id === undefined || openCalls() > 0)
          ? asked(request)
          : next(request);
      };
    });
  }

  return (session) => {
    const client = session.client as Client;
    const own: Pick<Client, "addReceivingMiddleware" | "use"> = {
      // The session has the extensions that it has.
      use: () => client,
      addReceivingMiddleware: (...middleware) => {
        const before = present.get(client);
        const same = before?.session === session ? before.middleware : [];
        present.set(client, { session, middleware: [...same, ...middleware] });
        if (before === undefined) {
          install(client);
        }
      },
    };
    return own as Client;
  };
}
