import type { Server as HttpServer } from "node:http";

import { serve } from "@hono/node-server";
import { expressHandler } from "@tenon/express";
import { fastifyHandler } from "@tenon/fastify";
import { honoHandler } from "@tenon/hono";
import { createHealth } from "@tenon/operations";
import type { Server } from "@tenon/sdk";
import type { StreamableHandler } from "@tenon/sdk/http";
import type { Express } from "express";
import type { FastifyInstance } from "fastify";
import type { Hono } from "hono";

interface Address {
  readonly host: string;
  readonly port: number;
}

/** An app of Express that a deploy can end. */
export function serveExpress(
  app: Express,
  handler: StreamableHandler,
  server: Server,
  { host, port }: Address,
): HttpServer {
  // #region express
  const health = createHealth();
  app.get([...health.paths], expressHandler(health));
  const http = app.listen(port, host);

  const listening = { close: () => new Promise<void>((done) => http.close(() => done())) };
  process.once("SIGTERM", () => {
    const close = [handler, listening, server];
    health.drain({ noticeMs: 5_000, drainMs: 20_000, close }).catch(console.error);
  });
  // #endregion express
  return http;
}

/** An app of Hono on Node that a deploy can end. */
export function serveHono(
  app: Hono,
  handler: StreamableHandler,
  server: Server,
  { host, port }: Address,
): HttpServer {
  // #region hono
  const health = createHealth();
  app.on("GET", [...health.paths], honoHandler(health));
  const http = serve({ fetch: app.fetch, port, hostname: host });

  const listening = { close: () => new Promise<void>((done) => http.close(() => done())) };
  process.once("SIGTERM", () => {
    const close = [handler, listening, server];
    health.drain({ noticeMs: 5_000, drainMs: 20_000, close }).catch(console.error);
  });
  // #endregion hono
  return http as HttpServer;
}

/** An app of Fastify that a deploy can end. */
export async function serveFastify(
  app: FastifyInstance,
  handler: StreamableHandler,
  server: Server,
  { host, port }: Address,
): Promise<HttpServer> {
  // #region fastify
  const health = createHealth();
  health.paths.forEach((path) => app.get(path, fastifyHandler(health)));
  await app.listen({ port, host });

  process.once("SIGTERM", () => {
    const close = [handler, app, server];
    health.drain({ noticeMs: 5_000, drainMs: 20_000, close }).catch(console.error);
  });
  // #endregion fastify
  return app.server;
}
