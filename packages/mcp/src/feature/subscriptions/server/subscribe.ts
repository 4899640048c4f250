import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

import { uriKey } from "../../../base/uri-key.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { InnerServerSession } from "../../../request/server/session.ts";
import type { SubscriptionsSetup } from "../server.ts";
import { legacySubscriptions } from "./concerned.ts";
import { checkUri } from "./uri.ts";

/**
 * Handles `resources/subscribe`.
 *
 * @throws `RpcError` `-32602`, `-32603` above `maxSubscriptions`, `-32600` without a session; the
 *   error of the hook.
 * @source R-522
 */
export function subscribe(
  uri: unknown,
  request: InnerServerRequest,
  setup: SubscriptionsSetup,
): Promise<object> {
  return inTurn(uri, request, async (checked, session) => {
    const state = session.state.get(legacySubscriptions);
    const { uris } = state;
    const key = uriKey(checked);
    if (!uris.has(key) && uris.size + state.starting >= setup.maxSubscriptions) {
      const message = `This session watches ${setup.maxSubscriptions} resources already; unsubscribe from one first`;
      throw new RpcError(ErrorCode.InternalError, message);
    }
    state.starting++;
    try {
      await setup.onSubscribe?.(checked, session);
      if (request.signal.aborted && !uris.has(key)) {
        // The client does not learn about the subscription, so it would never end it.
        await setup.onUnsubscribe?.(checked, session);
      } else {
        uris.set(key, spellingOf(request, checked, key));
      }
    } finally {
      state.starting--;
    }
  });
}

/**
 * Handles `resources/unsubscribe`.
 *
 * @throws `RpcError` `-32602`, `-32600` without a session; the error of the hook.
 */
export function unsubscribe(
  uri: unknown,
  request: InnerServerRequest,
  setup: SubscriptionsSetup,
): Promise<object> {
  return inTurn(uri, request, async (checked, session) => {
    await setup.onUnsubscribe?.(checked, session);
    session.state.get(legacySubscriptions).uris.delete(uriKey(checked));
  });
}

/** The client's own spelling of a URI, unless middleware has replaced the URI. */
function spellingOf({ original }: InnerServerRequest, uri: string, key: string): string {
  const { uri: received } = original.params;
  return typeof received === "string" && uriKey(received) === key ? received : uri;
}

/** Updates could not be sent without a session, and `onUnsubscribe` would never be called. */
function sessionOf({ session, method }: InnerServerRequest): InnerServerSession {
  if (session === undefined) {
    throw new RpcError(ErrorCode.InvalidRequest, `${method} needs a session; this server has none for you`);
  }
  return session;
}

/** A client's requests about one resource are handled in their order, even if a hook is slow. */
async function inTurn(
  uri: unknown,
  request: InnerServerRequest,
  work: (uri: string, session: InnerServerSession) => Promise<void>,
): Promise<object> {
  const checked = checkUri(uri);
  const session = sessionOf(request);
  const { turns } = session.state.get(legacySubscriptions);
  const run = async (): Promise<void> => {
    request.signal.throwIfAborted();
    await work(checked, session);
  };
  const before = turns.get(checked);
  const turn = before === undefined ? run() : before.then(run, run);
  turns.set(checked, turn);
  try {
    await turn;
  } finally {
    if (turns.get(checked) === turn) {
      turns.delete(checked);
    }
  }
  return {};
}
