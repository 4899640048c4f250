import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { Client, Server, type ClientSession } from "@tenon/mcp";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStatelessHandler, createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import {
  createLambdaHandler,
  createStreamingLambdaHandler,
  type LambdaEvent,
  type LambdaRoute,
} from "../src/index.ts";
import { address, deploy, eventOf, type Source } from "./setup.ts";

function connect(url: URL, revision: string): Promise<ClientSession> {
  const client = new Client({ name: "desk", version: "1.0.0" }, { revisions: [revision as never] });
  return client.connect(new StreamableClientTransport(url, { eras: false }));
}

const greeting = [{ type: "text", text: `Hello, ${address}!` }];
const shapes = (["function URL", "REST API"] as const).flatMap((from) =>
  [legacyRevision, modernRevision].map((revision) => ({ from, revision })),
);

describe("a function in a process of its own", () => {
  let source: Source = "function URL";
  let timeoutMs = 30_000;
  let buffered: Awaited<ReturnType<typeof deploy>>;
  let streaming: Awaited<ReturnType<typeof deploy>>;
  beforeAll(async () => {
    const options = { source: () => source, timeoutMs: () => timeoutMs };
    buffered = await deploy("buffered.mjs", options);
    streaming = await deploy("streaming.mjs", options);
  });
  afterAll(async () => {
    await buffered[Symbol.asyncDispose]();
    await streaming[Symbol.asyncDispose]();
  });

  test.each(shapes)("serves $revision clients behind a $from", async ({ from, revision }) => {
    source = from;
    await using session = await connect(buffered.url, revision);
    expect((await session.callTool({ name: "greet" })).content).toEqual(greeting);
  });

  test.each(shapes)("streams to $revision clients behind a $from", async ({ from, revision }) => {
    source = from;
    await using session = await connect(streaming.url, revision);
    expect((await session.callTool({ name: "greet" })).content).toEqual(greeting);
    const asked = deferred();
    const reported = deferred();
    const gate = createServer((_, response) => {
      asked.resolve();
      void reported.promise.then(() => response.end("open"));
    }).listen(0, "127.0.0.1");
    await once(gate, "listening");
    const { port } = gate.address() as AddressInfo;
    // The tool returns only after the client has its progress.
    const result = await session.callTool(
      { name: "wait", arguments: { gate: `http://127.0.0.1:${port}` } },
      { onProgress: () => reported.resolve() },
    );
    expect(result.content).toEqual([{ type: "text", text: "open" }]);
    gate.close();
    gate.closeAllConnections();
  });

  test("cancels a call before its time is up, and responds with 504", async () => {
    source = "function URL";
    await using session = await connect(buffered.url, modernRevision);
    timeoutMs = 1_000;
    const hanging = session.callTool({ name: "hang" });
    await expect(hanging).rejects.toMatchObject({
      status: 504,
      message: expect.stringContaining("timeout of the function"),
    });
    timeoutMs = 30_000;
    const { content } = await session.callTool({ name: "running" });
    expect(content).toEqual([{ type: "text", text: "0" }]);
  });
});

/** A function whose requests are returned as they arrive. */
function echo(): ReturnType<typeof createLambdaHandler> {
  return createLambdaHandler({
    async serve(request, context) {
      return Response.json(
        {
          url: request.url,
          method: request.method,
          headers: [...request.headers],
          body: await request.text(),
          address: context.address,
        },
        {
          headers: [
            ["set-cookie", "a=1"],
            ["set-cookie", "b=2"],
          ],
        },
      );
    },
  });
}

test("the event of an HTTP API becomes the request that its client sent", async () => {
  const event: LambdaEvent = {
    rawPath: "/a%20b/mcp",
    rawQueryString: "x=1&x=2&y=%2F",
    cookies: ["a=1", "b=2"],
    headers: { "x-many": "1,2", host: "mcp.example.com" },
    requestContext: { domainName: "mcp.example.com", http: { method: "POST", sourceIp: address } },
    body: Buffer.from("Grüße").toString("base64"),
    isBase64Encoded: true,
  };
  const { body, ...head } = await echo()(event);
  expect(JSON.parse(body)).toEqual({
    url: "https://mcp.example.com/a%20b/mcp?x=1&x=2&y=%2F",
    method: "POST",
    headers: [
      ["cookie", "a=1; b=2"],
      ["host", "mcp.example.com"],
      ["x-many", "1,2"],
    ],
    body: "Grüße",
    address,
  });
  expect(head).toEqual({
    statusCode: 200,
    headers: { "content-type": "application/json" },
    cookies: ["a=1", "b=2"],
    isBase64Encoded: false,
  });
});

test.each(["rawPath", "path"])("characters of %s do not begin a query or a fragment", async (name) => {
  const source = name === "path" ? "REST API" : "function URL";
  const { body } = await echo()({ ...eventOf(source, ping, ""), [name]: "/a?b#c\\d ä" });
  expect(JSON.parse(body)).toMatchObject({ url: "https://mcp.example.com/a%3Fb%23c%5Cd%20%C3%A4" });
});

test("the event of a REST API becomes the request that its client sent", async () => {
  const event: LambdaEvent = {
    httpMethod: "POST",
    path: "/mcp",
    headers: { Host: "mcp.example.com", "X-Many": "2" },
    multiValueHeaders: { Host: ["mcp.example.com"], "X-Many": ["1", "2"] },
    queryStringParameters: { x: "2" },
    multiValueQueryStringParameters: { x: ["1", "2"], y: ["/ ä"] },
    requestContext: { domainName: "mcp.example.com", identity: { sourceIp: address } },
    body: "Grüße",
    isBase64Encoded: false,
  };
  const { body, ...head } = await echo()(event);
  expect(JSON.parse(body)).toEqual({
    url: "https://mcp.example.com/mcp?x=1&x=2&y=%2F+%C3%A4",
    method: "POST",
    headers: [
      ["host", "mcp.example.com"],
      ["x-many", "1, 2"],
    ],
    body: "Grüße",
    address,
  });
  expect(head).toEqual({
    statusCode: 200,
    multiValueHeaders: { "content-type": ["application/json"], "set-cookie": ["a=1", "b=2"] },
    isBase64Encoded: false,
  });
});

const ping = new Request("https://mcp.example.com/mcp", { method: "POST" });

test("documents beside the endpoint are served, and bodies that are not text are encoded", async () => {
  const senders: unknown[] = [];
  const route: LambdaRoute = {
    fetch: (request, context) =>
      senders.push(context) > 0 && new URL(request.url).pathname === "/icon"
        ? new Response(new Uint8Array([255, 0]), { headers: { "content-type": "image/png" } })
        : undefined,
  };
  const handler = createLambdaHandler({ serve: async () => new Response("endpoint") }, { routes: [route] });
  const icon = await handler(eventOf("function URL", new Request("https://mcp.example.com/icon"), ""));
  expect(icon).toMatchObject({ body: "/wA=", isBase64Encoded: true });
  expect((await handler(eventOf("function URL", ping, ""))).body).toBe("endpoint");
  expect(senders).toEqual([{ address }, { address }]);
});

const latin = Uint8Array.from([0x47, 0x72, 0xfc, 0xdf, 0x65]);
test.each([
  ["no type", Uint8Array.from([255, 0, 254]), {}],
  ["no type, and UTF-8", Buffer.from("Grüße"), {}],
  ["another charset", latin, { "content-type": "text/plain; charset=iso-8859-1" }],
  ["bytes that are not UTF-8", latin, { "content-type": "application/json" }],
  ["a content encoding", Buffer.from("{}"), { "content-type": "text/plain", "content-encoding": "x" }],
])("a body with %s arrives as it was sent", async (_, bytes, headers) => {
  const handler = createLambdaHandler({ serve: async () => new Response(bytes, { headers }) });
  const result = await handler(eventOf("function URL", ping, ""));
  expect(result).toMatchObject({ isBase64Encoded: true, body: Buffer.from(bytes).toString("base64") });
});

test("a response without a body is not encoded", async () => {
  const handler = createLambdaHandler({ serve: async () => new Response(null, { status: 202 }) });
  const result = await handler(eventOf("function URL", ping, ""));
  expect(result).toMatchObject({ statusCode: 202, isBase64Encoded: false, body: "" });
});

/** A body that arrives in parts. */
function parts(part: string, count: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream({
    pull: (controller) =>
      sent++ < count ? controller.enqueue(new TextEncoder().encode(part)) : controller.close(),
  });
}

test.each<[kind: string, body: () => string | ReadableStream, type?: string, field?: string]>([
  ["in one piece", () => "x".repeat(101_000)],
  ["in parts", () => parts("ä".repeat(1_000), 60)],
  ["with escapes of two bytes", () => "\n".repeat(60_000)],
  ["with escapes of six bytes", () => "\u0001".repeat(20_000)],
  ["whose bytes grow in Base64", () => parts("ä".repeat(1_000), 40), "image/png"],
  ["whose headers are large", () => "ok", "text/plain", "x".repeat(101_000)],
])(
  "a response %s above the limit is replaced by an error that names the limit",
  async (_, body, type = "text/plain", field = "x") => {
    const errors: unknown[] = [];
    const handler = createLambdaHandler(
      { serve: async () => new Response(body(), { headers: { "content-type": type, "x-field": field } }) },
      { limits: { maxResultBytes: 100_000 }, onError: (error) => errors.push(error) },
    );
    const { statusCode, body: message } = await handler(eventOf("function URL", ping, ""));
    expect([statusCode, message]).toEqual([500, expect.stringContaining("at most 100000 bytes")]);
    expect(errors).toEqual([expect.objectContaining({ message })]);
  },
);

test("a response is returned up to exactly the limit, as JSON in UTF-8", async () => {
  const serve = async (): Promise<Response> => new Response(parts("ä\n\u0001", 100));
  const event = eventOf("function URL", ping, "");
  const result = await createLambdaHandler({ serve })(event);
  const maxResultBytes = Buffer.byteLength(JSON.stringify(result));
  expect(await createLambdaHandler({ serve }, { limits: { maxResultBytes } })(event)).toEqual(result);
  const limits = { maxResultBytes: maxResultBytes - 1 };
  const less = createLambdaHandler({ serve }, { limits, onError: () => undefined });
  expect((await less(event)).statusCode).toBe(500);
});

test("a body that fails gets 500, and the reason goes to onError", async () => {
  const errors: unknown[] = [];
  const body = new ReadableStream({ pull: (controller) => controller.error(new Error("secret")) });
  const handler = createLambdaHandler(
    { serve: async () => new Response(body) },
    { onError: (error) => errors.push(error) },
  );
  expect(await handler(eventOf("function URL", ping, ""))).toMatchObject({
    statusCode: 500,
    body: "Internal error",
  });
  expect(errors).toEqual([expect.objectContaining({ message: "secret" })]);
});

/** An invocation whose time is nearly up. */
const brief = { getRemainingTimeInMillis: () => 5 };
const never = new Promise<never>(() => {});

test.each([
  ["a handler", () => never, []],
  ["a route", async () => new Response(), [{ fetch: () => never }]],
  ["a body", async () => new Response(new ReadableStream()), []],
])("%s that never settles gets 504 in time", async (_, serve, routes) => {
  const handler = createLambdaHandler({ serve }, { routes, limits: { reserveMs: 0 } });
  expect((await handler(eventOf("function URL", ping, ""), brief)).statusCode).toBe(504);
});

test("a response that comes too late is cancelled", async () => {
  const late = deferred<Response>();
  const cancelled = deferred();
  const handler = createLambdaHandler({ serve: () => late.promise }, { limits: { reserveMs: 0 } });
  expect((await handler(eventOf("function URL", ping, ""), brief)).statusCode).toBe(504);
  late.resolve(new Response(new ReadableStream({ cancel: () => cancelled.resolve() })));
  await cancelled.promise;
});

test.each(["function URL", "REST API"] as const)("another host is refused behind a %s", async (source) => {
  const server = new Server({ name: "greeter", version: "1.0.0" });
  const mcp = createStatelessHandler({ getServer: () => server, allowedHosts: ["mcp.example.com"] });
  const event = JSON.stringify(eventOf(source, ping, "{}")).replaceAll("mcp.example.com", "other.example");
  expect(await createLambdaHandler(mcp)(JSON.parse(event) as LambdaEvent)).toMatchObject({
    statusCode: 403,
    body: expect.stringContaining("other.example"),
  });
});

test("the stream of a legacy session is refused at once, and its client does not ask again", async () => {
  const server = new Server({ name: "greeter", version: "1.0.0" });
  server.addTool({ name: "greet" }, () => "Hello!");
  await using mcp = createStreamableHandler({
    getServer: () => server,
    allowedHosts: ["mcp.example.com"],
    allowedOrigins: ["https://desk.example"],
  });
  const handler = createLambdaHandler(mcp);
  const refused: Response[] = [];
  const invoke: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    request.headers.set("origin", "https://desk.example");
    const result = await handler(eventOf("function URL", request, await request.text()));
    const { statusCode: status, headers = {}, body } = result;
    const response = new Response([202, 204].includes(status) ? null : body, { status, headers });
    if (request.method === "GET") {
      refused.push(response.clone());
    }
    return response;
  };
  const unsupported = deferred<number>();
  const transport = new StreamableClientTransport("https://mcp.example.com/mcp", {
    fetch: invoke,
    eras: false,
    onListening: (state) => state.state === "unsupported" && unsupported.resolve(state.status),
  });
  const client = new Client({ name: "desk", version: "1.0.0" }, { revisions: [legacyRevision] });
  await using session = await client.connect(transport);
  expect(await unsupported.promise).toBe(405);
  expect((await session.callTool({ name: "greet" })).content).toEqual([{ type: "text", text: "Hello!" }]);
  expect(refused).toHaveLength(1);
  const [{ headers } = new Response()] = refused;
  expect(headers.get("access-control-allow-origin")).toBe("https://desk.example");
  expect(await refused[0]?.json()).toMatchObject({ error: { message: expect.stringContaining("streams") } });
});

describe("a subscription where responses are not streamed", () => {
  const server = new Server({ name: "greeter", version: "1.0.0" });
  const mcp = createStatelessHandler({
    getServer: () => server,
    allowedHosts: ["mcp.example.com"],
    allowedOrigins: ["https://desk.example"],
  });
  const handler = createLambdaHandler(mcp);
  const method = "subscriptions/listen";
  const meta = {
    "io.modelcontextprotocol/protocolVersion": modernRevision,
    "io.modelcontextprotocol/clientInfo": { name: "desk", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const listening = JSON.stringify({ jsonrpc: "2.0", id: 7, method, params: { _meta: meta } });
  function ask(origin: string, body = listening): ReturnType<typeof handler> {
    const headers = {
      origin,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-method": method,
      "mcp-protocol-version": modernRevision,
    };
    return handler(eventOf("REST API", new Request(ping, { headers }), body));
  }

  test("is rejected as an unknown method, and the page can read why", async () => {
    const { statusCode, multiValueHeaders, headers, body } = await ask("https://desk.example");
    expect([statusCode, JSON.parse(body)]).toMatchObject([
      404,
      { id: 7, error: { code: -32_601, message: expect.stringContaining("streams") } },
    ]);
    expect({ ...headers, ...multiValueHeaders }).toMatchObject({
      "access-control-allow-origin": ["https://desk.example"],
    });
  });

  test.each(["GET", "HEAD"])("asked for by %s is refused as every other request", async (verb) => {
    const headers = { origin: "https://evil.example", "mcp-method": method };
    const { statusCode } = await handler(
      eventOf("REST API", new Request(ping, { method: verb, headers }), ""),
    );
    expect(statusCode).toBe(403);
  });

  test.each([
    ["of a page that is not allowed", "https://evil.example", listening, 403],
    ["that is not JSON", "https://desk.example", "{", 400],
    ["whose body has another method", "https://desk.example", listening.replace(method, "tools/list"), 400],
  ])("%s is refused as every other request", async (_, origin, body, status) => {
    expect((await ask(origin, body)).statusCode).toBe(status);
  });
});

test.each([
  ["an event of another kind", { Records: [] }],
  ["no event", null],
  [
    "an event of a load balancer",
    { ...eventOf("REST API", ping, ""), requestContext: { elb: { targetGroupArn: "arn:aws:…" } } },
  ],
  ["a header that HTTP does not allow", { ...eventOf("function URL", ping, ""), headers: { "x-a": "a\nb" } }],
])("%s gets 400, and the reason goes to onError", async (_, event) => {
  const errors: unknown[] = [];
  const handler = createLambdaHandler(
    { serve: async () => new Response() },
    { onError: (error) => errors.push(error) },
  );
  expect((await handler(event as unknown as LambdaEvent)).statusCode).toBe(400);
  expect(errors).toEqual([expect.any(TypeError)]);
});

test("a handler that throws gets 500 without details", async () => {
  const errors: unknown[] = [];
  const handler = createLambdaHandler(
    { serve: () => Promise.reject(new Error("secret")) },
    { onError: (error) => errors.push(error) },
  );
  expect(await handler(eventOf("REST API", ping, ""))).toMatchObject({
    statusCode: 500,
    body: "Internal error",
  });
  expect(errors).toEqual([expect.objectContaining({ message: "secret" })]);
});

test("streaming outside of the runtimes of Lambda fails with what to use instead", () => {
  expect(() => createStreamingLambdaHandler({ serve: async () => new Response() })).toThrow(
    "Elsewhere use createLambdaHandler",
  );
});
