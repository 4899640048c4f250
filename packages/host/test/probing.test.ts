import { createServer } from "node:http";

import { Client } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { Manager } from "../src/index.ts";
import { nodeTransports } from "../src/node.ts";

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * A server of 2025-11-25 that refuses `server/discover` as a test says, or closes the connection
 * without a response.
 */
async function legacyServer(refusal: (id: unknown) => Refusal | undefined) {
  const methods: string[] = [];
  const http = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on("end", () => {
      if (request.method !== "POST") {
        response.writeHead(405).end();
        return;
      }
      const { id, method = "" } = JSON.parse(text) as { id?: number; method?: string };
      methods.push(method);
      if (method === "server/discover") {
        const refused = refusal(id);
        if (refused === undefined) {
          request.socket.destroy();
        } else {
          response.writeHead(refused.status, refused.headers).end(refused.body);
        }
      } else if (id === undefined || method === "") {
        response.writeHead(202).end();
      } else {
        const serverInfo = { name: "old", version: "1.0.0" };
        const result = { protocolVersion: legacyRevision, capabilities: {}, serverInfo };
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      }
    });
  });
  const origin = await originOnFreePort(http);
  return {
    url: `${origin}/mcp`,
    methods,
    [Symbol.asyncDispose]: () => {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

const error = { code: -32000, message: "Missing session ID" };

/** What a server can say to a request that it does not answer. */
const bodies: Readonly<Record<string, string>> = {
  "an error with the id of its own making": JSON.stringify({ jsonrpc: "2.0", id: "server-error", error }),
  "an error with the id 0": JSON.stringify({ jsonrpc: "2.0", id: 0, error }),
  "an error with the id null": JSON.stringify({ jsonrpc: "2.0", id: null, error }),
  "an error without an id": JSON.stringify({ jsonrpc: "2.0", error }),
  "the result of another request": JSON.stringify({ jsonrpc: "2.0", id: "x", result: {} }),
  "a notification": JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} }),
  "an array": "[]",
  "JSON of another kind": '{"detail":"Not Found"}',
  "no JSON": '{"jsonrpc":',
  "a page": "<!doctype html><title>Sign in</title>",
  nothing: "",
};

const types = ["application/json", "text/html; charset=utf-8", "text/plain", "text/event-stream", undefined];

const refusals = Object.entries(bodies).flatMap(([what, body]) =>
  types.map((type) => ({
    what: `${what} as ${type ?? "something unnamed"}`,
    headers: {
      ...(type === undefined ? {} : { "content-type": type }),
      location: "http://login.invalid/sign-in",
    },
    body: type === "text/event-stream" ? `data: ${body}\n\n` : body,
  })),
);

async function connect(url: string, revisions?: readonly Revision[]) {
  const options = { onError: () => {}, ...(revisions === undefined ? {} : { revisions }) };
  const client = new Client({ name: "test", version: "1.0.0" }, options);
  try {
    const session = await client.connect(new StreamableClientTransport(url, { eras: false }));
    return { revision: session.revision };
  } catch (reason) {
    return reason as { readonly status?: number };
  } finally {
    await client.close();
  }
}

test.each([200, 202, 204, 302, 303, 307, 308, 400, 404, 405, 406, 409, 410, 415, 422, 426])(
  "R-217: a server that refuses the probe with %i is opened by initialize, whatever else it says",
  async (status) => {
    for (const { what, headers, body } of refusals) {
      await using server = await legacyServer(() => ({ status, headers, body }));
      expect(await connect(server.url), what).toEqual({ revision: legacyRevision });
      expect(server.methods.slice(0, 2), what).toEqual(["server/discover", "initialize"]);
    }
  },
);

test.each([403, 500, 501, 502, 503, 504])(
  "R-223: a server that refuses the probe with %i says nothing about its era: initialize is sent once",
  async (status) => {
    for (const { what, headers, body } of refusals) {
      await using server = await legacyServer(() => ({ status, headers, body }));
      expect(await connect(server.url), what).toEqual({ revision: legacyRevision });
      expect(server.methods.slice(0, 2), what).toEqual(["server/discover", "initialize"]);
    }
  },
);

test("R-223: a closed connection says nothing about the era: initialize is sent once", async () => {
  await using server = await legacyServer(() => undefined);
  expect(await connect(server.url)).toEqual({ revision: legacyRevision });
});

test("a client of the modern era alone reports a failure that says nothing as it is", async () => {
  await using server = await legacyServer(() => ({ status: 503, headers: {}, body: "" }));
  expect(await connect(server.url, [modernRevision])).toMatchObject({ code: "STATUS", status: 503 });
});

test.each([401, 429])(
  "R-223: a server that refuses the probe with %i says nothing about its era: the refusal is the outcome",
  async (status) => {
    for (const { what, headers, body } of refusals) {
      await using server = await legacyServer(() => ({ status, headers, body }));
      expect(await connect(server.url), what).toMatchObject({ code: "STATUS", status });
      expect(server.methods, what).toEqual(["server/discover"]);
    }
  },
);

test.each([200, 400, 401, 404, 500])(
  "R-213, T-39: an error that bears the id of the probe is an answer with the status %i too",
  async (status) => {
    const headers = { "content-type": "application/json" };
    const answer = (code: number) => (id: unknown) => ({
      status,
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id, error: { code, message: "no" } }),
    });
    await using legacy = await legacyServer(answer(-32601));
    expect(await connect(legacy.url)).toEqual({ revision: legacyRevision });
    await using modern = await legacyServer(answer(-32021));
    expect(await connect(modern.url)).toMatchObject({ code: -32021 });
  },
);

test.each([
  [404, "Not Found", "{url} responded with HTTP status 404: Not Found"],
  [400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no session"}}', "no session"],
  [
    200,
    "<title>Sign in</title>",
    "{url} responded with HTTP status 200 (text/plain) and no JSON-RPC response",
  ],
])("a client that is limited to modern versions says what came instead (%i)", async (status, body, why) => {
  const type = body.startsWith("{") ? "application/json" : "text/plain";
  await using server = await legacyServer(() => ({ status, headers: { "content-type": type }, body }));
  expect(await connect(server.url, [modernRevision])).toMatchObject({
    code: "UNSUPPORTED_REVISION",
    message: expect.stringContaining(
      `this client to no other (revisions): ${why.replace("{url}", server.url)}`,
    ) as string,
  });
  expect(server.methods).toEqual(["server/discover"]);
});

test("a modern-only client says of a refused host what the server said", async () => {
  const body =
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Forbidden: the Host x is not allowed"}}';
  await using server = await legacyServer(() => ({
    status: 403,
    headers: { "content-type": "application/json" },
    body,
  }));
  expect(await connect(server.url, [modernRevision])).toMatchObject({
    status: 403,
    message: expect.stringContaining("HTTP status 403: ") as string,
  });
});

test("a Manager connects to a server that gives all its refusals an id of its own", async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: "server-error", error });
  await using server = await legacyServer(() => ({
    status: 400,
    headers: { "content-type": "application/json" },
    body,
  }));
  await using manager = new Manager({
    servers: { old: { type: "http", url: server.url } },
    transports: nodeTransports(),
  });
  expect((await manager.connectAll()).ready).toEqual(["old"]);
});
