/**
 * The state of a negotiation: which of the two requests are pending.
 *
 * - `asking`: `server/discover` is pending, and `initialize` was not sent.
 * - `both`: `server/discover` has taken long, so `initialize` was sent as well.
 * - `opening`: only `initialize` is pending.
 * - `opened`: `initialize` has succeeded, and `server/discover` may still succeed.
 * - `waiting`: `initialize` has failed, and `server/discover` is pending.
 */
export type State = "asking" | "both" | "opening" | "opened" | "waiting";

/**
 * An event during a negotiation.
 *
 * - `discovered`: a valid result of `server/discover` with a modern version in common.
 * - `offered`: `-32022` in response to `server/discover`, with a modern version in common.
 * - `legacy`: a response to `server/discover` that only a legacy server gives.
 * - `unclear`: `server/discover` failed in a way that is possible in both eras, such as HTTP 500 or
 *   a lost connection.
 * - `refused`: `server/discover` failed in a way that `initialize` would not change, such as HTTP
 *   401.
 * - `late`: no response to `server/discover` within `probeTimeoutMs`.
 * - `agreed`: a valid result of `initialize`.
 * - `redirected`: an error in response to `initialize` that lists a modern version in common, or
 *   any failure if `server/discover` was not sent because an earlier connection found a legacy
 *   server.
 * - `failed`: `initialize` failed in another way.
 * - `overdue`: the last wait for `server/discover` has ended.
 */
export type Event =
  | "discovered"
  | "offered"
  | "legacy"
  | "unclear"
  | "refused"
  | "late"
  | "agreed"
  | "redirected"
  | "failed"
  | "overdue";

/**
 * The reaction to an event.
 *
 * - `modern`, `legacy`: the negotiation ends with the result of `server/discover` or `initialize`.
 * - `ask`: send `server/discover`, in the version that was offered.
 * - `open`: send `initialize`.
 * - `grace`: give `server/discover` a last, short time.
 * - `wait`: do nothing.
 * - `fail`: the negotiation fails.
 */
export type Action = "modern" | "legacy" | "ask" | "open" | "grace" | "wait" | "fail";

/** An action, and the state after it. */
export type Step = readonly [action: Action, next?: State];

/**
 * The steps of the negotiation by state and event. The first valid response decides. A timeout
 * decides nothing, and an event without an entry changes nothing.
 *
 * @source …
 */
export const table: Readonly<Record<State, Readonly<Partial<Record<Event, Step>>>>> = {
  asking: {
    discovered: ["modern"],
    offered: ["ask", "asking"],
    legacy: ["open", "opening"],
    unclear: ["open", "opening"],
    refused: ["fail"],
    late: ["open", "both"],
  },
  both: {
    discovered: ["modern"],
    offered: ["ask", "both"],
    legacy: ["wait", "opening"],
    unclear: ["wait", "opening"],
    refused: ["fail"],
    agreed: ["grace", "opened"],
    redirected: ["wait", "waiting"],
    failed: ["grace", "waiting"],
  },
  opening: {
    agreed: ["legacy"],
    redirected: ["ask", "waiting"],
    failed: ["fail"],
  },
  opened: {
    discovered: ["modern"],
    offered: ["ask", "opened"],
    legacy: ["legacy"],
    unclear: ["legacy"],
    refused: ["legacy"],
    overdue: ["legacy"],
  },
  waiting: {
    discovered: ["modern"],
    offered: ["ask", "waiting"],
    legacy: ["fail"],
    unclear: ["fail"],
    refused: ["fail"],
    overdue: ["fail"],
  },
};
