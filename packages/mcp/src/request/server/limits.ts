import type { LimitRules } from "@tenon/base";

/** Limits of a server. */
export interface ServerLimits {
  /**
   * Maximum number of requests per session that run concurrently. Up to 1,024 further requests
   * wait, except for `ping` and `server/discover`, which are handled at once. If a session is full
   * and no request finishes for a second, further requests are rejected with `-32603`. It does not
   * limit requests without a session: their transport does. Default: `256`.
   */
  readonly maxInFlight?: number | undefined;
  /**
   * Maximum time to handle one request, in milliseconds, including requests to a legacy client.
   * After it the `signal` aborts, the request gets the error `-32603`, and `onError` is called.
   * Subscriptions are not limited. Default: `Infinity`.
   */
  readonly handlerTimeoutMs?: number | undefined;
  /**
   * How long handlers may continue when a session or the server is closed, in milliseconds. After
   * it they are aborted. Default: `1_000`.
   */
  readonly drainMs?: number | undefined;
  /**
   * Idle timeout of a request to a client, in milliseconds. After it the request rejects with
   * `TIMEOUT`. Default: `60_000`.
   *
   * @source R-240
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Total timeout of a request to a client, in milliseconds. Progress does not restart it. After it
   * the request rejects with `TIMEOUT`. Default: `3_600_000` (1 hour).
   */
  readonly totalTimeoutMs?: number | undefined;
  /** Maximum number of items per page of a list. Default: `1_000`. @source S-196 */
  readonly pageSize?: number | undefined;
  /**
   * Maximum number of subscriptions of one session or, without a session, of one principal. It also
   * limits the number of URIs in one subscription. Further subscriptions are rejected with
   * `-32603`. Default: `1_024`.
   */
  readonly maxSubscriptions?: number | undefined;
  /**
   * How long changes to a list are collected before clients are notified, in milliseconds. With `0`
   * they are collected until the end of the turn. Default: `10`.
   */
  readonly listChangedDelayMs?: number | undefined;
  /**
   * Minimum time between two progress notifications of one request, in milliseconds. Earlier ones
   * are dropped, unless they reach their `total`. Default: `0`.
   *
   * @source R-435
   */
  readonly progressIntervalMs?: number | undefined;
  /**
   * Minimum time between two log messages to one session or, without a session, of one request, in
   * milliseconds. Messages that come sooner are dropped. Default: `0`.
   *
   * @source S-186
   */
  readonly logIntervalMs?: number | undefined;
  /**
   * Maximum number of rounds in which one request may ask for input. A further round fails the
   * request with `-32603`. Default: `32`.
   */
  readonly maxRounds?: number | undefined;
  /**
   * Maximum number of concurrent input requests of one request. With more of them the request fails
   * with `-32603`. Default: `32`.
   */
  readonly maxInputs?: number | undefined;
  /**
   * How long the client may take to send its input responses (2026-07-28), in milliseconds. Later
   * ones are rejected with `-32602`. Default: `600_000` (10 minutes).
   */
  readonly stateTtlMs?: number | undefined;
  /**
   * Maximum size of a sealed `requestState` in bytes, both sent and received. A larger one fails
   * the request. Default: `65_536` (64 KiB).
   */
  readonly maxStateBytes?: number | undefined;
  /**
   * How long an input request waits for concurrent steps before the request fails with `-32603`, in
   * milliseconds. Default: `30_000`.
   */
  readonly stepWaitMs?: number | undefined;
}

/** The rules of {@link ServerLimits}. */
export const serverLimits: LimitRules<ServerLimits> = {
  maxInFlight: [256, 1],
  handlerTimeoutMs: [Infinity, 1],
  drainMs: [1000, 0],
  timeoutMs: [60_000, 1],
  totalTimeoutMs: [3_600_000, 1],
  pageSize: [1000, 1],
  maxSubscriptions: [1024, 0],
  listChangedDelayMs: [10, 0],
  progressIntervalMs: [0, 0],
  logIntervalMs: [0, 0],
  maxRounds: [32, 1],
  maxInputs: [32, 1],
  stateTtlMs: [600_000, 1],
  maxStateBytes: [65_536, 1],
  stepWaitMs: [30_000, 0],
};
