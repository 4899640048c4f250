/**
 * The HTTP handlers in Fastify.
 *
 * @packageDocumentation
 */

import type { IncomingMessage, ServerResponse } from "node:http";

import type { NodeHandler, ServeContext } from "@tenon/transports-streamable-http/server";

export type { NodeHandler } from "@tenon/transports-streamable-http/server";

/** The required part of a Fastify request. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage;
  /** The body as Fastify has parsed it. */
  readonly body?: unknown;
  /** The sender of the request, if a hook has verified it: `{ principal: "…" }`. */
  readonly auth?: unknown;
}

/** The required part of a Fastify reply. */
export interface FastifyReplyLike {
  readonly raw: ServerResponse;
  /** Prevents Fastify from sending a response. */
  hijack(): unknown;
}

/**
 * A route handler for Fastify 5: `app.all("/mcp", fastifyHandler(handler))`. The sender is
 * identified by `authenticate` of the handler, or by a hook that sets `request.auth`:
 * `{ principal: "…" }`.
 *
 * It works with and without the parsers of Fastify. With them, `bodyLimit` of Fastify (1 MiB)
 * limits the messages, and a DELETE with a `Content-Type` and no body gets 400. Clients in Python
 * send such a DELETE.
 */
export function fastifyHandler(
  handler: NodeHandler,
): (request: FastifyRequestLike, reply: FastifyReplyLike) => void {
  return (request, reply) => {
    // From here on Fastify does not send the response.
    reply.hijack();
    const { raw, body } = request;
    const auth = request.auth as ServeContext["auth"];
    void handler.node(raw, reply.raw, { auth, ...(raw.readableEnded ? { parsedBody: body } : {}) });
  };
}
