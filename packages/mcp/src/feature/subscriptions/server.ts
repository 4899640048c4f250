import { ErrorCode, RpcError } from "@tenon/jsonrpc2";

import { McpError } from "../../error.ts";
import type { ServerRequest } from "../../session/request.ts";
import type { ServerSession } from "../../session/server-session.ts";
import type { ServerFeature } from "../server-feature.ts";
import { listen, listens, type ListenSetup } from "./listen.ts";
import { legacySubscriptions } from "./publish.ts";

/** Told that a legacy client starts or stops watching a resource; may refuse by throwing an `RpcError`. */
export type SubscriptionHook = (uri: string, session: ServerSession) => void | Promise<void>;

/** What {@link subscriptionsFeature} needs of its server. */
export interface SubscriptionsSetup extends ListenSetup {
  readonly onSubscribe: SubscriptionHook | undefined;
  readonly onUnsubscribe: SubscriptionHook | undefined;
}

/**
 * The server's side of watching: `resources/subscribe` and `unsubscribe` in the legacy era (R-522, S-166…S-168), `subscriptions/listen` in the modern one.
 *
 * @throws `McpError` `INVALID_DEFINITION` if only one of the two hooks is given (S-167).
 */
export function subscriptionsFeature(setup: SubscriptionsSetup): ServerFeature {
  if ((setup.onSubscribe === undefined) !== (setup.onUnsubscribe === undefined)) {
    throw new McpError("INVALID_DEFINITION", "onSubscribe and onUnsubscribe go together; give both or none.");
  }
  return {
    methods: {
      "subscriptions/listen": ({ notifications }, request) => listen(notifications, request, setup),
      "resources/subscribe": (params, request) => subscribe(params["uri"], request, setup),
      "resources/unsubscribe": (params, request) => unsubscribe(params["uri"], request, setup),
    },
  };
}

async function subscribe(
  uri: unknown,
  { session }: ServerRequest,
  setup: SubscriptionsSetup,
): Promise<object> {
  const checked = checkUri(uri);
  const { uris } = session.state.get(legacySubscriptions);
  if (!uris.has(checked) && uris.size >= setup.maxSubscriptions) {
    const message = `This session watches ${setup.maxSubscriptions} resources already; unsubscribe from one first`;
    throw new RpcError(ErrorCode.InternalError, message);
  }
  await setup.onSubscribe?.(checked, session);
  uris.add(checked);
  return {};
}

async function unsubscribe(
  uri: unknown,
  { session }: ServerRequest,
  setup: SubscriptionsSetup,
): Promise<object> {
  const checked = checkUri(uri);
  await setup.onUnsubscribe?.(checked, session);
  session.state.peek(legacySubscriptions)?.uris.delete(checked);
  return {};
}

function checkUri(uri: unknown): string {
  if (typeof uri !== "string") {
    throw new RpcError(ErrorCode.InvalidParams, 'The "uri" of the resource must be a text');
  }
  return uri;
}

/**
 * Ends all listens of a session in good order: each is answered, and then told to be cancelled, because the specification asks for either (R-416, R-538, T-02).
 * `undefined` if there were none.
 */
export function endListens(session: ServerSession): Promise<void> | undefined {
  const running = session.state.peek(listens);
  if (running === undefined || running.size === 0) {
    return undefined;
  }
  const ids = [...running].map(({ request }) => request.id);
  for (const entry of running) {
    entry.end();
  }
  return cancelAfterAnswer(session, ids);
}

async function cancelAfterAnswer(session: ServerSession, ids: readonly unknown[]): Promise<void> {
  // The answers are written within this turn.
  await new Promise<void>((resolve) => {
    setTimeout(resolve, 0);
  });
  await Promise.allSettled(
    ids.map((requestId) =>
      session.notify("notifications/cancelled", { requestId, reason: "The server ends the subscription." }),
    ),
  );
}
