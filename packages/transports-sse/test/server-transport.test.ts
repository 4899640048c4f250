import { createServer } from "node:http";

import { isLocalError, Peer } from "@tenon/jsonrpc2";
import { listenOnFreePort } from "@tenon/test-support/http";
import { SSEClientTransport } from "@tenon/transports-sse/client";
import { SSEServerTransport } from "@tenon/transports-sse/server";
import { expect, test } from "vitest";

import { listen, server } from "./setup.ts";

const url = "http://localhost/events";
const message = (body: unknown): Request =>
  new Request("http://localhost/messages", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** Reads events until there are as many as asked for. */
async function events(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  count: number,
): Promise<string[]> {
  let text = "";
  while (text.split("\n\n").length <= count) {
    const { done = true, value } = (await reader?.read()) ?? {};
    if (done) {
      throw new Error(`The stream ended after ${JSON.stringify(text)}`);
    }
    text += new TextDecoder().decode(value);
  }
  return text.split("\n\n").slice(0, count);
}

test("S-027, S-032: whoever routes requests differently makes a transport for each GET, which is itself a handler", async () => {
  const transports = new Map<string, SSEServerTransport>();
  const http = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const id = pathname.split("/")[2] ?? "";
    if (request.method === "GET") {
      const transport = new SSEServerTransport({ endpoint: `/inbox/${transports.size}` });
      transports.set(String(transports.size), transport);
      void server.connect(transport);
      void transport.node(request, response);
    } else {
      void transports.get(id)?.node(request, response);
    }
  });
  const port = await listenOnFreePort(http);
  for (const text of ["first", "second"]) {
    await using peer = new Peer(await new SSEClientTransport(`http://127.0.0.1:${port}/outbox`).connect());
    expect(await peer.call("echo", { text })).toEqual({ text });
  }
  expect(transports.size).toBe(2);
  http.closeAllConnections();
  http.close();
});

test("S-028, R-381, R-382: the endpoint comes first, then every message as one event named message", async () => {
  const transport = new SSEServerTransport({ endpoint: "/messages" });
  const connection = await transport.connect();
  const response = await transport.fetch(new Request(url));
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  await connection.write({ jsonrpc: "2.0", method: "a", params: { text: "two\nlines" } });
  await connection.write({ jsonrpc: "2.0", method: "b" });
  const reader = response.body?.getReader();
  expect(await events(reader, 3)).toEqual([
    "event: endpoint\ndata: /messages",
    String.raw`event: message` +
      "\n" +
      String.raw`data: {"jsonrpc":"2.0","method":"a","params":{"text":"two\nlines"}}`,
    'event: message\ndata: {"jsonrpc":"2.0","method":"b"}',
  ]);
  await transport.close();
});

test("S-029: what is posted is what is read, and is accepted with 202", async () => {
  const transport = new SSEServerTransport({ endpoint: "/messages" });
  const connection = await transport.connect();
  expect((await transport.fetch(message({ jsonrpc: "2.0", method: "early" }))).status).toBe(404);
  const alice = { auth: { principal: "alice" } };
  await transport.fetch(new Request(url), alice);
  const accepted = await transport.fetch(message({ jsonrpc: "2.0", id: 1, method: "a" }), alice);
  expect(accepted.status).toBe(202);
  expect(await connection.read()).toMatchObject({ id: 1, method: "a" });
  expect((await transport.fetch(message({ jsonrpc: "1.0" }), alice)).status).toBe(400);
  expect((await transport.fetch(new Request(url, { method: "PUT" }))).status).toBe(405);
  await transport.close();
});

test("R-793: it belongs to the principal of its GET", async () => {
  const transport = new SSEServerTransport({ endpoint: "/messages" });
  await transport.connect();
  await transport.fetch(new Request(url), { auth: { principal: "alice" } });
  const forged = { jsonrpc: "2.0", id: 1, method: "a" };
  expect((await transport.fetch(message(forged))).status).toBe(404);
  expect((await transport.fetch(message(forged), { auth: { principal: "bob" } })).status).toBe(404);
  await transport.close();
});

test("T-030, T-031: a foreign Host and a foreign Origin are refused by a transport without its handler, too", async () => {
  const transport = new SSEServerTransport({ endpoint: "/messages" });
  await transport.connect();
  expect((await transport.fetch(new Request("http://evil.example/sse"))).status).toBe(403);
  const foreign = new Request(url, { headers: { origin: "https://evil.example" } });
  expect((await transport.fetch(foreign)).status).toBe(403);
  expect((await transport.fetch(new Request(url))).status).toBe(200);
  await transport.close();
});

test("what waits for a stream that never comes is refused when the transport is closed", async () => {
  const transport = new SSEServerTransport({ endpoint: "/messages" });
  await transport.connect();
  const written = transport.write({ jsonrpc: "2.0", method: "a" });
  await transport.close();
  await expect(written).rejects.toSatisfy((error) => isLocalError(error, "CONNECTION_CLOSED"));
});

test("S-030: close ends the hanging GET", async () => {
  const transport = new SSEServerTransport({ endpoint: "/messages" });
  await transport.connect();
  const response = await transport.fetch(new Request(url));
  const text = response.text();
  await transport.close();
  expect(await text).toBe("event: endpoint\ndata: /messages\n\n");
  expect((await transport.fetch(new Request(url))).status).toBe(409);
});

test("it connects once, and a second GET is refused", async () => {
  const transport = new SSEServerTransport({ endpoint: "/messages" });
  await transport.connect();
  await expect(transport.connect()).rejects.toSatisfy((error) => isLocalError(error, "INVALID_STATE"));
  await transport.fetch(new Request(url));
  expect((await transport.fetch(new Request(url))).status).toBe(409);
  await transport.close();
});

test("S-034: an endpoint is resolved against the URL of the stream", async () => {
  await using listening = await listen({ endpointFor: (sessionId) => `sub/inbox?sessionId=${sessionId}` });
  const posted: string[] = [];
  listening.http.prependListener("request", ({ method, url: target = "" }) => {
    if (method === "POST") {
      posted.push(target.replace(/=.*/, "="));
    }
  });
  await using peer = new Peer(await new SSEClientTransport(new URL("/deep/sse", listening.url)).connect());
  expect(await peer.call("echo", { text: "x" })).toEqual({ text: "x" });
  expect(posted).toEqual(["/deep/sub/inbox?sessionId="]);
});

test("S-236, R-380: a message is sent when it is accepted; its answer comes on the stream", async () => {
  await using listening = await listen();
  const connection = await new SSEClientTransport(listening.url).connect();
  await connection.write({ jsonrpc: "2.0", id: 1, method: "echo", params: { text: "x" } });
  expect(await connection.read()).toMatchObject({ id: 1, result: { text: "x" } });
  await connection.close();
  listening.http.closeAllConnections();
});

test("S-025: a handler identifies senders, or is wrapped to know them", async () => {
  const url = "http://localhost/sse";
  const right = { headers: { authorization: "Bearer right" } };
  await using asking = await listen({
    authenticate: ({ headers }) =>
      headers.get("authorization") === "Bearer right" ? { principal: "alice" } : undefined,
  });
  expect((await asking.handler.fetch(new Request(url))).status).toBe(401);
  const asked = await asking.handler.fetch(new Request(url, right));
  expect(asked.status).toBe(200);
  await asked.body?.cancel();

  await using wrapped = await listen();
  const known = await wrapped.handler.serve(new Request(url, right), { auth: { principal: "alice" } });
  expect(known.status).toBe(200);
  await known.body?.cancel();
});

test("an option that the handler does not know is refused", async () => {
  await expect(listen({ maxSession: 5 } as object)).rejects.toThrow(
    'createSSEHandler has no option "maxSession". Did you mean limits.maxSessions?',
  );
});

test("R-793: a stream is not opened for an identity that names nobody", async () => {
  const errors: unknown[] = [];
  const transport = new SSEServerTransport({ endpoint: "/messages", onError: (error) => errors.push(error) });
  const auth = { sub: "alice" } as unknown as { principal: string };
  expect((await transport.fetch(new Request("http://localhost/sse"), { auth })).status).toBe(500);
  expect(errors).toMatchObject([{ message: expect.stringContaining("principal") as string }]);
  await transport.close();
});
