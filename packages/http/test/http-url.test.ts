import { createHttpClient, httpUrl, statusError, type WireResponse } from "@tenon/http/client";
import { expect, test } from "vitest";

test.each([
  ["localhost:3000/mcp", 'got "localhost:3000/mcp". Did you mean "http://localhost:3000/mcp"?'],
  ["127.0.0.1:3000", 'got "127.0.0.1:3000". Did you mean "http://127.0.0.1:3000/"?'],
  ["mcp.example.com/mcp", 'got "mcp.example.com/mcp". Did you mean "https://mcp.example.com/mcp"?'],
  ["localhost:3000/mcp?token=secret", 'got "localhost:3000/mcp". Did you mean "http://localhost:3000/mcp"?'],
  [
    "user:secret@mcp.example.com/mcp",
    'got "mcp.example.com/mcp". Did you mean "https://mcp.example.com/mcp"?',
  ],
  ["/mcp", 'got "/mcp".'],
  ["ws://localhost/mcp", 'got "ws://localhost/mcp".'],
  ["", 'got "".'],
])("%j is refused as a URL, with the right form if it can be guessed", (value, why) => {
  expect(() => httpUrl(value)).toThrow(
    new TypeError(`The URL of a server must start with http:// or https://; ${why}`),
  );
});

test("URLs over HTTP are taken as texts and as objects", () => {
  expect(httpUrl("HTTPS://mcp.example.com/mcp").href).toBe("https://mcp.example.com/mcp");
  const url = new URL("http://localhost:3000/");
  expect(httpUrl(url)).toEqual(url);
});

test("no request is said to have gone to null", async () => {
  const http = createHttpClient({ wire: () => Promise.reject(new Error("no such protocol")) });
  const { signal } = new AbortController();
  const request = http({ url: new URL("localhost:3000/mcp"), method: "GET", headers: {}, signal });
  await expect(request).rejects.toThrow("The request to localhost://3000/mcp failed: no such protocol");
});

function refused(status: number, headers: Readonly<Record<string, string>>, text: string): WireResponse {
  return {
    status,
    header: (name) => headers[name],
    body: (async function* () {
      yield await Promise.resolve(new TextEncoder().encode(text));
    })(),
    discard: () => {},
  };
}

const html = { "content-type": "text/html; charset=utf-8" };

test.each([
  [404, {}, "", "http://localhost:3000/mcpp responded with HTTP status 404"],
  [405, {}, "GET only", "http://localhost:3000/mcpp responded with HTTP status 405: GET only"],
  [500, html, "boom", "http://localhost:3000/mcpp responded with HTTP status 500: boom"],
  [
    200,
    html,
    "<title>Sign in</title>",
    "http://localhost:3000/mcpp responded with HTTP status 200 (text/html) and no JSON-RPC response to the request: <title>Sign in</title> Is this the URL of an MCP endpoint?",
  ],
  [
    302,
    { location: "https://login.example.com/start?state=secret" },
    "",
    "http://localhost:3000/mcpp responded with HTTP status 302 (a redirect to https://login.example.com/start) and no JSON-RPC response to the request. Is this the URL of an MCP endpoint?",
  ],
])("the error for the status %i says what came", async (status, headers, text, message) => {
  const url = new URL("http://localhost:3000/mcpp?token=secret");
  const error = await statusError(refused(status, headers, text), url);
  expect(error).toMatchObject({ code: status < 400 ? "UNEXPECTED_RESPONSE" : "STATUS", status, message });
});

test.each([
  ["http://localhost:3000", "http://localhost:3000"],
  ["http://localhost:3000/", "http://localhost:3000"],
  ["http://u:p@localhost:3000/mcp?key=k#f", "http://localhost:3000/mcp"],
  ["https://mcp.example/v1/mcp", "https://mcp.example/v1/mcp"],
  ["https://mcp.example/api/sk_live_4f9a8b7c6d5e4f3a/mcp", "https://mcp.example/api/…/mcp"],
  ["https://mcp.example/3f2504e0-4f89-11d3-9a0c-0305e82c3301/sse", "https://mcp.example/…/sse"],
  ["https://mcp.example/s/eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "https://mcp.example/s/…"],
  ["https://mcp.example/a-long-name-of-a-service/mcp", "https://mcp.example/a-long-name-of-a-service/mcp"],
])("an error shows %s as %s", async (url, shown) => {
  const error = await statusError(refused(500, {}, ""), new URL(url));
  expect(error.message).toBe(`${shown} responded with HTTP status 500`);
});
