import type { LimitRules, ResolvedLimits } from "@tenon/base";
import type { AuthProvider, FetchLike, HeadersLike } from "@tenon/http/client";
import type { DecodeLimits, Transport } from "@tenon/jsonrpc2";
import { decodeLimits } from "@tenon/jsonrpc2/transport";

import type { EraCache } from "./era-cache.ts";

/** Options of `StreamableClientTransport`. */
export interface StreamableClientOptions {
  /**
   * Sends the requests. Default: `undici` with a pool of its own on Node, the platform's `fetch`
   * elsewhere.
   */
  readonly fetch?: FetchLike | undefined;
  /** Added to every request. */
  readonly headers?: HeadersLike | undefined;
  /**
   * Provides credentials. Called every time a request is sent. By default requests are
   * unauthenticated.
   *
   * @source S-241
   */
  readonly auth?: AuthProvider | undefined;
  /** Reconnection of lost streams (legacy servers). */
  readonly reconnect?: StreamReconnectOptions | undefined;
  /** Limits of received messages. Each limit has its own default. */
  readonly limits?: StreamableClientLimits | undefined;
  /**
   * Creates the transport of 2024-11-05 for servers that support no other:
   * `(url, options) => new SSEClientTransport(url, options)`. By default such servers are not
   * supported.
   *
   * @source R-218
   */
  readonly fallback?: ((url: URL, options: FallbackOptions) => Transport) | undefined;
  /**
   * Remembers which servers are legacy servers, by URL without query; `false` asks every time.
   * Default: one for the process.
   *
   * @source R-219
   */
  readonly eras?: EraCache | false | undefined;
  /**
   * Called when the state of the standalone SSE stream changes. Legacy servers use it to send
   * messages that do not belong to a request.
   */
  readonly onListening?: ((state: ListeningState) => void) | undefined;
  /** Called when the session had expired and a new session was opened. */
  readonly onSessionRestored?: (() => void) | undefined;
  /**
   * Called with warnings, such as a tool that was omitted because of its invalid `x-mcp-header`.
   * Default: `console.warn`.
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The options that a `fallback` transport shares with {@link StreamableClientOptions}. */
export type FallbackOptions = Pick<StreamableClientOptions, "fetch" | "headers" | "auth" | "limits">;

/** Limits of a `StreamableClientTransport`. */
export interface StreamableClientLimits extends Omit<DecodeLimits, "maxMessageBytes"> {
  /**
   * Maximum size of a message in bytes: of a JSON response, and of an event of a stream. A larger
   * one rejects its request. Default: `33_554_432` (32 MiB).
   */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Maximum number of received messages that have not been read. Above it, the client stops reading
   * from the server. Default: `1_024`.
   */
  readonly maxQueued?: number | undefined;
}

/** The rules of {@link StreamableClientLimits}. */
export const streamableClientLimits: LimitRules<StreamableClientLimits> = {
  ...decodeLimits,
  maxMessageBytes: [32 * 1024 * 1024, 1],
  maxQueued: [1024, 1],
};

/** Number and delays of attempts to reopen a lost stream. */
export interface StreamReconnectOptions {
  /**
   * Delay before the first attempt, in milliseconds, unless the server asks for another one. Each
   * further delay is 1.5 times as long. Default: `500`.
   */
  readonly initialDelayMs?: number | undefined;
  /**
   * Maximum delay before any attempt, in milliseconds. A server that is down gets about fifty
   * attempts in its first hour. Default: `120_000`.
   */
  readonly maxDelayMs?: number | undefined;
  /**
   * Maximum number of consecutive attempts to resume the stream of one request. After them the
   * request fails. An attempt is not counted if its stream delivers an event with a new ID or stays
   * open for 5 s. The time that this client takes to handle messages is not part of the 5 s, nor is
   * the time without data for which a stream is closed (`maxSilenceMs`). The standalone SSE stream
   * is reopened without limit. Default: `8`.
   */
  readonly maxRetries?: number | undefined;
  /**
   * Time without anything on an event stream, comments included, after which the stream is
   * considered broken, in milliseconds. `Infinity` disables the check. Default: three times the
   * shortest interval between the heartbeat comments of the stream, at least `45_000`, once two of
   * them have come; no limit before. A POST that waits for its response is limited by the timeouts
   * of its call instead.
   */
  readonly maxSilenceMs?: number | undefined;
}

/**
 * The rules of {@link StreamReconnectOptions}. The default of `maxSilenceMs` depends on the server.
 */
export const reconnectLimits: LimitRules<StreamReconnectOptions> = {
  initialDelayMs: [500, 0],
  maxDelayMs: [120_000, 0],
  maxRetries: [8, 0],
  maxSilenceMs: [Infinity, 1],
};

/**
 * {@link StreamReconnectOptions}, filled in. `maxSilenceMs` is `undefined` if it depends on the
 * server.
 */
export type StreamReconnect = Omit<ResolvedLimits<StreamReconnectOptions>, "maxSilenceMs"> &
  Pick<StreamReconnectOptions, "maxSilenceMs">;

/**
 * The state of the standalone SSE stream. `attempt` counts consecutive failures, times are in
 * milliseconds. A `delayMs` of `Infinity` means that the server refused the credentials: the stream
 * is opened again when the provider reports new ones.
 */
export type ListeningState =
  | { readonly state: "connecting"; readonly attempt: number }
  | { readonly state: "open" }
  | {
      readonly state: "waiting";
      readonly attempt: number;
      readonly delayMs: number;
      readonly error?: unknown;
    }
  | { readonly state: "unsupported"; readonly status: number };
