import type { LimitRules } from "@tenon/base";

/** Limits of a client. */
export interface ClientLimits {
  /**
   * Maximum number of requests per server that are handled concurrently, such as elicitation
   * requests. Further requests wait. In 2026-07-28 see `maxInputs`. Default: `32`.
   */
  readonly maxInFlight?: number | undefined;
  /**
   * Idle timeout of a request, in milliseconds. Each progress notification restarts it. After it
   * the request rejects with `TIMEOUT`. Default: `60_000`.
   *
   * @source
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Total timeout of a request, in milliseconds. Progress does not restart it. After it the request
   * rejects with `TIMEOUT`. Default: `3_600_000` (1 hour).
   */
  readonly totalTimeoutMs?: number | undefined;
  /**
   * Time to wait for the response to `server/discover` before `initialize` is sent as well, in
   * milliseconds. The first valid response then decides. It begins when a child process has written
   * its first byte; a child process that writes nothing gets twice the time. It does not apply to a
   * client without legacy versions. Default: `5_000`.
   */
  readonly probeTimeoutMs?: number | undefined;
  /**
   * Maximum number of rounds in which a server requests input before the final result of one
   * request (2026-07-28). One more round rejects the request with `LIMIT_EXCEEDED`. Default: `10`.
   */
  readonly maxRounds?: number | undefined;
  /**
   * Maximum number of input requests in one round (2026-07-28). A result with more rejects the
   * request with `LIMIT_EXCEEDED`. Default: `32`.
   */
  readonly maxInputs?: number | undefined;
  /**
   * Maximum delay before the client repeats a request for which the server requests no input
   * (2026-07-28), in milliseconds. It doubles with each repetition, up to 30 seconds; its second
   * half is random. Default: `250`.
   */
  readonly repeatDelayMs?: number | undefined;
  /**
   * Maximum time to wait for pages that have to be opened before a request can succeed (2025-11-25,
   * error `-32042`), in milliseconds. The handler `elicitation.url` is called for each page. The
   * request is sent once more when the server reports all pages finished, or after this time. With
   * `0` the client does not open pages, and the caller gets the error (`requiredUrlElicitations`).
   * The caller also gets it if the user does not agree to a page, or if the second attempt fails.
   * Default: `0`.
   *
   * @source
   */
  readonly pageWaitMs?: number | undefined;
  /**
   * Maximum number of tools per session whose listed `outputSchema` is stored, so that `callTool`
   * can validate results. Results of further tools are not validated. Default: `10_000`.
   *
   * @source R-471
   */
  readonly maxListedOutputs?: number | undefined;
}

/** The rules of {@link ClientLimits}. */
export const clientLimits: LimitRules<ClientLimits> = {
  maxInFlight: [32, 1],
  timeoutMs: [60_000, 1],
  totalTimeoutMs: [3_600_000, 1],
  probeTimeoutMs: [5000, 1],
  maxRounds: [10, 0],
  maxInputs: [32, 0],
  repeatDelayMs: [250, 0],
  pageWaitMs: [0, 0],
  maxListedOutputs: [10_000, 0],
};
