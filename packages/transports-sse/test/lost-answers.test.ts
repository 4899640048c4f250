import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { Peer } from "@tenon/jsonrpc2";
import { deferred } from "@tenon/test-support";
import { listenOnFreePort } from "@tenon/test-support/http";
import { SSEClientTransport } from "@tenon/transports-sse/client";
import { createSSEHandler } from "@tenon/transports-sse/server";
import { expect, onTestFinished, test, vi } from "vitest";

import { server } from "./setup.ts";

// A server asks a client within a call, and the client's POST with the response does not arrive.

type Refuse = (response: ServerResponse, request: IncomingMessage) => void;

/** Serves `ask`, and refuses the first POSTs of responses. */
async function refusing(refuse: Refuse, times: number = 1): Promise<{ readonly url: URL; posts(): number }> {
  const handler = createSSEHandler({ getServer: () => server });
  let posts = 0;
  const http = createServer((request, response) => {
    void (async () => {
      let body = "";
      if (request.method === "POST") {
        for await (const chunk of request) {
          body += String(chunk);
        }
      }
      const isResponse = body !== "" && !body.includes('"method"');
      if (isResponse && ++posts <= times) {
        refuse(response, request);
        return;
      }
      await handler.node(request, response, { parsedBody: body === "" ? undefined : JSON.parse(body) });
    })();
  });
  const port = await listenOnFreePort(http);
  onTestFinished(async () => {
    await handler.close({ drainMs: 0 });
    http.closeAllConnections();
    http.close();
  });
  return { url: new URL(`http://127.0.0.1:${port}/sse`), posts: () => posts };
}

test.each<[string, Refuse]>([
  ["is reset", (_, { socket }) => void socket.resetAndDestroy()],
  ["is refused with 500", (response) => void response.writeHead(500).end()],
  [
    "is refused with 503 and Retry-After",
    (response) => void response.writeHead(503, { "retry-after": "0" }).end(),
  ],
])("a response to a request of the server that %s once is sent again", async (_, refuse) => {
  const { url, posts } = await refusing(refuse);
  const peer = new Peer(await new SSEClientTransport(url).connect(), { handler: () => ({ name: "Ada" }) });
  onTestFinished(() => peer.close());
  expect(await peer.call("ask", {})).toEqual({ name: "Ada" });
  expect(posts()).toBe(2);
});

test.each<[string, number, object]>([
  ["with an error in its place", 1, { message: expect.stringContaining("413") }],
  ["by the end of the connection, if that is refused as well", 2, { code: "CONNECTION_CLOSED" }],
])("a call whose question cannot be answered fails %s", async (_, times, error) => {
  const { url, posts } = await refusing((response) => void response.writeHead(413).end(), times);
  const peer = new Peer(await new SSEClientTransport(url).connect(), {
    handler: () => ({ name: "Ada" }),
    onError: () => undefined,
  });
  onTestFinished(() => peer.close());
  await expect(peer.call("ask", {}, { timeoutMs: 20_000 })).rejects.toMatchObject(error);
  expect(posts()).toBe(2);
});

test.each([
  [503, 9],
  [429, 9],
  [403, 1],
])(
  "a response to a request of the server that is always refused with %i is sent %i times, and an error in its place once",
  async (status, times) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let posts = 0;
    const ended = deferred();
    const fetch = (_: unknown, init?: RequestInit): Promise<Response> => {
      if (init?.method === "POST") {
        posts++;
        return Promise.resolve(new Response(null, { status }));
      }
      const body = new ReadableStream({
        start: (stream) => stream.enqueue(new TextEncoder().encode("event: endpoint\ndata: /messages\n\n")),
      });
      const headers = { "content-type": "text/event-stream" };
      return Promise.resolve(new Response(body, { headers }));
    };
    const connection = await new SSEClientTransport("http://127.0.0.1/sse", { fetch }).connect();
    const written = connection.write({ jsonrpc: "2.0", id: "q", result: {} });
    written.then(undefined, () => ended.resolve());
    await vi.advanceTimersByTimeAsync(120_000);
    await ended.promise;
    await expect(written).rejects.toMatchObject({ code: "STATUS", status });
    expect(posts).toBe(times + 1);
    await connection.close();
  },
);

test("a response that waits to be sent again is given up when the connection is closed", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const posted = deferred();
  const fetch = (_: unknown, init?: RequestInit): Promise<Response> => {
    if (init?.method === "POST") {
      posted.resolve();
      return Promise.resolve(new Response(null, { status: 503 }));
    }
    const text = new TextEncoder().encode("event: endpoint\ndata: /messages\n\n");
    const body = new ReadableStream({ start: (stream) => stream.enqueue(text) });
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  };
  const connection = await new SSEClientTransport("http://127.0.0.1/sse", { fetch }).connect();
  const written = connection.write({ jsonrpc: "2.0", id: "q", result: {} });
  await posted.promise;
  const given = expect(written).rejects.toMatchObject({ code: "CONNECTION_CLOSED" });
  await connection.close();
  await given;
});

test("a response that JSON cannot carry is answered once, with an error", async () => {
  const { url, posts } = await refusing(() => undefined, 0);
  const peer = new Peer(await new SSEClientTransport(url).connect(), {
    handler: () => ({ count: 1n }),
    onError: () => undefined,
  });
  onTestFinished(() => peer.close());
  await expect(peer.call("ask", {})).rejects.toMatchObject({ code: -32_603 });
  expect(await peer.call("echo", { text: "a" })).toEqual({ text: "a" });
  expect(posts()).toBe(1);
});
