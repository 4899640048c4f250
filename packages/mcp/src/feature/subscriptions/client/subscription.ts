import { takeLateFailure } from "@tenon/base";
import { LocalError, type RequestId } from "@tenon/jsonrpc2/core";
import type { SubscriptionFilter } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import { limitsOf } from "../../../base/limits.ts";
import type { InnerClientSession } from "../../../request/client/inner-session.ts";
import type { Subscription, ListenOptions } from "../../../request/client/subscription.ts";
import { runningListens, type Running } from "./running.ts";

/**
 * Opens a `subscriptions/listen` and waits for its acknowledgment. It has no timeout of its own.
 *
 * @throws `RpcError` if the server refuses; `McpError` `NOT_IN_REVISION` in the legacy era,
 *   `INVALID_RESULT` if it ends before it began; `LocalError` `TIMEOUT` without an acknowledgment
 *   within `timeoutMs`; `McpError` `INVALID_DEFINITION` for a `timeoutMs` that is not valid;
 *   `signal.reason`.
 * @source R-530…
 */
export async function openSubscription(
  session: InnerClientSession,
  filter: SubscriptionFilter,
  { onChange, signal, timeoutMs = session.timeoutMs }: ListenOptions,
): Promise<Subscription> {
  limitsOf({ timeoutMs }, { timeoutMs: [Infinity, 1] }, "options");
  const listens = session.state.get(runningListens);
  const controller = new AbortController();
  const abort = (): void => {
    controller.abort(signal?.reason);
  };
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abort);

  let id: RequestId | undefined;
  let isEnded = false;
  let acknowledge: (honoured: SubscriptionFilter) => void = () => {};
  const acknowledged = new Promise<SubscriptionFilter>((resolve) => {
    acknowledge = resolve;
  });
  const running: Running = {
    acknowledge: (honoured) => {
      acknowledge(honoured);
    },
    deliver: (change) => {
      takeLateFailure(onChange(change), session.onError);
    },
    end: () => {
      isEnded = true;
      controller.abort();
    },
  };
  const request = session.request(
    "subscriptions/listen",
    { notifications: filter },
    {
      signal: controller.signal,
      timeoutMs: Infinity,
      totalTimeoutMs: Infinity,
      onId: (given) => {
        id = given;
        listens.set(given, running);
      },
    },
  );
  const outcome = request.then(
    () => ({}),
    (error: unknown) => (isEnded ? {} : { error }),
  );
  void outcome.then(() => {
    listens.delete(id);
    signal?.removeEventListener("abort", abort);
  });
  const closed = outcome.then((ended) => (controller.signal.aborted ? {} : ended));

  const { clock } = session;
  const isLimited = timeoutMs < Infinity;
  const giveUp = (): void => {
    controller.abort(new LocalError("TIMEOUT", "The server did not acknowledge the subscription in time."));
  };
  const timer = isLimited ? clock.setTimeout(giveUp, timeoutMs, true) : undefined;
  const first = await Promise.race([acknowledged, outcome.then((ended) => new Ended(ended))]);
  if (isLimited) {
    clock.clearTimeout(timer);
  }
  if (first instanceof Ended) {
    const early = new McpError("INVALID_RESULT", "The server ended the subscription before it began.");
    return Promise.reject(first.reason ?? early);
  }
  const close = async (): Promise<void> => {
    controller.abort();
    await closed;
  };
  return { honoured: first, closed, close, [Symbol.asyncDispose]: close };
}

/** That a listen ended before it was acknowledged. */
class Ended {
  readonly reason: unknown;

  constructor(outcome: { error?: unknown }) {
    this.reason = outcome.error;
  }
}
