import type { CorsOptions, EventStreamLimits, GuardOptions } from "@tenon/http/server";
import type { AuthInfo, DecodeLimits } from "@tenon/jsonrpc2";

import type { GetServer } from "./server-like.ts";
import type { SessionOptions } from "./session-options.ts";

/** Options of `createStatelessHandler`. */
export interface StatelessHandlerOptions extends GuardOptions {
  /** Chooses the server for a request: `() => server`, if there is one for all. */
  readonly getServer: GetServer;
  /**
   * Gives every request without a session a connection of its own to the server, which ends with it: for runtimes that do not let one request await what
   * another one does. Otherwise they share connections, which is faster. Where it is on, `sessions` are off by default, since they outlive their requests too.
   * Default: on for Cloudflare Workers.
   */
  readonly isolateRequests?: boolean | undefined;
  /** Most bytes of a request's body, also after decompression. Default 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** How long a body may take to arrive, in milliseconds. Default 20 000. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Further bounds on what is decoded. */
  readonly limits?: Omit<DecodeLimits, "maxBytes"> | undefined;
  /** Most requests without a session that are under way at a time, event streams among them; more are refused with 503. Default 4096. */
  readonly maxInFlight?: number | undefined;
  /**
   * How often an event stream that is silent gets a comment, in milliseconds; a JSON answer that takes longer than that turns into a stream. 0: never. Default
   * 15 000.
   */
  readonly heartbeatMs?: number | undefined;
  /** Bounds of event streams that are not read. */
  readonly streams?: EventStreamLimits | undefined;
  /** Whether pages of other origins may read answers. Default: those of `allowedOrigins`, if given. */
  readonly cors?: Pick<CorsOptions, "allowedOrigins" | "maxAgeSeconds"> | false | undefined;
  /** Takes errors that nobody else sees. Default: dropped. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Options of `createStreamableHandler`. */
export interface StreamableHandlerOptions extends StatelessHandlerOptions {
  /**
   * Legacy sessions, see {@link SessionOptions}; `false` serves legacy clients without them. Default: on. Requests of legacy clients that name no
   * session are served without one either way.
   */
  readonly sessions?: SessionOptions | false | undefined;
}

/** What whoever calls the handler knows about a request. */
export interface ServeContext {
  /** Who sent it, if that has been checked. Legacy sessions are bound to the principal. */
  readonly auth?: AuthInfo | undefined;
  /** The body, if a framework has read and parsed it already (Node only). */
  readonly parsedBody?: unknown;
}
