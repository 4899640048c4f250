import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { listen } from "@tenon/node";
import {
  createStreamableHandler,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import type { Finding } from "../src/doctor/finding.ts";
import { server } from "./fixtures/notes.mjs";
import { tenon } from "./support.ts";

async function examine(url: string): Promise<readonly Finding[]> {
  const { stdout } = await tenon(["doctor", url, "--json", "--timeout", "60s"]);
  return (JSON.parse(stdout) as { targets: { findings: Finding[] }[] }).targets.flatMap(
    ({ findings }) => findings,
  );
}

async function endpoint(options: Partial<StreamableHandlerOptions> = {}): Promise<URL> {
  const listening = await listen(createStreamableHandler({ getServer: () => server, ...options }), {
    port: 0,
  });
  onTestFinished(() => listening.close({ drainMs: 0 }));
  return listening.url;
}

async function byHand(
  handle: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<string> {
  const http = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => handle(request, response, body));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  await once(http, "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

const json = { "content-type": "application/json" };

function respond(body: string, response: ServerResponse, headers: Record<string, string> = {}): void {
  if (body !== "" && !body.endsWith("}")) {
    response
      .writeHead(400, json)
      .end(JSON.stringify({ jsonrpc: "2.0", error: { code: -32700, message: "no" } }));
    return;
  }
  const { id, method, params } = JSON.parse(body || "{}") as {
    id?: number;
    method?: string;
    params?: { protocolVersion?: string };
  };
  const serverInfo = { name: "by-hand", version: "1.0.0" };
  const result =
    method === "initialize"
      ? { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo }
      : method === "tools/list"
        ? { tools: [] }
        : undefined;
  const answer = result === undefined ? { error: { code: -32601, message: "no" } } : { result };
  response.writeHead(id === undefined ? 202 : 200, { ...json, ...headers });
  response.end(id === undefined ? undefined : JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
}

test("a good endpoint passes: headers, CORS, DNS rebinding and all five versions", async () => {
  const url = await endpoint({ allowedOrigins: ["https://tenon-doctor.example"] });
  // The tools of the fixture have no descriptions.
  const findings = (await examine(url.href)).filter(({ check }) => check !== "descriptions");
  expect(findings.filter(({ status }) => status === "failed" || status === "warning")).toEqual([]);
  const passed = findings.filter(({ status }) => status === "ok").map(({ check }) => check);
  expect(passed).toEqual(
    expect.arrayContaining(["address", "headers", "CORS", "DNS rebinding", "authorization", "handshake"]),
  );
  expect(findings).toContainEqual({
    check: "handshake",
    status: "ok",
    message: "The server speaks 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28.",
  });
});

test("an endpoint that accepts every Host and Origin is open to DNS rebinding", async () => {
  const findings = await examine(
    await byHand((_, response, body) => respond(body, response, { "mcp-session-id": "7" })),
  );
  expect(findings).toContainEqual(expect.objectContaining({ check: "DNS rebinding", status: "failed" }));
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "headers",
      status: "warning",
      message: expect.stringContaining("may be guessed"),
    }),
  );
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "headers",
      message: expect.stringContaining("unknown MCP-Protocol-Version is accepted"),
    }),
  );
});

test("wrong statuses, pages in place of streams and stack traces are found", async () => {
  const findings = await examine(
    await byHand((request, response, body) => {
      if (request.method === "GET") {
        response.writeHead(200, { "content-type": "text/html" }).end("<h1>Hello</h1>");
      } else if (body.startsWith("{") && !body.endsWith("}")) {
        response
          .writeHead(500, json)
          .end(JSON.stringify({ error: "SyntaxError\n    at parse (/app.js:1:2)" }));
      } else if (body.includes('"notifications/')) {
        response.writeHead(200, json).end("{}");
      } else {
        respond(body, response);
      }
    }),
  );
  const messages = findings.filter(({ status }) => status !== "ok").map(({ message }) => message);
  expect(messages).toEqual(
    expect.arrayContaining([
      "GET gets 200 with the content type text/html.",
      "The notification notifications/initialized gets 200 and a body.",
      expect.stringContaining("Invalid JSON gets 500"),
      "The response to invalid JSON shows a stack trace.",
    ]),
  );
});

test("a wrong path is found, and the right one is named", async () => {
  const url = await endpoint();
  const findings = await examine(new URL("/wrong", url).href);
  expect(findings).toContainEqual(
    expect.objectContaining({ check: "address", status: "failed", fix: `use ${new URL("/mcp", url).href}` }),
  );
});

test("preflights that need a token, and refusals without CORS headers, are found", async () => {
  const strict = await byHand((request, response) => {
    const isPreflight = request.method === "OPTIONS" && request.url === "/b";
    response.writeHead(
      isPreflight ? 204 : 401,
      isPreflight ? { "access-control-allow-origin": "*", "access-control-allow-headers": "*" } : {},
    );
    response.end();
  });
  const cors = async (path: string): Promise<Finding | undefined> =>
    (await examine(`${strict}${path}`)).find(({ check }) => check === "CORS");
  expect(await cors("/a")).toMatchObject({ status: "warning", message: expect.stringContaining("401") });
  expect(await cors("/b")).toMatchObject({
    status: "warning",
    message: expect.stringContaining("Access-Control-Allow-Origin"),
  });
});

test("headers that only modern clients in browsers send are noted if no page may send them", async () => {
  const headers = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "Content-Type, Authorization, MCP-Protocol-Version, MCP-Session-Id",
  };
  const old = await byHand((request, response, body) =>
    request.method === "OPTIONS" ? response.writeHead(204, headers).end() : respond(body, response, headers),
  );
  const cors = (await examine(`${old}/mcp`)).find(({ check }) => check === "CORS");
  expect(cors).toMatchObject({
    status: "note",
    message: "Access-Control-Allow-Headers does not have mcp-method, mcp-name, last-event-id.",
  });
});

test("authorization metadata is followed to the end, and every mistake in it is named", async () => {
  const base: string = await byHand((request, response) => {
    const documents: Record<string, object> = {
      "/.well-known/oauth-protected-resource/mcp": {
        resource: "https://other.example/mcp",
        authorization_servers: [`${base}/as`],
      },
      "/.well-known/oauth-authorization-server/as": {
        issuer: `${base}/as/`,
        authorization_endpoint: `${base}/a`,
      },
    };
    const found = documents[request.url ?? ""];
    response.writeHead(found === undefined ? 401 : 200, {
      ...json,
      ...(found === undefined ? { "www-authenticate": "Bearer" } : {}),
    });
    response.end(found === undefined ? "" : JSON.stringify(found));
  });
  const findings = (await examine(`${base}/mcp`)).filter(({ check }) => check === "authorization");
  const text = findings.map(({ message }) => message).join("\n");
  expect(text).toContain("does not name resource_metadata");
  expect(text).toContain('describes the resource "https://other.example/mcp"');
  expect(text).toContain("names the issuer");
  expect(text).toContain("PKCE with S256");
  expect(text).toContain("cannot register");
});

test("a port without a server says what to look at", async () => {
  const findings = await examine("http://127.0.0.1:9/mcp");
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "connection",
      status: "failed",
      fix: expect.stringContaining("start the server"),
    }),
  );
});
