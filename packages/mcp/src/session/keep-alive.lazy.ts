import type { Clock } from "@tenon/base";
import { isRpcError, isUndeliverable } from "@tenon/jsonrpc2/core";

import { isMcpError, McpError } from "../base/error.ts";
import type { KeepAlive } from "./keep-alive.ts";

/** The interface of a session for keep-alive. */
export interface KeepAliveSession {
  /** How many messages were received so far. */
  received(): number;
  /** Sends a request to the remote peer. Rejects if it does not respond in time. */
  ask(timeoutMs: number): Promise<unknown>;
  /** Ends the session. */
  fail(error: McpError): void;
}

/**
 * Sends a request after every interval in which nothing was received. Any message shows that the
 * peer responds, error responses included. A request that cannot be delivered proves nothing.
 * Returns a function that stops it.
 *
 * @source R-446
 */
export function keepAlive(options: KeepAlive, clock: Clock, session: KeepAliveSession): () => void {
  const { intervalMs, timeoutMs, failureThreshold } = options;
  let received = session.received();
  let failures = 0;
  let stopped = false;
  let timer: unknown;

  function schedule(): void {
    timer = clock.setTimeout(() => void check(), intervalMs, false);
  }

  /** Returns whether a message has arrived since the last call. */
  function hasTraffic(): boolean {
    const before = received;
    received = session.received();
    return received !== before;
  }

  async function check(): Promise<void> {
    const failure = hasTraffic() ? undefined : await ask();
    if (stopped) {
      return;
    }
    if (hasTraffic() || failure === undefined) {
      failures = 0;
    } else if (!isUndeliverable(failure)) {
      failures++;
    }
    if (failures < failureThreshold) {
      schedule();
      return;
    }
    stopped = true;
    const message = `${failures} consecutive keep-alive request(s) got no response within ${timeoutMs} ms (keepAlive.timeoutMs).`;
    session.fail(new McpError("KEEP_ALIVE_FAILED", message, { cause: failure }));
  }

  async function ask(): Promise<unknown> {
    try {
      await session.ask(timeoutMs);
      return undefined;
    } catch (error) {
      return isRpcError(error) || isMcpError(error, "INVALID_RESULT") ? undefined : error;
    }
  }

  schedule();
  return () => {
    stopped = true;
    clock.clearTimeout(timer);
  };
}
