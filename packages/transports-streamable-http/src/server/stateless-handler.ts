import { markDrainable } from "@tenon/base";
import { WebExchange } from "@tenon/http/server";

import { checkHandlerOptions, handlerOptionNames } from "./check-options.ts";
import { Endpoint } from "./endpoint.ts";
import { statelessHandlerLimits } from "./limits.ts";
import type { ServeContext, StatelessHandlerOptions } from "./options.ts";

/** Serves the Model Context Protocol to platforms whose servers are a `fetch`. */
export interface StatelessHandler extends AsyncDisposable {
  /**
   * Serves a web-standard request. Never rejects. You can pass the function itself to a platform
   * (`Deno.serve(handler.fetch)`): further arguments, such as the bindings of a Worker, are
   * ignored.
   */
  readonly fetch: (request: Request) => Promise<Response>;
  /**
   * Serves a web-standard request whose sender the caller knows. Never rejects.
   *
   * @param context - Trusted: see {@link ServeContext}.
   */
  serve(request: Request, context: ServeContext): Promise<Response>;
  /**
   * Ends the sessions, the streams and the running requests of a principal at once: call it when
   * its access was taken away. Later requests are for `authenticate` to refuse. With `stores`,
   * other processes that have served an authenticated request do the same. Settles when the
   * sessions have ended. Rejects if another process cannot be reached because a store fails.
   */
  revoke(principal: string): Promise<void>;
  /**
   * Rejects new requests, waits for running requests, and ends all sessions. Idempotent.
   *
   * @param options - `drainMs`: how long running requests may take to finish, in milliseconds. If
   *   `close` is called again, the earlier deadline counts. Default: the `drainMs` of the server.
   * @source S-024
   */
  close(options?: { readonly drainMs?: number | undefined }): Promise<void>;
}

/**
 * Makes a handler without sessions, for workers and other places where the next request may meet
 * another process. It serves every revision; legacy clients as if each of their requests were the
 * first. It is `createStreamableHandler` with `sessions: false` and without `node`, and a fraction
 * of its code.
 *
 * @example
 * const handler = createStatelessHandler({ getServer: () => server });
 * export default { fetch: handler.fetch };
 *
 * @throws `TypeError` for options that do not exist or are out of range, and for `allowedHosts` and
 *   `allowedOrigins` that no request can meet.
 * @source R-368
 */
export function createStatelessHandler(options: StatelessHandlerOptions): StatelessHandler {
  const limits = checkHandlerOptions(
    "createStatelessHandler",
    options,
    statelessHandlerLimits,
    handlerOptionNames,
  );
  const endpoint = new Endpoint(options, limits);
  return markDrainable({
    fetch: (request) => endpoint.fetch(new WebExchange(request), {}),
    serve: (request, context) => endpoint.fetch(new WebExchange(request, context.address), context),
    revoke: (principal) => endpoint.revoke(principal),
    close: ({ drainMs } = {}) => endpoint.close(drainMs),
    [Symbol.asyncDispose]: () => endpoint.close(undefined),
  });
}
