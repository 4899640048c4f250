import { isRecord } from "@tenon/base";
import type { SubscriptionFilter } from "@tenon/protocol";

import { stateKey, type StateKey } from "../../../base/state.ts";
import type { InnerClientSession } from "../../../request/client/inner-session.ts";
import type { Change } from "../../../request/client/subscription.ts";

/** The interface of a running listen for the notifications of a session. */
export interface Running {
  acknowledge(honoured: SubscriptionFilter): void;
  deliver(change: Change): void;
  /** The server has ended it. */
  end(): void;
}

/**
 * The open listens of a client session by request ID; `1` and `"1"` are different IDs.
 *
 * @source R-258, T-54
 */
export const runningListens: StateKey<Map<unknown, Running>> = stateKey(() => new Map<unknown, Running>());

/**
 * Passes a notification to the listen whose tag it carries. A notification without a tag, which
 * violates the protocol, is passed to all.
 */
export function deliver(session: InnerClientSession, tag: unknown, change: Change): void {
  const listens = session.state.peek(runningListens);
  if (listens === undefined) {
    return;
  }
  const concerned = tag === undefined ? [...listens.values()] : [listens.get(tag)];
  for (const listen of concerned) {
    if (change.method === "notifications/subscriptions/acknowledged") {
      const { notifications } = change.params;
      listen?.acknowledge(isRecord(notifications) ? notifications : {});
    } else {
      listen?.deliver(change);
    }
  }
}
