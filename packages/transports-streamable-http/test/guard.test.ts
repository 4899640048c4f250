import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";

import { expect, test } from "vitest";

import { common, echo, listen, modern } from "./setup.ts";

/** The status of a request with headers that `fetch` would not send. */
function statusWith(url: URL, headers: Record<string, string>): Promise<number | undefined> {
  const { body, headers: own } = modern("tools/list");
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: "POST", headers: { ...own, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.once("error", reject);
    request.end(body);
  });
}

test.each([
  ["T-030: another Host", { host: "evil.example" }, 403],
  ["T-030: another Host with the right port", { host: "evil.example:80" }, 403],
  ["T-030: a loopback name with another behind it", { host: "[::1]evil.example" }, 403],
  ["T-030: a loopback name in the place of a user", { host: "localhost:x@evil.example" }, 403],
  ["T-030: no port but letters", { host: "localhost:evil" }, 403],
  ["T-030: an IPv6 address with its port", { host: "[::1]:8080" }, 200],
  ["T-031: another Origin", { origin: "https://evil.example" }, 403],
  ["T-031: the Origin null", { origin: "null" }, 403],
  ["T-031: an Origin with a user", { origin: "http://localhost@evil.example" }, 403],
  ["T-031: an Origin that begins like a loopback name", { origin: "http://localhost.evil.example" }, 403],
  ["T-031: a page of another site", { "sec-fetch-site": "cross-site" }, 403],
  ["a page of this machine", { origin: "http://localhost:5173" }, 200],
  ["R-281: no Origin", {}, 200],
])("%s", async (_, headers: Record<string, string>, status) => {
  await using listening = await listen();
  expect(await statusWith(listening.url, headers)).toBe(status);
});

test("allow-lists admit what they name, and nothing else", async () => {
  await using listening = await listen(echo, {
    allowedHosts: ["mcp.example.com"],
    allowedOrigins: ["https://app.example.com"],
  });
  const { url } = listening;
  expect(await statusWith(url, { host: "MCP.example.com:8443", origin: "https://app.example.com" })).toBe(
    200,
  );
  expect(await statusWith(url, { host: "mcp.example.com", origin: "http://app.example.com" })).toBe(403);
  expect(await statusWith(url, { host: "localhost" })).toBe(403);
});

test("T-62: pages of allowed origins may read answers and preflight any header of the protocol", async () => {
  await using listening = await listen(echo, { allowedOrigins: ["https://app.example.com"] });
  const origin = "https://app.example.com";
  const preflight = await fetch(listening.url, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "mcp-method,mcp-param-region",
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-headers")).toBe("mcp-method,mcp-param-region");
  const request = modern("tools/list");
  const response = await fetch(listening.url, { ...request, headers: { ...request.headers, origin } });
  expect(response.headers.get("access-control-allow-origin")).toBe(origin);
  expect(response.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id");
});

test.each([
  ["text/plain", 415],
  ["text/plain; x=application/json", 415],
  ["application/jsonp", 415],
  ["application/json; charset=utf-8", 200],
  ["Application/JSON", 200],
])("the Content-Type %s", async (type, status) => {
  await using listening = await listen();
  expect(await statusWith(listening.url, { "content-type": type })).toBe(status);
});

test.each([
  ["text/html", 406],
  ["application/json", 200],
  ["*/*", 200],
  ["text/event-stream", 200],
])("T-68: the Accept %s", async (accept, status) => {
  await using listening = await listen();
  expect(await statusWith(listening.url, { accept })).toBe(status);
});

test("a body beyond the limit is refused before it is read", async () => {
  await using listening = await listen(echo, { limits: { maxMessageBytes: 1000 } });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(2000) });
  const announced = await fetch(listening.url, { method: "POST", headers: common, body });
  expect(announced.status).toBe(413);
  expect(await announced.text()).toContain("(maxMessageBytes)");
  const chunked = await fetch(listening.url, {
    method: "POST",
    headers: common,
    body: new Blob([body]).stream(),
    duplex: "half",
  });
  expect(chunked.status).toBe(413);
});

test("T-060: a compressed body is inflated, up to the limit", async () => {
  await using listening = await listen(echo, { limits: { maxMessageBytes: 100_000 } });
  const { body, headers } = modern("tools/list");
  const send = (content: Uint8Array, encoding = "gzip"): Promise<Response> =>
    fetch(listening.url, {
      method: "POST",
      headers: { ...headers, "content-encoding": encoding },
      body: content as Uint8Array<ArrayBuffer>,
    });
  expect((await send(gzipSync(body))).status).toBe(200);
  expect((await send(gzipSync(" ".repeat(10_000_000)))).status).toBe(413);
  expect((await send(Buffer.from("no gzip"))).status).toBe(400);
  expect((await send(Buffer.from("x"), "br")).status).toBe(415);
});

test.each(["not json", "", '"scalar"', "[]", '{"jsonrpc":"1.0","id":1,"method":"x"}'])(
  "the body %j is refused with 400",
  async (body) => {
    await using listening = await listen();
    const response = await fetch(listening.url, { method: "POST", headers: common, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: expect.any(Number) } });
  },
);

/** Sends raw bytes and collects what comes back until the server closes or `enough` says so. */
function raw(url: URL, bytes: string, enough: (received: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(url.port), url.hostname, () => socket.write(bytes));
    socket.on("data", (chunk) => {
      received += chunk.toString();
      if (enough(received)) {
        socket.destroy();
      }
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

test("T-038: a body that never comes is given up", async () => {
  await using listening = await listen(echo, { limits: { bodyTimeoutMs: 50 } });
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
  expect(await raw(listening.url, head)).toMatch(/^HTTP\/1.1 408 /);
});

test("a Content-Length that promises less than comes does no harm to the next request", async () => {
  await using listening = await listen();
  const { body } = modern("tools/list");
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n`;
  const received = await raw(listening.url, head + body);
  expect(received.match(/HTTP\/1.1 400 /g)?.length).toBeGreaterThan(0);
  expect(received).not.toContain("HTTP/1.1 200");
});

test("pipelined garbage ends its own connection only", async () => {
  await using listening = await listen();
  const received = await raw(
    listening.url,
    "POST /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n\0\0garbage\r\n\r\n",
  );
  expect(received).not.toContain("HTTP/1.1 200");
  expect((await fetch(listening.url, modern("tools/list"))).status).toBe(200);
});

test("headers beyond the limit of the runtime are refused with 431", async () => {
  await using listening = await listen();
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Large: ${"x".repeat(100_000)}\r\n\r\n`;
  expect(await raw(listening.url, head)).toMatch(/^HTTP\/1.1 431 /);
});
