import { isRpcError, isUndeliverable, type Clock } from "@tenon/jsonrpc2";
import type { LimitRules, ResolvedLimits } from "@tenon/jsonrpc2/transport";

import { isMcpError, McpError } from "../base/error.ts";
import { limitsOf } from "../base/limits.ts";

/**
 * Detects that the remote peer does not respond although the connection is open. A `ping` is sent
 * only after an interval without received messages, and not to a Streamable HTTP client without a
 * standalone stream.
 *
 * @source S-107
 */
export interface KeepAliveOptions {
  /**
   * Time between two checks, in milliseconds. `Infinity` disables keep-alive. Default: `30_000`.
   *
   * @source S-109
   */
  readonly intervalMs?: number | undefined;
  /** Time to wait for the response to a `ping`, in milliseconds. Default: `intervalMs`. */
  readonly timeoutMs?: number | undefined;
  /**
   * Number of consecutive intervals without response or any other message after which the session
   * is closed. Default: `1`.
   *
   * @source S-108
   */
  readonly failureThreshold?: number | undefined;
}

/** {@link KeepAliveOptions}, filled in. */
export type KeepAlive = ResolvedLimits<KeepAliveOptions>;

const keepAliveLimits: LimitRules<KeepAliveOptions> = {
  intervalMs: [30_000, 1],
  timeoutMs: [30_000, 1],
  failureThreshold: [1, 1],
};

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
 * Whether keep-alive uses the method to check the remote peer. Such requests do not wait behind
 * hanging handlers.
 */
export function isHealthCheck(method: string): boolean {
  return method === "ping" || method === "server/discover";
}

/**
 * Fills in the defaults. Returns `undefined` if keep-alive is off.
 *
 * @throws `McpError` `INVALID_DEFINITION` for a number that is not valid.
 */
export function keepAliveOf(options: KeepAliveOptions | undefined): KeepAlive | undefined {
  if (options === undefined) {
    return undefined;
  }
  const resolved = limitsOf(options, keepAliveLimits, "keepAlive");
  const { intervalMs } = resolved;
  return intervalMs === Infinity ? undefined : { ...resolved, timeoutMs: options.timeoutMs ?? intervalMs };
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
    timer = clock.setTimeout(() => void check(), intervalMs);
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
