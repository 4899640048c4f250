import { eventStreamLimits, type EventStreamLimits } from "./event-stream.ts";

/**
 * Limits of an endpoint: of the bodies that it receives, and of the event streams that it sends.
 */
export interface EndpointLimits extends EventStreamLimits {
  /**
   * Maximum size of a message in bytes: of the request body, both before and after decompression. A
   * larger body is rejected with 413. Default: `4_194_304` (4 MiB).
   */
  readonly maxMessageBytes?: number | undefined;
  /**
   * How long a request body may take to arrive, in milliseconds. Later the request is rejected with
   * 408. Default: `20_000`.
   */
  readonly bodyTimeoutMs?: number | undefined;
}

/** The default and the least value of each of {@link EndpointLimits}. */
export const endpointLimits: {
  readonly [Name in keyof Required<EndpointLimits>]: readonly [initial: number, least: number];
} = /* @__PURE__ */ (() => ({
  ...eventStreamLimits,
  maxMessageBytes: [4 * 1024 * 1024, 1],
  bodyTimeoutMs: [20_000, 1],
}))();
