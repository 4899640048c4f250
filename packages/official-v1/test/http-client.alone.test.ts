import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { defineNotification, Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { afterEach, expect, onTestFinished, test } from "vitest";

import { Client } from "../src/entry/client/index.ts";
import { StreamableHTTPClientTransport } from "../src/entry/client/streamableHttp.ts";
import { configure } from "../src/entry/tenon.ts";
import { ElicitRequestSchema } from "../src/entry/types.ts";
import { linkOf } from "../src/shared/engine.ts";
import type { Internals } from "../src/shared/internals.ts";
import { settings } from "../src/shared/settings.ts";

const defaults = { ...settings };
afterEach(() => configure(defaults));

/** A server over HTTP, and the methods and protocol versions of the requests that it got. */
async function served(
  own: readonly Revision[],
): Promise<{ readonly url: URL; readonly seen: string[]; readonly keys: unknown[] }> {
  const server = new Server({ name: "rooms", version: "1.0.0" }, { revisions: own });
  server.addTool({ name: "book" }, async (_, ctx) => {
    const { content } = (await ctx.elicit({
      message: "Sure?",
      requestedSchema: { type: "object", properties: { ok: { type: "string" } } },
    })) as { readonly content?: { readonly ok?: unknown } };
    return `${String(content?.ok)} ${JSON.stringify(ctx.client.capabilities.experimental ?? null)}`;
  });
  server.addReceivingMiddleware((next) => async (request) => {
    if (request.method !== "tools/call" || Object(request.params)["name"] !== "announce") {
      return next(request);
    }
    await request.notify(defineNotification({ method: "acme/found" }), { count: 1 });
    return { content: [] };
  });
  const seen: string[] = [];
  const keys: unknown[] = [];
  server.addReceivingMiddleware((next) => (request) => {
    seen.push(request.method);
    keys.push(request.http?.headers.get("x-key"));
    return next(request);
  });
  const handler = createStreamableHandler({ getServer: () => server });
  const http = createServer((request, response) => void handler.node(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await handler.close();
  });
  const { port } = http.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/`), seen, keys };
}

/** What a program does; the same in both eras. */
async function use(url: URL): Promise<{ readonly isModern: boolean; readonly text: unknown }> {
  const client = new Client(
    { name: "program", version: "1.0.0" },
    { capabilities: { elicitation: {}, experimental: { "example.com/x": { on: true } } } },
  );
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { ok: "yes" } }));
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers: { "x-key": "secret" } } }),
  );
  const isModern = linkOf(client as unknown as Internals)?.session !== undefined;
  const { content } = await client.callTool({ name: "book" });
  await client.close();
  return { isModern, text: (content as [{ readonly text: string }])[0].text };
}

const text = 'yes {"example.com/x":{"on":true}}';

test("with modernHttp, an official client uses the modern era over HTTP with its headers and capabilities", async () => {
  configure({ modernHttp: true, probeTimeoutMs: 60_000 });
  const { url, seen, keys } = await served(bothEras);
  expect(await use(url)).toStrictEqual({ isModern: true, text });
  expect(seen).not.toContain("initialize");
  expect(new Set(keys)).toStrictEqual(new Set(["secret"]));
});

test("with modernHttp, a program gets notifications that the protocol does not have", async () => {
  configure({ modernHttp: true, probeTimeoutMs: 60_000 });
  const { url } = await served(bothEras);
  const client = new Client({ name: "program", version: "1.0.0" });
  const seen: unknown[] = [];
  client.fallbackNotificationHandler = (notification) => Promise.resolve(void seen.push(notification));
  await client.connect(new StreamableHTTPClientTransport(url));
  await client.callTool({ name: "announce" });
  expect(seen).toMatchObject([{ method: "acme/found", params: { count: 1 } }]);
  await client.close();
});

test("with modernHttp, an official client continues with initialize if the server has no modern era", async () => {
  configure({ modernHttp: true, probeTimeoutMs: 60_000 });
  const { url } = await served([legacyRevision]);
  expect(await use(url)).toStrictEqual({ isModern: false, text });
});

test("a program that closes the transport ends the modern session, too", async () => {
  configure({ modernHttp: true, probeTimeoutMs: 60_000 });
  const { url } = await served(bothEras);
  const client = new Client({ name: "program", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  const asked = new Promise<void>((resolve) => {
    client.setRequestHandler(ElicitRequestSchema, () => {
      resolve();
      return new Promise<never>(() => {});
    });
  });
  const transport = new StreamableHTTPClientTransport(url);
  await client.connect(transport);
  const call = client.callTool({ name: "book" });
  await asked;
  await transport.close();
  await expect(call).rejects.toMatchObject({ code: -32000 });
});

test("without modernHttp, an official client over HTTP sends nothing that it did not send before", async () => {
  const { url, seen } = await served(bothEras);
  expect(await use(url)).toStrictEqual({ isModern: false, text });
  expect(seen).not.toContain("server/discover");
});
