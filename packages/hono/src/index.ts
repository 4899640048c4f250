/**
 * The HTTP handlers in Hono.
 *
 * @packageDocumentation
 */

import type { ServeContext, StreamableHandler } from "@tenon/transports-streamable-http/server";

/** What is mounted: `createStreamableHandler` and `createSSEHandler` make one. */
export type FetchHandler = Pick<StreamableHandler, "fetch">;

/** What is needed of a context of Hono. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request };
  /** What middleware has set: here, who sent the request. */
  get(key: "auth"): unknown;
}

/** A route handler for Hono: `app.all("/mcp", honoHandler(handler))`. What middleware sets as `auth` reaches the tools. */
export function honoHandler(handler: FetchHandler): (context: HonoContextLike) => Promise<Response> {
  return (context) => handler.fetch(context.req.raw, { auth: context.get("auth") as ServeContext["auth"] });
}
