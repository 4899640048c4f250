import { backoff, isRecord } from "@tenon/base";
import { isLocalError, isRpcError, LocalError } from "@tenon/jsonrpc2/core";
import { CredentialWatch } from "@tenon/jsonrpc2/credential-watch";
import type { SubscriptionFilter } from "@tenon/protocol";

import { onceClosed } from "../../../base/once-closed.ts";
import type { InnerClientSession } from "../../../request/client/inner-session.ts";
import { type Subscription } from "../../../request/client/subscription.ts";
import type { KeptListener } from "./kept.ts";
import { openSubscription } from "./subscription.ts";

export { openSubscription };

const initialDelayMs = 500;
const maxDelayMs = 30_000;
const maxAttempts = 10;

/** Time after which a subscription counts as healthy even if it has not brought any change. */
const healthyMs = 5000;

/**
 * A subscription that is opened again whenever it ends, after a delay that doubles from attempt to
 * attempt (500 ms to 30 s, the second half of it random), up to ten times in a row. It also
 * doubles while the server ends each subscription soon after the acknowledgment. If the server
 * refuses the credentials, it is opened again when they change. When it has ended, and when it is
 * open again, cached results are stale: changes may have been missed.
 *
 * @param timeoutMs - How long an acknowledgment may take. Default: the client's `timeoutMs`.
 * @returns The filter that the server supports, and a function to stop.
 * @throws Whatever the first attempt failed with.
 * @source
 */
export async function keepListening(
  session: InnerClientSession,
  filter: SubscriptionFilter,
  listener: KeptListener,
  timeoutMs?: number,
): Promise<{ readonly honoured: SubscriptionFilter; stop(): Promise<void> }> {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Subscriptions in a row that ended soon and brought nothing. */
  let brief = 0;
  const open = (): Promise<Subscription> =>
    openSubscription(session, filter, {
      signal,
      timeoutMs,
      onChange: (change) => {
        brief = 0;
        listener.onChange(change);
      },
    });
  /** Results that were cached while there was no subscription are stale, too. */
  const tell = (react: "onInterrupted" | "onResumed"): void => {
    forgetCached(session, filter);
    listener[react]?.();
  };
  let current = await open();
  const { honoured } = current;
  const run = async (): Promise<void> => {
    for (;;) {
      const since = session.clock.now();
      await current.closed;
      forgetCached(session, filter);
      if (session.clock.now() - since >= healthyMs) {
        brief = 0;
      }
      const next =
        signal.aborted || session.isClosed
          ? undefined
          : await comeBack(session, open, () => tell("onInterrupted"), signal, brief++);
      if (next === undefined) {
        return;
      }
      current = next;
      tell("onResumed");
    }
  };
  run().catch((error: unknown) => {
    if (!signal.aborted) {
      listener.onLost(error);
    }
  });
  return {
    honoured,
    stop: async () => {
      stopping.abort(new LocalError("CONNECTION_CLOSED", "The subscription was closed."));
      await current.closed;
    },
  };
}

/** Makes the cached results stale whose changes a filter subscribes to. */
function forgetCached(session: InnerClientSession, filter: SubscriptionFilter): void {
  for (const [method, { filter: field = "" }] of Object.entries(session.rules.methods)) {
    const wanted = filter[field as keyof SubscriptionFilter];
    for (const params of Array.isArray(wanted) ? wanted.map((uri) => ({ uri })) : wanted ? [{}] : []) {
      session.forgetStale(method, params);
    }
  }
}

async function comeBack(
  session: InnerClientSession,
  open: () => Promise<Subscription>,
  onInterrupted: () => void,
  signal: AbortSignal,
  brief: number,
): Promise<Subscription | undefined> {
  const credentials = new CredentialWatch(session.authorization);
  let isFirst = true;
  const attempt = (): Promise<Subscription> =>
    open().catch((error: unknown) => {
      if (isFirst && !signal.aborted) {
        isFirst = false;
        onInterrupted();
      }
      throw error;
    });
  try {
    return await reopen(session, attempt, credentials, signal, brief);
  } finally {
    credentials.stop();
  }
}

async function reopen(
  session: InnerClientSession,
  open: () => Promise<Subscription>,
  credentials: CredentialWatch,
  signal: AbortSignal,
  brief: number,
): Promise<Subscription | undefined> {
  let delayMs: number | undefined;
  for (let attempt = 0; ; attempt++) {
    delayMs ??= backoff(brief + attempt, { initialDelayMs, maxDelayMs });
    await pause(session, delayMs, credentials, signal);
    if (signal.aborted || session.isClosed) {
      return undefined;
    }
    delayMs = undefined;
    const { changes } = credentials;
    try {
      return await open();
    } catch (error) {
      if (credentials.reports && credentials.changes === changes && isUnauthorized(error)) {
        delayMs = Infinity;
        attempt = -1;
        continue;
      }
      // Errors that will occur again: the server rejects the request, or the connection is closed.
      const isFinal = isRpcError(error) || isLocalError(error, "CONNECTION_CLOSED");
      if (isFinal || attempt + 1 >= maxAttempts) {
        throw error;
      }
    }
  }
}

/** Whether the server requires other credentials: HTTP status 401. */
function isUnauthorized(error: unknown): boolean {
  return isRecord(error) && error["status"] === 401;
}

/**
 * Waits until the time has elapsed, the credentials change, `signal` fires or the session ends.
 * Never rejects.
 */
async function pause(
  session: InnerClientSession,
  delayMs: number,
  credentials: CredentialWatch,
  signal: AbortSignal,
): Promise<void> {
  const waking = new AbortController();
  const wake = (): void => waking.abort();
  const forget = onceClosed(session, wake);
  signal.addEventListener("abort", wake);
  // Like the stream that was lost, except if only a login can end the wait.
  const keepsAlive = delayMs < Infinity;
  const { clock } = session;
  await credentials.wait(delayMs, { signal: waking.signal, clock, keepsAlive }).catch(() => {});
  signal.removeEventListener("abort", wake);
  forget();
}
