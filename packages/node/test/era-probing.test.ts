import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { legacyRevision, modernRevision } from "@tenon/test-support";
import { createEraCache } from "@tenon/transports-streamable-http/client";
import { expect, test } from "vitest";

import { connect, eras, serve } from "./setup.ts";

interface Wire {
  readonly id?: number;
  readonly method?: string;
}

interface Scripted extends AsyncDisposable {
  readonly url: URL;
  /** The methods that were received, in order. */
  readonly seen: string[];
}

/**
 * A server of which a test says how it answers requests; notifications are accepted, and there is
 * no stream.
 */
async function scripted(answer: (message: Wire, response: ServerResponse) => void): Promise<Scripted> {
  const seen: string[] = [];
  const http = createServer((request: IncomingMessage, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      if (request.method !== "POST") {
        response.writeHead(405).end();
        return;
      }
      const message = JSON.parse(body) as Wire;
      seen.push(message.method ?? "");
      if (message.id === undefined) {
        response.writeHead(202).end();
      } else {
        answer(message, response);
      }
    });
  });
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  const { port } = http.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    seen,
    [Symbol.asyncDispose]: () => {
      http.closeAllConnections();
      http.close();
      return Promise.resolve();
    },
  };
}

function reply(response: ServerResponse, status: number, id: number | undefined, outcome: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
}

const opened = {
  result: { protocolVersion: legacyRevision, capabilities: {}, serverInfo: { name: "old", version: "1" } },
};

test.each([
  ["400 and no body", (response: ServerResponse) => response.writeHead(400).end()],
  ["400 and a page", (response: ServerResponse) => response.writeHead(400).end("<html>Bad Request</html>")],
  ["404", (response: ServerResponse) => response.writeHead(404).end()],
  [
    "400 and an error of its own",
    (response: ServerResponse, id: number | undefined) =>
      reply(response, 400, id, { error: { code: -32000, message: "Bad Request: Server not initialized" } }),
  ],
  [
    "an error",
    (response: ServerResponse, id: number | undefined) =>
      reply(response, 200, id, { error: { code: -32601, message: "Method not found" } }),
  ],
])(
  "R-216, R-217, R-222: a server is asked with server/discover first; if it says %s the handshake follows",
  async (_, refuse) => {
    await using server = await scripted(({ id, method }, response) =>
      method === "initialize" ? reply(response, 200, id, opened) : refuse(response, id),
    );
    const session = await connect(server.url);
    expect(session.era).toBe("legacy");
    await session.close();
    expect(server.seen.slice(0, 3)).toEqual(["server/discover", "initialize", "notifications/initialized"]);
  },
);

test.each([
  [-32022, { supported: ["2027-01-01"], requested: modernRevision }],
  [-32020, undefined],
  [-32021, { requiredCapabilities: { sampling: {} } }],
])("R-217: the modern error %i keeps the client in the modern era", async (code, data) => {
  await using server = await scripted(({ id }, response) =>
    reply(response, 400, id, { error: { code, message: "no", data } }),
  );
  await expect(connect(server.url)).rejects.toThrow();
  expect(server.seen).not.toContain("initialize");
});

test("R-217: from the revisions that a modern server names one in common is chosen", async () => {
  await using server = await scripted(({ id, method }, response) => {
    if (method === "initialize") {
      reply(response, 200, id, opened);
    } else {
      const data = { supported: [legacyRevision], requested: modernRevision };
      reply(response, 400, id, { error: { code: -32022, message: "no", data } });
    }
  });
  await using session = await connect(server.url);
  expect(session.revision).toBe(legacyRevision);
});

test("the status 401 is no sign of an era: the client gives up", async () => {
  await using server = await scripted((_, response) => response.writeHead(401).end());
  await expect(connect(server.url)).rejects.toMatchObject({ status: 401 });
  expect(server.seen).toEqual(["server/discover"]);
});

test("if initialize fails after a failure of server/discover that says nothing, both errors are reported (R-223)", async () => {
  await using server = await scripted(({ method }, response) => {
    response.writeHead(method === "initialize" ? 403 : 503).end(`no ${method}`);
  });
  await expect(connect(server.url)).rejects.toMatchObject({
    status: 403,
    message: expect.stringMatching(/403: no initialize.* Before, .*503: no server\/discover/) as string,
  });
  expect(server.seen).toEqual(["server/discover", "initialize"]);
});

test("R-219: a server that was of the legacy era, and is modern now, is found out at the first connect", async () => {
  let modern = false;
  await using server = await scripted(({ id, method }, response) => {
    if (!modern) {
      reply(
        response,
        method === "initialize" ? 200 : 400,
        id,
        method === "initialize" ? opened : { error: { code: -32000, message: "no" } },
      );
    } else if (method === "server/discover") {
      const result = {
        resultType: "complete",
        supportedVersions: [modernRevision],
        capabilities: {},
        ttlMs: 0,
        cacheScope: "public",
      };
      reply(response, 200, id, { result });
    } else {
      reply(response, 400, id, {
        error: { code: -32022, message: "no", data: { supported: [modernRevision] } },
      });
    }
  });
  const cache = createEraCache();
  await (await connect(server.url, { eras: cache })).close();
  modern = true;
  server.seen.length = 0;
  await using session = await connect(server.url, { eras: cache });
  expect(session.era).toBe("modern");
  expect(server.seen).toEqual(["initialize", "server/discover"]);
  await (await connect(server.url, { eras: cache })).close();
  expect(server.seen).toEqual(["initialize", "server/discover", "server/discover"]);
});

test("R-219: the refusal of a server that is still of the legacy era is what the caller gets", async () => {
  await using server = await scripted(({ id, method }, response) =>
    reply(response, 400, id, { error: { code: -32000, message: `no ${method}` } }),
  );
  const cache = createEraCache();
  cache.set(server.url.href, "legacy");
  await expect(connect(server.url, { eras: cache })).rejects.toThrow("no initialize");
  expect(server.seen).toEqual(["initialize", "server/discover"]);
});

test("a client of the legacy era alone does not make others believe that its server is", async () => {
  await using server = await serve();
  const cache = createEraCache();
  const [modern, legacy] = eras;
  await (await connect(server.url, { eras: cache }, { revisions: legacy.revisions })).close();
  expect(cache.get(server.url.href)).toBeUndefined();
  await using session = await connect(server.url, { eras: cache });
  expect(session.revision).toBe(modern.revisions[0]);
});

test("a client of the modern era alone asks a server that was remembered as legacy", async () => {
  await using server = await serve();
  const cache = createEraCache();
  cache.set(server.url.href, "legacy");
  const [{ revisions }] = eras;
  await using session = await connect(server.url, { eras: cache }, { revisions });
  expect(session.revision).toBe(revisions[0]);
  expect(cache.get(server.url.href)).toBeUndefined();

  await using old = await scripted(({ id, method }, response) =>
    reply(response, 200, id, { error: { code: -32601, message: `no ${method}` } }),
  );
  cache.set(old.url.href, "legacy");
  await expect(connect(old.url, { eras: cache }, { revisions })).rejects.toThrow("no server/discover");
  expect(old.seen).toEqual(["server/discover"]);
});

test("what is remembered of a server is an hour old at most, however often clients connect", async () => {
  await using server = await scripted(({ id, method }, response) =>
    reply(response, 200, id, method === "initialize" ? opened : { error: { code: -32601, message: "no" } }),
  );
  const remembered: string[] = [];
  const cache = createEraCache();
  const spied = {
    ...cache,
    set: (url: string, era: "legacy") => remembered.push(url) && cache.set(url, era),
  };
  for (let count = 0; count < 3; count++) {
    await (await connect(server.url, { eras: spied })).close();
  }
  expect(server.seen.filter((method) => method === "server/discover")).toHaveLength(1);
  expect(remembered).toEqual([server.url.href]);
});
