import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { textOf } from "@tenon/mcp";
import { Client, type ClientOptions } from "@tenon/mcp/client";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";

import { McpServer } from "../src/entry/server/mcp.ts";
import { StreamableHTTPServerTransport } from "../src/entry/server/streamableHttp.ts";
import { parkedRuns } from "../src/server/runs.ts";
import { settings } from "../src/shared/settings.ts";

// The pattern of the official examples: a server and a transport for each request.
let runs: string[] = [];
let aborted: string[] = [];
let briefs = 0;
let url: URL;
let stop: () => void;
const defaults = { ...settings };

function program(): McpServer {
  const server = new McpServer({ name: "rooms", version: "1.0.0" });
  server.registerTool("book", { inputSchema: { room: z.string() } }, async ({ room }, extra) => {
    runs.push(room);
    extra.signal.addEventListener("abort", () => void aborted.push(room));
    const ask = async (message: string): Promise<unknown> => {
      const { content } = await server.server.elicitInput({
        message,
        requestedSchema: { type: "object", properties: { text: { type: "string" } } },
      });
      return content?.["text"];
    };
    const texts = [await ask("first"), ...(await Promise.all([ask("second"), ask("third")]))];
    return { content: [{ type: "text", text: `${room}: ${texts.join(" ")}` }] };
  });
  server.registerTool("brief", {}, async () => {
    const failed = (error: Error): string => error.message;
    const text = await server.server.listRoots(undefined, { timeout: 1 }).then(() => "", failed);
    briefs++;
    return { content: [{ type: "text", text }] };
  });
  return server;
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const user = request.headers["x-user"];
  const server = program();
  const transport = new StreamableHTTPServerTransport();
  response.on("close", () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  const auth = { token: String(user), clientId: "app", scopes: [] };
  await transport.handleRequest(user === undefined ? request : Object.assign(request, { auth }), response);
}

beforeEach(async () => {
  runs = [];
  aborted = [];
  briefs = 0;
  Object.assign(settings, defaults);
  const http = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => {
    http.listen(0, "127.0.0.1", resolve);
  });
  url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  stop = (): void => {
    http.closeAllConnections();
    http.close();
  };
});
afterEach(() => {
  // The files of a worker share the settings.
  Object.assign(settings, defaults);
  stop();
});

const answering: ClientOptions = {
  elicitation: { form: ({ message }) => ({ action: "accept", content: { text: message } }) },
};

const _meta = {
  "io.modelcontextprotocol/protocolVersion": modernRevision,
  "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} }, roots: {} },
};

interface Raw {
  readonly result?: {
    readonly resultType: string;
    readonly requestState: string;
    readonly inputRequests: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
    readonly content: readonly { readonly text: string }[];
    readonly isError?: boolean;
  };
  readonly error?: { readonly code: number; readonly message: string };
}

async function raw(room: string, more: object = {}, user?: string, name = "book"): Promise<Raw> {
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": modernRevision,
      "mcp-method": "tools/call",
      "mcp-name": name,
      ...(user === undefined ? {} : { "x-user": user }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: { room }, _meta, ...more },
    }),
  });
  const text = await response.text();
  return JSON.parse(text.startsWith("{") ? text : text.slice(text.lastIndexOf("data:") + 5)) as Raw;
}

/** The retry of a call, with responses to all of its input requests. */
function retryOf({ result }: Raw): object {
  const responses = Object.entries(result?.inputRequests ?? {}).map(([key, { params }]) => [
    key,
    { action: "accept", content: { text: params.message } },
  ]);
  return { requestState: result?.requestState, inputResponses: Object.fromEntries(responses) };
}

test("requests without a user cannot take all of the room", async () => {
  settings.maxParked = 10;
  await Promise.all(Array.from({ length: 9 }, () => raw("R1")));
  expect((await raw("R2")).result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("kept for users") as string }],
  });
  expect((await raw("R3", {}, "ada")).result?.resultType).toBe("input_required");
});

test("elicitation without members means forms, and what a client lacks ends the call if the handler lets it", async () => {
  const declaring = (capabilities: object): object => ({
    _meta: { ..._meta, "io.modelcontextprotocol/clientCapabilities": capabilities },
  });
  const before = parkedRuns();
  const { result } = await raw("R1", declaring({ elicitation: {} }));
  expect(result?.resultType).toBe("input_required");
  expect((await raw("R2", declaring({}))).error).toStrictEqual({
    code: -32021,
    message: "Client does not support form elicitation.",
    data: { requiredCapabilities: { elicitation: { form: {} } } },
  });
  const caught = await raw("", declaring({}), undefined, "brief");
  expect(caught.result?.content[0]?.text).toContain("Client does not support listing roots");
  expect(parkedRuns() - before).toBe(1);
});

test("over HTTP without sessions a handler runs once, whatever it asks, for clients of both eras", async () => {
  await using client = new Client({ name: "modern", version: "1.0.0" }, answering);
  const session = await client.connect(new StreamableClientTransport(url));
  expect(session.revision).toBe(modernRevision);
  const result = await session.callTool({ name: "book", arguments: { room: "R1" } });
  expect(textOf(result)).toBe("R1: first second third");
  expect(runs).toStrictEqual(["R1"]);
  expect((await session.listTools()).tools).toMatchObject([{ name: "book" }, { name: "brief" }]);

  await using older = new Client({ name: "older", version: "1.0.0" }, { revisions: [legacyRevision] });
  const legacy = await older.connect(new StreamableClientTransport(url));
  expect((await legacy.listTools()).tools).toMatchObject([{ name: "book" }, { name: "brief" }]);
});

test("input requests of one turn go together, and a partial response gets the rest again", async () => {
  const first = await raw("R1");
  expect(first.result?.resultType).toBe("input_required");
  const second = await raw("R1", retryOf(first));
  expect(Object.values(second.result?.inputRequests ?? {}).map(({ params }) => params.message)).toStrictEqual(
    ["second", "third"],
  );
  const { requestState, inputResponses } = retryOf(second) as {
    requestState: string;
    inputResponses: object;
  };
  const [one] = Object.entries(inputResponses);
  const third = await raw("R1", { requestState, inputResponses: Object.fromEntries(one ? [one] : []) });
  expect(Object.values(third.result?.inputRequests ?? {}).map(({ params }) => params.message)).toStrictEqual([
    "third",
  ]);
  const last = await raw("R1", retryOf(third));
  expect(last.result?.content[0]?.text).toBe("R1: first second third");
  expect(runs).toStrictEqual(["R1"]);
});

test("nobody continues the run of somebody else, or with other arguments", async () => {
  const mine = await raw("R1", {}, "ada");
  const retry = retryOf(mine);
  for (const [room, user] of [
    ["R1", "eve"],
    ["R1", undefined],
    ["R2", "ada"],
  ] as const) {
    const stolen = await raw(room, retry, user);
    expect(stolen.error?.code).toBe(-32602);
  }
  const forged = await raw("R1", { ...retry, requestState: `${String(mine.result?.requestState)}x` }, "ada");
  expect(forged.error?.code).toBe(-32602);
  expect(runs).toStrictEqual(["R1"]);
  expect((await raw("R1", retry, "ada")).result?.resultType).toBe("input_required");
});

test("of two retries at once one continues the run, and the other is told to start again", async () => {
  const retry = retryOf(await raw("R1"));
  const both = await Promise.all([raw("R1", retry), raw("R1", retry)]);
  expect(both.filter(({ result }) => result?.resultType === "input_required")).toHaveLength(1);
  expect(both.filter(({ error }) => error?.message.includes("Send the request again"))).toHaveLength(1);
  expect(runs).toStrictEqual(["R1"]);
});

test("responses without a state, or to a run that is gone, never start the handler", async () => {
  const { inputResponses } = retryOf(await raw("R1")) as { inputResponses: object };
  expect((await raw("R1", { inputResponses })).error?.message).toContain("Send the request again");
  expect(runs).toStrictEqual(["R1"]);
});

test("with the room exhausted, further input requests reject, and parked ones continue", async () => {
  settings.maxParked = parkedRuns() + 2;
  const parked = [await raw("R1"), await raw("R2")];
  expect((await raw("R3")).result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("maxParked") as string }],
  });
  const [first] = parked;
  expect(first && (await raw("R1", retryOf(first))).result?.resultType).toBe("input_required");
});

test("one user cannot take the room of others", async () => {
  settings.maxParkedPerPrincipal = 1;
  await raw("R1", {}, "greedy");
  expect((await raw("R2", {}, "greedy")).result?.isError).toBe(true);
  expect((await raw("R3", {}, "modest")).result?.resultType).toBe("input_required");
});

test("a run that has its result waits for its retry only while nobody needs its room", async () => {
  const brief = await raw("", {}, "ada", "brief");
  await expect.poll(() => briefs).toBe(1);
  const kept = await raw("", retryOf(brief), "ada", "brief");
  expect(kept.result?.content[0]?.text).toContain("timed out");

  settings.maxParked = parkedRuns() + 1;
  const given = await raw("", {}, "ada", "brief");
  await expect.poll(() => briefs).toBe(2);
  expect((await raw("R1", {}, "ada")).result?.resultType).toBe("input_required");
  expect((await raw("", retryOf(given), "ada", "brief")).error?.message).toContain("Send the request again");
  expect((await raw("R2", {}, "ada")).result?.isError).toBe(true);
});

test("a run that waited too long is aborted, and its retry is told to start again", async () => {
  settings.parkedMs = 1;
  const late = await raw("R1");
  await expect.poll(() => aborted).toStrictEqual(["R1"]);
  expect((await raw("R1", retryOf(late))).error?.message).toContain("Send the request again");
  expect(runs).toStrictEqual(["R1"]);
});
