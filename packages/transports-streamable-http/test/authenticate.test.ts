import { createServer } from "node:http";
import { gzipSync } from "node:zlib";

import type { AuthInfo } from "@tenon/protocol";
import { listenOnFreePort } from "@tenon/test-support/http";
import { createStreamableHandler, type StreamableHandlerOptions } from "@tenon/transports-streamable-http";
import { expect, test } from "vitest";

import { listen, modern, peerServer } from "./setup.ts";

const origin = "https://app.example.com";
const preflight = {
  method: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization",
  },
};

type Authenticate = NonNullable<StreamableHandlerOptions["authenticate"]>;

/** A handler whose tools answer with the principal that they see. */
function handlerWith(options: Partial<StreamableHandlerOptions>): ReturnType<typeof createStreamableHandler> {
  let auth: AuthInfo | undefined;
  const server = peerServer(() => ({ principal: auth?.principal ?? "nobody" }));
  return createStreamableHandler({
    getServer: (request) => {
      ({ auth } = request);
      return server;
    },
    ...options,
  });
}

function call(headers: Record<string, string> = {}): Request {
  const request = modern("tools/list");
  return new Request("http://localhost/mcp", { ...request, headers: { ...request.headers, ...headers } });
}

async function principalOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { result: { principal: string } }).result.principal;
}

test("preflights are answered before authenticate is called, and a page can read why it is refused", async () => {
  let asked = 0;
  const authenticate: Authenticate = () => void asked++;
  await using handler = handlerWith({ authenticate, allowedOrigins: [origin] });
  const preflighted = await handler.fetch(new Request("http://localhost/mcp", preflight));
  expect(preflighted.status).toBe(204);
  expect(preflighted.headers.get("access-control-allow-headers")).toBe("authorization");
  expect(asked).toBe(0);
  const refused = await handler.fetch(call({ origin }));
  expect(refused.status).toBe(401);
  expect(refused.headers.get("access-control-allow-origin")).toBe(origin);
  expect(refused.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
  expect(refused.headers.get("www-authenticate")).toBe("Bearer");
  expect(asked).toBe(1);
});

const served: readonly [string, Awaited<ReturnType<Authenticate>>, string][] = [
  ["an identity", { principal: "alice" }, "alice"],
  ["anonymous", "anonymous", "nobody"],
];
test.each(served)("authenticate that returns %s serves the request", async (_, answer, principal) => {
  await using handler = handlerWith({ authenticate: () => Promise.resolve(answer) });
  expect(await principalOf(await handler.fetch(call()))).toBe(principal);
  // Whoever authenticates decides alone.
  expect(await principalOf(await handler.serve(call(), { auth: { principal: "mallory" } }))).toBe(principal);
});

test("a Response of authenticate is the answer, with the headers that let pages read it", async () => {
  const forbidden = (): Response =>
    new Response("members only", { status: 403, headers: { "www-authenticate": 'Bearer scope="files"' } });
  await using handler = handlerWith({ authenticate: forbidden, allowedOrigins: [origin] });
  const response = await handler.fetch(call({ origin }));
  expect(response.status).toBe(403);
  expect(await response.text()).toBe("members only");
  expect(response.headers.get("www-authenticate")).toBe('Bearer scope="files"');
  expect(response.headers.get("access-control-allow-origin")).toBe(origin);
});

test("the Response of an authorization service is passed on, however the service has sent it", async () => {
  const service = createServer((_, response) => {
    const headers = { "content-encoding": "gzip", "transfer-encoding": "chunked", "x-reason": "expired" };
    response.writeHead(403, { ...headers, "content-type": "text/plain" }).end(gzipSync("members only"));
  });
  const port = await listenOnFreePort(service);
  const authenticate: Authenticate = () => fetch(`http://127.0.0.1:${port}`);
  await using listening = await listen(undefined, { authenticate });
  const response = await fetch(listening.url, modern("tools/list"));
  expect(response.status).toBe(403);
  expect(response.headers.get("x-reason")).toBe("expired");
  expect(await response.text()).toBe("members only");
  service.closeAllConnections();
  service.close();
});

test.each([true, "alice", {}, { principal: "" }, { principal: 7 }, { sub: "alice" }])(
  "what names nobody does not authenticate: %o",
  async (value) => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    await using asking = handlerWith({ authenticate: () => value as never, onError });
    expect((await asking.fetch(call())).status).toBe(500);
    await using told = handlerWith({ onError });
    expect((await told.serve(call(), { auth: value as never })).status).toBe(500);
    expect(errors).toMatchObject([
      { message: expect.stringContaining("authenticate must return") as string },
      { message: expect.stringContaining("auth must be") as string },
    ]);
  },
);

test("authenticate that throws refuses with 500, and the reason is reported", async () => {
  const errors: unknown[] = [];
  await using handler = handlerWith({
    authenticate: () => {
      throw new Error("the directory is down");
    },
    onError: (error) => {
      errors.push(error);
      throw new Error("the logger, too");
    },
  });
  expect((await handler.fetch(call())).status).toBe(500);
  expect(errors).toMatchObject([{ message: "the directory is down" }]);
});

test("what a platform passes to fetch besides the request is not trusted", async () => {
  await using handler = handlerWith({});
  const fetch = handler.fetch as (request: Request, env: unknown) => Promise<Response>;
  expect(await principalOf(await fetch(call(), { auth: { principal: "root" } }))).toBe("nobody");
  expect(await principalOf(await handler.serve(call(), { auth: { principal: "ada" } }))).toBe("ada");
});

test.each<[string, object, Partial<StreamableHandlerOptions>, { method?: string; accept?: string }]>([
  ["401", {}, { authenticate: () => undefined }, {}],
  ["403", { host: "evil.example" }, {}, {}],
  ["404", { "mcp-session-id": "unknown" }, {}, { method: "GET", accept: "text/event-stream" }],
  ["405", {}, {}, { method: "PUT" }],
  ["413", {}, { limits: { maxMessageBytes: 10 } }, {}],
  ["415", { "content-type": "text/plain" }, {}, {}],
  ["500", {}, { getServer: () => Promise.reject(new Error("no")), onError: () => {} }, {}],
  ["503", {}, { limits: { maxInFlight: 0 } }, {}],
])(
  "a page can read a refusal with %s",
  async (status, headers, options, { method = "POST", accept = "" }) => {
    await using handler = handlerWith({ allowedOrigins: [origin], ...options });
    const request = modern("tools/list");
    const response = await handler.fetch(
      new Request("http://localhost/mcp", {
        ...request,
        method,
        ...(method === "GET" ? { body: null } : {}),
        headers: { ...request.headers, origin, ...headers, ...(accept === "" ? {} : { accept }) },
      }),
    );
    expect(String(response.status)).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
  },
);

test("pages of this machine are let in by default, and can read what they get", async () => {
  await using listening = await listen();
  const local = "http://localhost:6274";
  const preflighted = await fetch(listening.url, {
    method: "OPTIONS",
    headers: { ...preflight.headers, origin: local },
  });
  expect(preflighted.status).toBe(204);
  expect(preflighted.headers.get("access-control-allow-origin")).toBe(local);
  const request = modern("tools/list");
  const response = await fetch(listening.url, { ...request, headers: { ...request.headers, origin: local } });
  expect(response.status).toBe(200);
  expect(response.headers.get("access-control-allow-origin")).toBe(local);
  await using closed = handlerWith({ cors: false });
  const silent = await closed.fetch(call({ origin: local }));
  expect(silent.status).toBe(200);
  expect(silent.headers.get("access-control-allow-origin")).toBeNull();
});

test("a person who opens the endpoint in a browser reads what it is; a client gets 405", async () => {
  await using handler = handlerWith({ authenticate: () => undefined });
  const get = (accept: string): Promise<Response> =>
    handler.fetch(new Request("http://localhost/mcp", { headers: { accept } }));
  const page = await get("text/html,application/xhtml+xml,*/*;q=0.8");
  expect(page.status).toBe(405);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(await page.text()).toContain("This is an MCP endpoint");
  expect((await get("text/event-stream")).status).toBe(401);
});
