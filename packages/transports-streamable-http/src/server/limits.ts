import type { LimitRules } from "@tenon/base";
import { endpointLimits, type EndpointLimits } from "@tenon/http/server";
import type { DecodeLimits } from "@tenon/jsonrpc2";
import { decodeLimits } from "@tenon/jsonrpc2/transport";

/** Limits of a {@link createStatelessHandler | stateless handler}. */
export interface StatelessHandlerLimits extends Omit<DecodeLimits, "maxMessageBytes">, EndpointLimits {
  /**
   * Maximum number of messages without a session whose handlers run concurrently, without
   * `subscriptions/listen`. Further messages are rejected with 503. One client may use half of it;
   * clients are told apart by `auth.principal`, otherwise by their address where the runtime has it
   * (`node`). Default: `4_096`.
   */
  readonly maxInFlight?: number | undefined;
  /**
   * Maximum number of messages of one principal among those of `maxInFlight`, and of its streams
   * among those of `maxListens`. Further ones are rejected with 503. Default: `256`.
   */
  readonly maxInFlightPerPrincipal?: number | undefined;
  /**
   * Maximum number of open `subscriptions/listen` streams. Further streams are rejected with 503.
   * One client may use half of it, see {@link StatelessHandlerLimits.maxInFlight}. Default:
   * `1_024`.
   */
  readonly maxListens?: number | undefined;
  /**
   * Interval of heartbeat comments on an idle event stream, in milliseconds. A JSON response that
   * takes longer turns into a stream. `Infinity` disables both. Default: `15_000`.
   */
  readonly heartbeatMs?: number | undefined;
}

/** Limits of a {@link createStreamableHandler | handler with sessions}. */
export interface StreamableHandlerLimits extends StatelessHandlerLimits {
  /**
   * Maximum number of legacy sessions. A new session evicts one whose client is not connected: one
   * that was never used after `initialize`, otherwise the longest idle one of the principal that
   * has the most sessions, and no fewer than the new client's. Clients without a principal cannot
   * evict each other's sessions within a minute of their last use. If no session can be evicted,
   * the request gets 503. Default: `10_000`.
   */
  readonly maxSessions?: number | undefined;
  /**
   * Maximum number of sessions of one principal. One more evicts the principal's session that has
   * been idle longest; if none is idle, the request gets 503. Clients without a principal are not
   * limited by it. Default: `64`.
   */
  readonly maxSessionsPerPrincipal?: number | undefined;
  /**
   * Time after which an idle session ends, in milliseconds. It counts from the end of the last
   * response or stream, or from when the client disconnected. Default: `1_800_000` (30 minutes).
   */
  readonly idleMs?: number | undefined;
  /**
   * Time that a client should wait before it reopens a stream that was closed, in milliseconds, at
   * most 2,147,483,647. A request of the server outside of any request of the client waits five
   * times as long for the standalone stream. Default: `1_000`.
   *
   * @source R-350
   */
  readonly retryMs?: number | undefined;
  /**
   * Maximum time to wait for `stores`, and for the response of another process, in milliseconds.
   * Then the request gets 503. Default: `2_000`.
   */
  readonly storeMs?: number | undefined;
}

/** Limits of a {@link StreamableServerTransport}. */
export interface StreamableServerLimits
  extends
    Omit<DecodeLimits, "maxMessageBytes">,
    EndpointLimits,
    Pick<StreamableHandlerLimits, "heartbeatMs" | "retryMs"> {}

/** The rules of {@link StatelessHandlerLimits}. */
export const statelessHandlerLimits: LimitRules<StatelessHandlerLimits> = {
  ...decodeLimits,
  ...endpointLimits,
  maxInFlight: [4096, 0],
  maxInFlightPerPrincipal: [256, 0],
  maxListens: [1024, 0],
  heartbeatMs: [15_000, 1],
};

/** The rules of {@link StreamableHandlerLimits}. */
export const streamableHandlerLimits: LimitRules<StreamableHandlerLimits> = {
  ...statelessHandlerLimits,
  maxSessions: [10_000, 1],
  maxSessionsPerPrincipal: [64, 1],
  idleMs: [1_800_000, 1],
  retryMs: [1000, 0, 0x7fff_ffff],
  storeMs: [2000, 1, 0x7fff_ffff],
};

const { heartbeatMs, retryMs } = streamableHandlerLimits;

/** The rules of {@link StreamableServerLimits}. */
export const streamableServerLimits: LimitRules<StreamableServerLimits> = {
  ...decodeLimits,
  ...endpointLimits,
  heartbeatMs,
  retryMs,
};
