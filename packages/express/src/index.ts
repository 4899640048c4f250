/**
 * The HTTP handlers in Express.
 *
 * @packageDocumentation
 */

import type { IncomingMessage, ServerResponse } from "node:http";

import type { NodeHandler, ServeContext } from "@tenon/transports-streamable-http/server";

export type { NodeHandler } from "@tenon/transports-streamable-http/server";

/** A request of Express, with what middleware may have put on it. */
export interface ExpressRequest extends IncomingMessage {
  /** The body, if `express.json()` or its like has read it. */
  readonly body?: unknown;
  /** The sender of the request, if middleware has verified it: `{ principal: "…" }`. */
  readonly auth?: unknown;
}

/**
 * A route handler for Express 4 and 5: `app.all("/mcp", expressHandler(handler))`. It works with
 * and without `express.json()`, whose `limit` (100 KB by default) then limits the messages. The
 * sender is identified by `authenticate` of the handler, or by middleware that sets `request.auth`:
 * `{ principal: "…" }`.
 */
export function expressHandler(
  handler: NodeHandler,
): (request: ExpressRequest, response: ServerResponse) => void {
  return (request, response) => {
    const auth = request.auth as ServeContext["auth"];
    void handler.node(request, response, { auth, parsedBody: bodyOf(request) });
  };
}

/** Express 4 leaves an empty object where nothing was parsed. */
function bodyOf({ body, readableEnded }: ExpressRequest): unknown {
  return readableEnded ? body : undefined;
}
