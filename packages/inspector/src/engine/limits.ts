import type { LimitRules, ResolvedLimits } from "@tenon/base";

/** Limits of an inspector. */
export interface InspectorLimits {
  /**
   * Maximum number of lines of the timeline. Beyond it, the server with the most lines loses its
   * oldest; the page shows how many were dropped. Default: `200_000`.
   */
  readonly maxLines?: number | undefined;
  /**
   * Maximum size of all lines together, in bytes. Beyond it, the server whose lines have the most
   * loses its oldest. Default: `134_217_728` (128 MiB).
   */
  readonly maxLogBytes?: number | undefined;
  /** Maximum size of a line in bytes. A longer message is cut. Default: `16_777_216` (16 MiB). */
  readonly maxLineBytes?: number | undefined;
  /**
   * Maximum number of input requests that wait for a response in the page. Servers that are open
   * have equal shares of it. A server that used more before others were opened loses its newest
   * when they need their share. Further input requests are cancelled. Default: `32`.
   */
  readonly maxInputRequests?: number | undefined;
  /**
   * Maximum size of an input request as JSON, in characters. A longer request is cancelled.
   * Default: `262_144`.
   */
  readonly maxInputRequestLength?: number | undefined;
  /** Maximum number of servers that are open at a time. Default: `16`. */
  readonly maxServers?: number | undefined;
  /** Maximum number of calls of the page that run at a time. Default: `64`. */
  readonly maxInFlight?: number | undefined;
  /** Maximum number of resources that are watched. Default: `64`. */
  readonly maxWatched?: number | undefined;
  /** Maximum size of the body of a request of the page, in bytes. Default: `4_194_304` (4 MiB). */
  readonly maxMessageBytes?: number | undefined;
  /** Maximum number of browsers that are logged in. The oldest is logged out. Default: `16`. */
  readonly maxBrowsers?: number | undefined;
  /** Maximum number of streams of events at a time. Further streams get 429. Default: `16`. */
  readonly maxStreams?: number | undefined;
  /** How long the code in a link can be used, in milliseconds. Default: `600_000` (10 minutes). */
  readonly codeTtlMs?: number | undefined;
}

/** The rules of {@link InspectorLimits}. */
export const inspectorLimits: LimitRules<InspectorLimits> = {
  maxLines: [200_000, 1],
  maxLogBytes: [128 * 1024 * 1024, 1024],
  maxLineBytes: [16 * 1024 * 1024, 1024],
  maxInputRequests: [32, 0],
  maxInputRequestLength: [262_144, 0],
  maxServers: [16, 1],
  maxInFlight: [64, 1],
  maxWatched: [64, 0],
  maxMessageBytes: [4 * 1024 * 1024, 1024],
  maxBrowsers: [16, 1],
  maxStreams: [16, 1],
  codeTtlMs: [600_000, 1],
};

/** Limits with every default filled in. */
export type ResolvedInspectorLimits = ResolvedLimits<InspectorLimits>;
