import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { Client, Server, type ClientSession } from "@tenon/mcp";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStatelessHandler } from "@tenon/transports-streamable-http/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createLambdaHandler, createStreamingLambdaHandler, type LambdaEvent } from "../src/index.ts";
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
  const route = {
    fetch: (request: Request) =>
      new URL(request.url).pathname === "/icon"
        ? new Response(new Uint8Array([255, 0]), { headers: { "content-type": "image/png" } })
        : undefined,
  };
  const handler = createLambdaHandler({ serve: async () => new Response("endpoint") }, { routes: [route] });
  const icon = await handler(eventOf("function URL", new Request("https://mcp.example.com/icon"), ""));
  expect(icon).toMatchObject({ body: "/wA=", isBase64Encoded: true });
  expect((await handler(eventOf("function URL", ping, ""))).body).toBe("endpoint");
});

test("a response above the limit of Lambda is replaced by an error that names both sizes", async () => {
  const errors: unknown[] = [];
  const handler = createLambdaHandler(
    { serve: async () => new Response("\n".repeat(400_000)) },
    { limits: { maxResultBytes: 500_000 }, onError: (error) => errors.push(error) },
  );
  const { statusCode, body } = await handler(eventOf("function URL", ping, ""));
  // Its 400,000 line breaks have two bytes each in JSON.
  expect([statusCode, body]).toEqual([500, expect.stringContaining("at most 500000 bytes")]);
  expect(errors).toEqual([expect.objectContaining({ message: body })]);
});

test("a subscription is rejected where responses are not streamed", async () => {
  const server = new Server({ name: "greeter", version: "1.0.0" });
  const mcp = createStatelessHandler({ getServer: () => server, allowedHosts: ["mcp.example.com"] });
  const handler = createLambdaHandler(mcp);
  const request = new Request(ping, { headers: { "mcp-method": "subscriptions/listen" } });
  const message = { jsonrpc: "2.0", id: 7, method: "subscriptions/listen", params: {} };
  const { statusCode, body } = await handler(eventOf("REST API", request, JSON.stringify(message)));
  expect([statusCode, JSON.parse(body)]).toMatchObject([404, { id: 7, error: { code: -32_601 } }]);
});

test.each([
  ["an event of another kind", { Records: [] }],
  ["no event", null],
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
