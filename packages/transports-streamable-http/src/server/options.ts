import type {
  Authenticate,
  Authorize,
  CorsOptions,
  EventStreamOptions,
  GuardOptions,
} from "@tenon/http/server";
import type { AuthInfo } from "@tenon/protocol";

import type { StatelessHandlerLimits, StreamableHandlerLimits } from "./limits.ts";
import type { GetServer } from "./server-like.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SessionStores } from "./session-stores.ts";

/** Options of `createStatelessHandler`. */
export interface StatelessHandlerOptions extends GuardOptions {
  /** Chooses the server for a request: `() => server`, if there is one for all. */
  readonly getServer: GetServer;
  /**
   * Identifies the sender of each request, before the body is read. Return `{ principal: "…" }`;
   * `undefined` or `null` to reject with 401; `"anonymous"` to serve the request without a
   * principal; or a `Response` to reject otherwise, such as with 403 or another `WWW-Authenticate`.
   * Any other value, and any error, rejects with 500 and is reported to `onError`. Not called for
   * preflights. If it is set, `auth` of a {@link ServeContext} is ignored. By default the sender is
   * `auth` of the {@link ServeContext}, and requests without it are anonymous.
   */
  readonly authenticate?: Authenticate<AuthInfo> | undefined;
  /**
   * Decides whether the sender of a message may do what it asks for. Called for each request and
   * notification, and for each property of a batch, when the headers and the body are checked and
   * before anything of them runs. Return `{ scopes }`, all scopes that the message needs, to
   * refuse: the HTTP request gets 403, a challenge that names the scopes, and the JSON-RPC error
   * `-32600`. Anything but that and `undefined`, and anything thrown, refuses with 500 and is
   * reported to `onError`. Default: every sender may do everything.
   *
   * @source
   */
  readonly authorize?: Authorize<AuthInfo> | undefined;
  /**
   * Called by `revoke` of the handler, so that `authenticate` forgets the cached results of
   * the principal.
   */
  readonly onRevoked?: ((principal: string) => void) | undefined;
  /** Limits on messages, requests in flight and event streams. Each limit has its own default. */
  readonly limits?: StatelessHandlerLimits | undefined;
  /**
   * The handling of events while the client does not read its stream: see {@link
   * EventStreamOptions.whenFull}. Default: `"wait"`.
   */
  readonly whenFull?: EventStreamOptions["whenFull"];
  /**
   * Whether pages of other origins may read responses (CORS), refusals included; `false` sends no
   * such headers. Default: the origins of `allowedOrigins`.
   */
  readonly cors?: Pick<CorsOptions, "allowedOrigins"> | false | undefined;
  /**
   * Called with errors that are not returned to a caller. Default: `console.error`; `() => {}`
   * silences it.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Options of `createStreamableHandler`. */
export interface StreamableHandlerOptions extends StatelessHandlerOptions {
  /**
   * Legacy sessions, see {@link SessionOptions}; `false` serves legacy clients without them.
   * Default: on. Requests of legacy clients that name no session are served without one either way.
   */
  readonly sessions?: SessionOptions | false | undefined;
  /**
   * Stores that several processes share, so that each of them serves any legacy session: see {@link
   * SessionStores}. By default a session lives in one process.
   */
  readonly stores?: SessionStores | undefined;
  /**
   * Limits on messages, requests in flight, event streams and sessions. Each limit has its own
   * default.
   */
  readonly limits?: StreamableHandlerLimits | undefined;
}

/**
 * Facts about a request that the caller of a handler has verified. They are trusted: never pass
 * values that a client or a platform sets.
 */
export interface ServeContext {
  /**
   * The sender, if it is already verified. Legacy sessions are bound to the principal. A value
   * without a `principal` rejects the request with 500.
   */
  readonly auth?: AuthInfo | undefined;
  /** The address of the client, if only the caller knows it (`serve` only). */
  readonly address?: string | undefined;
  /** The body, if a framework has read and parsed it already (Node only). */
  readonly parsedBody?: unknown;
}
