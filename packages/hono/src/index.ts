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
  readonly req: {
    readonly raw: Request;
    /** Returns the body, which Hono keeps if middleware has read it. */
    text?(): Promise<string>;
  };
  /** Returns a value that middleware has set. */
  get(key: "auth"): unknown;
}

/**
 * A route handler for Hono: `app.all("/mcp", honoHandler(handler))`. It works with middleware that
 * has read the body by methods of `context.req`, such as `json`. The sender is identified by
 * `authenticate` of the handler, or by middleware that sets `auth`: `{ principal: "…" }`.
 */
export function honoHandler(handler: FetchHandler): (context: HonoContextLike) => Promise<Response> {
  return async (context) => {
    const auth = context.get("auth") as ServeContext["auth"];
    return handler.serve(await unreadRequest(context.req), { auth });
  };
}

/** The request with a body that can be read, if Hono has kept what middleware has read. */
async function unreadRequest(req: HonoContextLike["req"]): Promise<Request> {
  const { raw } = req;
  if (!raw.bodyUsed) {
    return raw;
  }
  try {
    const body = await req.text?.();
    const { url, method, headers, signal } = raw;
    return body === undefined ? raw : new Request(url, { method, headers, body, signal });
  } catch {
    // The handler reports that the body was read.
    return raw;
  }
}
