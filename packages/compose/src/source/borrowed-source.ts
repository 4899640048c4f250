import type { CallRelay, LaneLimits, LaneSetup } from "@tenon/host";
import type { Client, ClientRequest, ClientSession, ReceivingMiddleware } from "@tenon/mcp/client";

import { useClient, type ClientUse } from "./borrowed-client.ts";
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
  const preparing = createPreparing(() => source.lanes.shared?.calls.size ?? 0, ended.signal);
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
  if (signal.aborted) {
    return;
  }
  const onChange = ({ method }: { readonly method: string }): void => {
    const list = changedBy.get(method);
    if (list !== undefined && !signal.aborted) {
      source.listChanged(list);
    }
  };
  if (session.era === "legacy") {
    const noting: ReceivingMiddleware<ClientRequest> = (next) => (request) => {
      onChange(request);
      return next(request);
    };
    const end = useClient({ session, middleware: [noting], takesRequests: () => false });
    signal.addEventListener("abort", end, { once: true });
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

/**
 * Adds middleware to the client of a session for that session alone, until the source ends. Without
 * an open call, the client responds itself, as without the composition. If the client connects
 * again, the middleware of its next session replaces the middleware of the session before.
 */
function createPreparing(
  openCalls: () => number,
  ended: AbortSignal,
): (session: ClientSession) => Parameters<LaneSetup["prepare"]>[0] {
  let present: { readonly use: ClientUse; readonly end: () => void } | undefined;
  ended.addEventListener("abort", () => present?.end(), { once: true });

  return (session) => {
    const client = session.client as Client;
    const own: Pick<Client, "addReceivingMiddleware" | "use"> = {
      // The session has the extensions that it has.
      use: () => client,
      addReceivingMiddleware: (...middleware) => {
        const same = present?.use.session === session ? present.use.middleware : [];
        present?.end();
        const use = {
          session,
          middleware: [...same, ...middleware],
          takesRequests: () => openCalls() > 0,
        };
        present = ended.aborted ? undefined : { use, end: useClient(use) };
      },
    };
    return own as Client;
  };
}
