import { McpError } from "../../base/error.ts";
import type { ServerFeature } from "../../request/server/feature.ts";
import type { InnerServerSession, ServerSession } from "../../request/server/session.ts";
import type { ListenSetup } from "./server/listen.ts";
import { listens } from "./server/listens.ts";
import { watching } from "./server/publish.ts";

/**
 * Called when a legacy client subscribes to or unsubscribes from a resource. Throw an `RpcError` to
 * reject the request.
 */
export type SubscriptionHook = (uri: string, session: ServerSession) => void | Promise<void>;

/** The dependencies of {@link subscriptionsFeature} on its server. */
export interface SubscriptionsSetup extends ListenSetup {
  readonly onSubscribe: SubscriptionHook | undefined;
  readonly onUnsubscribe: SubscriptionHook | undefined;
}

/**
 * Handles subscriptions of clients: `resources/subscribe` and `unsubscribe` of legacy clients,
 * `subscriptions/listen` of modern clients.
 *
 * @throws `McpError` `INVALID_DEFINITION` if only one of the two hooks is given.
 * @source R-522, S-166…S-168, S-167
 */
export function subscriptionsFeature(setup: SubscriptionsSetup): ServerFeature {
  if ((setup.onSubscribe === undefined) !== (setup.onUnsubscribe === undefined)) {
    throw new McpError("INVALID_DEFINITION", "onSubscribe and onUnsubscribe go together; give both or none.");
  }
  return {
    methods: {
      "subscriptions/listen": ({ notifications }, request) =>
        watching.use(({ listen }) => listen(notifications, request, setup)),
      "resources/subscribe": ({ uri }, request) =>
        watching.use(({ subscribe }) => subscribe(uri, request, setup)),
      "resources/unsubscribe": ({ uri }, request) =>
        watching.use(({ unsubscribe }) => unsubscribe(uri, request, setup)),
    },
    load: () => (setup.declares("resources.subscribe") ? watching.load() : undefined),
  };
}

/** Ends the subscriptions of a session normally. Returns `undefined` without subscriptions. */
export function endSubscriptions(session: InnerServerSession): Promise<void> | undefined {
  const running = session.state.peek(listens);
  return running === undefined || running.size === 0
    ? undefined
    : watching.use(({ endListens }) => endListens(session, running));
}
