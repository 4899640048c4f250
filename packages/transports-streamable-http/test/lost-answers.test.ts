import type { IncomingMessage, ServerResponse } from "node:http";

import { Peer } from "@tenon/jsonrpc2";
import { deferred, legacyRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

import { badServer, json, type Bad } from "./bad-server.ts";
import { cancellation, initialize } from "./raw-client.ts";
import { listen } from "./setup.ts";

// A server asks a client within a call, and the client's POST with the response does not arrive.

type Refuse = (response: ServerResponse, request: IncomingMessage) => void;

const question = { jsonrpc: "2.0", id: "q", method: "elicitation/create", params: {} };
const reset: Refuse = (_, { socket }) => void socket.resetAndDestroy();
const status =
  (code: number, headers: Record<string, string> = {}): Refuse =>
  (response) =>
    void response.writeHead(code, headers).end();

/** A server that asks within `tools/call`, and ends the call when it gets the response. */
function asking(refusal: (attempt: number) => Refuse | undefined): Promise<Bad> {
  let attempts = 0;
  let respond: (result: object) => void = () => undefined;
  return badServer(({ id, method }, response, request) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
    } else if (method === "initialize") {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} }, { "mcp-session-id": "s" });
    } else if (method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${JSON.stringify(question)}\n\n`);
      respond = (result) => response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    } else if (method === undefined) {
      const refuse = refusal(++attempts);
      if (refuse !== undefined) {
        refuse(response, request);
        return;
      }
      response.writeHead(202).end();
      respond({ done: true });
    } else {
      response.writeHead(202).end();
    }
  });
}

/** A client that responds to every question. */
async function answering(url: URL, fetch?: typeof globalThis.fetch): Promise<Peer> {
  const reconnect = { maxRetries: 2, initialDelayMs: 1, maxDelayMs: 2 };
  const transport = new StreamableClientTransport(url, { eras: false, reconnect, fetch });
  const peer = new Peer(await transport.connect(), {
    handler: () => ({ action: "decline" }),
    cancellation,
    onError: () => undefined,
  });
  onTestFinished(() => peer.close());
  await initialize(peer);
  return peer;
}

const responsesOf = ({ seen }: Bad): number =>
  seen.filter(({ method, message }) => method === "POST" && message.method === undefined).length;

test.each([
  ["is reset", reset],
  ["is refused with 500", status(500)],
  ["is refused with 503 and Retry-After", status(503, { "retry-after": "0" })],
  ["is refused with 429", status(429)],
])("a response to a request of the server that %s once is sent again", async (_, refuse) => {
  await using server = await asking((attempt) => (attempt === 1 ? refuse : undefined));
  const peer = await answering(server.url);
  expect(await peer.call("tools/call", {})).toEqual({ done: true });
  expect(responsesOf(server)).toBe(2);
});

test.each([
  ["resets it", reset, 3],
  ["responds 503", status(503), 3],
  ["refuses it with 400", status(400), 1],
  ["refuses it with 403", status(403), 1],
])(
  "a call whose server can get no response to its question, because it always %s, is cancelled",
  async (_, refuse, least) => {
    await using server = await asking(() => refuse);
    const peer = await answering(server.url);
    await expect(peer.call("tools/call", {})).rejects.toMatchObject({
      code: "NETWORK",
      message: expect.stringContaining("could not be delivered") as string,
    });
    await expect.poll(() => server.seen.at(-1)?.message.method).toBe("notifications/cancelled");
    expect(server.seen.at(-1)?.message).toMatchObject({ params: { requestId: expect.anything() as number } });
    expect(responsesOf(server)).toBeGreaterThanOrEqual(least);
  },
);

test("the handler of a call whose question gets no response is aborted, and the session lives on", async () => {
  const aborted = deferred();
  await using listening = await listen((scope) => {
    if (scope.method !== "tools/call") {
      return {};
    }
    scope.signal.addEventListener("abort", () => aborted.resolve());
    return scope.call("elicitation/create", {});
  });
  const peer = await answering(listening.url, (input, init) => {
    const isResponse = typeof init?.body === "string" && !init.body.includes('"method"');
    return isResponse ? Promise.resolve(new Response(null, { status: 503 })) : fetch(input, init);
  });
  await expect(peer.call("tools/call", {})).rejects.toMatchObject({ code: "NETWORK" });
  await aborted.promise;
  expect(await peer.call("ping", {})).toEqual({});
});
