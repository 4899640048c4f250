import { EventEmitter, once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";

import { expressHandler } from "@tenon/express";
import { fastifyHandler } from "@tenon/fastify";
import { honoHandler } from "@tenon/hono";
import { Client, Server } from "@tenon/sdk";
import { createStreamableHandler, StreamableClientTransport, type StreamableHandler } from "@tenon/sdk/http";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { expect, test, vi } from "vitest";

import { serveExpress, serveFastify, serveHono } from "./guide/shutdown.ts";

const address = { host: "127.0.0.1", port: 0 };

type Serve = (handler: StreamableHandler, server: Server) => HttpServer | Promise<HttpServer>;

const frameworks: readonly (readonly [string, Serve])[] = [
  [
    "express",
    (handler, server) => {
      const app = express();
      app.all("/mcp", expressHandler(handler));
      return serveExpress(app, handler, server, address);
    },
  ],
  [
    "hono",
    (handler, server) => {
      const app = new Hono();
      app.all("/mcp", honoHandler(handler));
      return serveHono(app, handler, server, address);
    },
  ],
  [
    "fastify",
    (handler, server) => {
      const app = fastify();
      app.all("/mcp", fastifyHandler(handler));
      return serveFastify(app, handler, server, address);
    },
  ],
];

/** Runs the listener that was added last, as the signal would, and 5 s later on the clock. */
function terminate(): void {
  const listener = process.listeners("SIGTERM").at(-1);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  try {
    listener?.("SIGTERM");
    vi.advanceTimersByTime(5_000);
  } finally {
    vi.useRealTimers();
  }
}

test.each(frameworks)(
  "what the README of %s shows lets a running call finish, and ends",
  async (_, serve) => {
    const work = new EventEmitter();
    const [started, finished] = [once(work, "start"), once(work, "finish")];
    const server = new Server({ name: "slow", version: "1.0.0" });
    server.addTool({ name: "work" }, async () => {
      work.emit("start");
      await finished;
      return "done";
    });
    const before = process.listenerCount("SIGTERM");
    const http = await serve(createStreamableHandler({ getServer: () => server }), server);
    if (!http.listening) {
      await once(http, "listening");
    }
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const ready = async (): Promise<number> => (await fetch(`${origin}/ready`)).status;
    expect(await ready()).toBe(200);
    const client = new Client({ name: "test", version: "1.0.0" });
    const session = await client.connect(new StreamableClientTransport(`${origin}/mcp`));
    const call = session.callTool({ name: "work" });
    await started;
    const closed = once(http, "close");
    terminate();
    expect(await ready()).toBe(503);
    work.emit("finish");
    expect(await call).toMatchObject({ content: [{ text: "done" }] });
    await closed;
    await expect(fetch(`${origin}/ready`)).rejects.toThrow("fetch failed");
    await client.close();
    process.removeListener("SIGTERM", process.listeners("SIGTERM").at(-1) as NodeJS.SignalsListener);
    expect(process.listenerCount("SIGTERM")).toBe(before);
  },
);
