/**
 * The HTTP handlers in Hono.
 *
 * @packageDocumentation
 */

import type { ServeContext, StreamableHandler } from "@tenon/transports-streamable-http/server";

/** The required part of a handler. `createStreamableHandler` and `createSSEHandler` return one. */
export type FetchHandler = Pick<StreamableHandler, "serve">;

/** The required part of a Hono context. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request };
  /** Returns a value that middleware has set. */
  get(key: "auth"): unknown;
}

/**
 * A route handler for Hono: `app.all("/mcp", honoHandler(handler))`. The sender is identified by
 * `authenticate` of the handler, or by middleware that sets `auth`: `{ principal: "…" }`.
 *
 * Middleware must leave the body unread, or read a clone: `context.req.raw.clone().json()`.
 * Otherwise each message gets 500.
 */
export function honoHandler(handler: FetchHandler): (context: HonoContextLike) => Promise<Response> {
  return (context) => handler.serve(context.req.raw, { auth: context.get("auth") as ServeContext["auth"] });
}
