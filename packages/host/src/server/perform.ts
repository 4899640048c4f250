import { reasonOf, sleep, unlessAborted, type Clock } from "@tenon/base";
import { isLocalError, isRpcError } from "@tenon/jsonrpc2/core";
import { isMcpError, type ClientSession, type RequestOptions } from "@tenon/mcp";

import { HostError, isHostError, type HostDelivered, type HostErrorCode, type Phase } from "../error.ts";
import type { ManagedServer } from "./managed-server.ts";
import { within } from "./wait.ts";
import { createTrace, isNetworkError, provesUndelivered, wantsAuth, type Trace } from "./wire.ts";

/** One request to a server, which may take several tries. */
export interface Job<T> {
  readonly phase: Phase;
  /** Which breaker it belongs to. */
  readonly side: "read" | "write";
  /** For everything, waiting for the server included. */
  readonly timeoutMs: number;
  /** True if it does no harm when the server gets it twice. */
  readonly isRepeatable: () => boolean;
  /** Sends the request. The params are passed through `traced`. */
  run(session: ClientSession, trace: Trace, options: RequestOptions): Promise<T>;
}

/**
 * Performs a request: waits for the server, checks its breaker and sends. If the connection is
 * lost, it sends the request again if it certainly did not reach the server, or if it may run
 * twice. No other request is ever sent twice; the transports also repeat only repeatable requests.
 *
 * @throws `HostError` with `delivered`; `signal.reason`.
 */
export function perform<T>(
  server: ManagedServer,
  clock: Clock,
  job: Job<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let trace = createTrace();
  const end = clock.now() + job.timeoutMs;
  // The result of earlier attempts: an error must report the worst of them.
  let earlier: HostDelivered = "no";
  const expired = (): HostError =>
    new HostError("TIMEOUT", `The server ${server.name} did not respond within ${job.timeoutMs} ms.`, {
      server: server.name,
      phase: job.phase,
      delivered: worse(earlier, trace.delivered),
      retryable: true,
    });
  return within(clock, job.timeoutMs, signal, expired, async (limited) => {
    const tries = server.rules.retry === "never" ? 1 : 1 + server.rules.limits.maxRetries;
    for (let left = tries - 1; ; left--) {
      trace = createTrace();
      const session = await server.ready(limited).catch((error: unknown) => {
        limited.throwIfAborted();
        throw atLeast(describeFailure(server.name, job.phase, trace, error), earlier);
      });
      try {
        return await once(server, session, job, trace, limited);
      } catch (error) {
        limited.throwIfAborted();
        const failure = describeFailure(server.name, job.phase, trace, error);
        const pauseMs = pauseIn(failure.cause);
        if (left === 0 || !mayRepeat(failure, job) || isTooLong(pauseMs, end - clock.now())) {
          throw atLeast(failure, earlier);
        }
        earlier = worse(earlier, failure.delivered);
        if (isLocalError(failure.cause, "CONNECTION_CLOSED")) {
          // The server notices only afterwards that its session has ended.
          await unlessAborted(session.closed, limited);
        }
        if (pauseMs > 0) {
          await sleep(pauseMs, { clock, signal: limited, keepsAlive: true });
        }
      }
    }
  });
}

/**
 * How long a server may ask to be left alone before the caller decides instead, in milliseconds.
 */
const longestPause = 30_000;

/** Whether a pause is too long, or leaves no time of the request for another try. */
function isTooLong(pauseMs: number, leftMs: number): boolean {
  return pauseMs > longestPause || (pauseMs > 0 && pauseMs >= leftMs);
}

/**
 * How long a server wants to be left alone, in milliseconds: a full one is not helped by the same
 * request at once.
 */
function pauseIn(error: unknown): number {
  const asked =
    typeof error === "object" && error !== null && "retryAfterMs" in error ? error.retryAfterMs : 0;
  return typeof asked === "number" ? asked : 0;
}

function worse(one: HostDelivered, other: HostDelivered): HostDelivered {
  return one === "no" || other === "yes" ? other : one;
}

function atLeast(error: HostError, earlier: HostDelivered): HostError {
  const delivered = worse(earlier, error.delivered);
  if (delivered === error.delivered) {
    return error;
  }
  const { code, message, server, phase, retryable, retryAfterMs, cause } = error;
  return new HostError(code, message, { server, phase, retryable, retryAfterMs, cause, delivered });
}

function mayRepeat<T>({ code, delivered, retryable }: HostError, job: Job<T>): boolean {
  if (!retryable || (code !== "CONNECTION_LOST" && code !== "REQUEST_FAILED")) {
    return false;
  }
  return delivered === "no" || (code === "CONNECTION_LOST" && job.isRepeatable());
}

async function once<T>(
  server: ManagedServer,
  session: ClientSession,
  job: Job<T>,
  trace: Trace,
  signal: AbortSignal,
): Promise<T> {
  await server.throttle.pass(job.phase, signal);
  const isProbe = await pass(server, session, job, signal);
  const breaker = server.breakers[job.side];
  try {
    const result = await job.run(session, trace, {
      signal,
      timeoutMs: server.rules.limits.timeoutMs,
      totalTimeoutMs: Infinity,
    });
    breaker.succeed();
    return result;
  } catch (error) {
    if (answered(error)) {
      trace.delivered = "yes";
      breaker.succeed();
    } else if (
      isOwnMistake(error) ||
      wantsAuth(error) ||
      (signal.aborted && !isHostError(signal.reason, "TIMEOUT"))
    ) {
      // Another call may probe the server.
      if (isProbe) {
        breaker.abandon();
      }
    } else {
      breaker.fail();
    }
    if (wantsAuth(error)) {
      server.unauthorized(error);
    }
    throw error;
  } finally {
    server.breakerChanged();
  }
}

/** Passes the breaker, by a probe if it is half open. @returns Whether the server was probed. */
async function pass<T>(
  server: ManagedServer,
  session: ClientSession,
  job: Job<T>,
  signal: AbortSignal,
): Promise<boolean> {
  const breaker = server.breakers[job.side];
  const admission = breaker.admit();
  if (admission === "go") {
    return false;
  }
  let cause: unknown;
  if (admission === "probe") {
    try {
      await session.ping({}, { signal, timeoutMs: server.rules.limits.timeoutMs });
      return true;
    } catch (error) {
      if (answered(error)) {
        return true;
      }
      cause = error;
      if (signal.aborted && !isHostError(signal.reason, "TIMEOUT")) {
        breaker.abandon();
        throw error;
      }
      breaker.fail();
    }
  }
  const { retryAfterMs } = breaker;
  throw new HostError(
    "BREAKER_OPEN",
    `The server ${server.name} failed too often and is left alone for now. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`,
    { server: server.name, phase: job.phase, retryable: true, retryAfterMs, cause },
  );
}

/** Whether the error is the server's response, or can occur only after a response. */
function answered(error: unknown): boolean {
  const isOverLimit = isLocalError(error) && error.received !== undefined;
  return (
    isOverLimit ||
    isRpcError(error) ||
    isMcpError(error, "INVALID_RESULT") ||
    isMcpError(error, "INPUT_FAILED")
  );
}

/** True if the request could not be made at all, and never will be. */
function isOwnMistake(error: unknown): boolean {
  return isMcpError(error) || isLocalError(error, "NOT_SERIALIZABLE") || isLocalError(error, "INVALID_STATE");
}

function describeFailure(server: string, phase: Phase, trace: Trace, cause: unknown): HostError {
  if (isHostError(cause)) {
    return cause;
  }
  if (trace.delivered === "maybe" && trace.writes <= 1 && provesUndelivered(cause)) {
    trace.delivered = "no";
  }
  const code = codeOf(cause);
  return new HostError(code, `The server ${server}: ${reasonOf(cause)}`, {
    server,
    phase,
    delivered: trace.delivered,
    retryable:
      code === "CONNECTION_LOST" ||
      code === "TIMEOUT" ||
      (trace.delivered === "no" && !isOwnMistake(cause) && !wantsAuth(cause)),
    cause,
  });
}

function codeOf(error: unknown): HostErrorCode {
  if (isRpcError(error)) {
    return "REMOTE_ERROR";
  }
  if (isLocalError(error, "CONNECTION_CLOSED") || isNetworkError(error)) {
    return "CONNECTION_LOST";
  }
  if (isLocalError(error, "TIMEOUT")) {
    return "TIMEOUT";
  }
  return isLocalError(error, "LIMIT_EXCEEDED") ? "LIMIT_EXCEEDED" : "REQUEST_FAILED";
}
