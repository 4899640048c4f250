import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";

import { Client, type ClientSession } from "@tenon/mcp";
import { listen } from "@tenon/node";
import type { Revision } from "@tenon/protocol";
import { bothEras, deferred, legacyRevision } from "@tenon/test-support";
import { parseCassette, type Cassette } from "@tenon/testing/cassette";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { server } from "./fixtures/notes.mjs";
import { temporaryFolder, tenon, type Ran } from "./support.ts";

interface Tap {
  readonly address: string;
  /** Ends the tap, and reads its recording. */
  end(): Promise<{ readonly ran: Ran; readonly cassette: Cassette }>;
}

async function tap(remote: string | URL, ...flags: readonly string[]): Promise<Tap> {
  const cwd = temporaryFolder();
  const interruption = new AbortController();
  const url = deferred<string>();
  const tapping = tenon(["tap", String(remote), "--http", "--out", "tap.jsonl", ...flags], {
    cwd,
    signal: interruption.signal,
    onWrite: (stream, written) => stream === "stdout" && url.resolve(written.trim()),
  });
  const failed = tapping.then(({ stderr }) => Promise.reject(new Error(stderr)));
  failed.catch(() => {});
  const address = await Promise.race([url.promise, failed]);
  const end = async (): ReturnType<Tap["end"]> => {
    interruption.abort(new Interrupted());
    const ran = await tapping;
    return { ran, cassette: parseCassette(readFileSync(join(cwd, "tap.jsonl"), "utf8")) };
  };
  onTestFinished(() => interruption.abort(new Interrupted()));
  return { address, end };
}

async function endpoint(): Promise<URL> {
  const listening = await listen(createStreamableHandler({ getServer: () => server }), { port: 0 });
  onTestFinished(() => listening.close({ drainMs: 0 }));
  return listening.url;
}

async function byHand(
  handle: (incoming: IncomingMessage, outgoing: ServerResponse, body: string) => void,
): Promise<string> {
  const http = createServer((incoming, outgoing) => {
    void text(incoming).then(
      (body) => handle(incoming, outgoing, body),
      () => {},
    );
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  await once(http, "listening");
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

async function connect(address: string, revision: Revision): Promise<ClientSession> {
  const client = new Client({ name: "host", version: "1" }, { revisions: [revision] });
  return client.connect(new StreamableClientTransport(address));
}

/** The methods and the results of a recording, in order. */
function told({ entries }: Cassette): readonly string[] {
  return entries.flatMap((entry) => {
    const message = ("message" in entry ? entry.message : {}) as { method?: string; error?: object };
    return entry.dir === "end" || "error" in entry
      ? []
      : [`${entry.connection} ${entry.dir} ${message.method ?? (message.error ? "error" : "result")}`];
  });
}

test.each(bothEras)("tap --http passes a conversation of %s, and records its messages", async (revision) => {
  const { address, end } = await tap(await endpoint());
  const session = await connect(address, revision);
  expect(await session.callTool({ name: "echo", arguments: { a: 1 } })).toMatchObject({
    content: [{ text: '{"a":1}' }],
  });
  const watch = session.watch("notes://one");
  await watch.ready;
  const update = watch[Symbol.asyncIterator]().next();
  await session.callTool({ name: "add", arguments: { name: "two" } });
  expect(await update).toMatchObject({ value: { uri: "notes://one" } });
  await session.close();

  const { ran, cassette } = await end();
  expect(ran).toMatchObject({ code: 0, stdout: `${address}\n` });
  const lines = told(cassette);
  const first = revision === legacyRevision ? "initialize" : "server/discover";
  expect(lines.slice(0, 2)).toEqual([`0 write ${first}`, "0 read result"]);
  expect(lines).toContain("0 read notifications/resources/updated");
  expect(lines.filter((line) => line === "0 write tools/call")).toHaveLength(2);
  expect(cassette.entries.filter((entry) => "error" in entry)).toEqual([]);
  expect(cassette.entries.at(-1)).toMatchObject({ dir: "end", connection: 0 });
  // Every message, and in the order of the conversation: the recording can take the server's place.
  expect(new Set(cassette.entries.map(({ connection }) => connection))).toEqual(new Set([0]));
});

test("tap --http keeps the sessions of two clients apart", async () => {
  const { address, end } = await tap(await endpoint());
  const [one, two] = await Promise.all([connect(address, legacyRevision), connect(address, legacyRevision)]);
  await Promise.all([one.ping(), two.ping()]);
  await one.close();
  await two.close();
  const lines = told((await end()).cassette);
  for (const connection of [0, 1]) {
    expect(lines.filter((line) => line === `${connection} write initialize`)).toHaveLength(1);
    expect(lines.filter((line) => line === `${connection} write ping`)).toHaveLength(1);
  }
});

test("tap --http changes neither headers nor bytes, and records what is compressed", async () => {
  const answer = '{ "jsonrpc":"2.0", "id":5, "result":{"n":1.0} }';
  const body = gzipSync(answer);
  const received = deferred<{ headers: readonly string[]; url: string | undefined; text: string }>();
  const remote = await byHand((incoming, outgoing, sent) => {
    received.resolve({ headers: incoming.rawHeaders, url: incoming.url, text: sent });
    outgoing.writeHead(
      200,
      "Fine",
      [
        ["Content-Type", "application/json"],
        ["Content-Encoding", "gzip"],
        ["X-Odd", "a"],
        ["X-Odd", "b"],
      ].flat(),
    );
    outgoing.end(body);
  });
  const { address, end } = await tap(`${remote}?key=1`, "--header", "X-Added: yes");
  const sent = '{"jsonrpc":"2.0","id":5,"method":"ping"} ';
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(address, {
      method: "POST",
      agent: false,
      headers: {
        "Content-Type": "application/json",
        "Mcp-Session-Id": "session",
        "Last-Event-ID": "event/7",
        "MCP-Protocol-Version": legacyRevision,
        "x-CASE": "kept",
      },
    });
    asked.on("response", resolve).on("error", reject);
    asked.end(sent);
  });
  const bytes: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes.push(chunk);
  }
  expect(Buffer.concat(bytes)).toEqual(body);
  expect([response.statusCode, response.statusMessage]).toEqual([200, "Fine"]);
  expect(response.rawHeaders.join("\n")).toContain("X-Odd\na\nX-Odd\nb");

  const { headers, url, text: arrived } = await received.promise;
  expect(arrived).toBe(sent);
  expect(url).toBe("/mcp?key=1");
  const pairs = Object.fromEntries(
    headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : [])),
  );
  expect(pairs).toMatchObject({
    Host: new URL(remote).host,
    "Mcp-Session-Id": "session",
    "Last-Event-ID": "event/7",
    "MCP-Protocol-Version": legacyRevision,
    "x-CASE": "kept",
    "X-Added": "yes",
  });
  expect(told((await end()).cassette)).toEqual(["0 write ping", "0 read result"]);
});

test("tap --http passes the events of a resumed stream when they come, and ends it with the client", async () => {
  const isGone = deferred();
  const remote = await byHand((incoming, outgoing) => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    outgoing.write(
      `id: 8\ndata: {"jsonrpc":"2.0","method":"after/${String(incoming.headers["last-event-id"])}"}\n\n`,
    );
    outgoing.on("close", () => isGone.resolve());
  });
  const { address, end } = await tap(remote);
  const stop = new AbortController();
  const response = await fetch(address, {
    headers: { accept: "text/event-stream", "last-event-id": "7", "mcp-session-id": "s" },
    signal: stop.signal,
  });
  const { value } = await (response.body as ReadableStream<Uint8Array>).getReader().read();
  expect(Buffer.from(value ?? []).toString()).toContain('id: 8\ndata: {"jsonrpc":"2.0","method":"after/7"}');
  stop.abort();
  await isGone.promise;
  const { cassette } = await end();
  expect(told(cassette)).toEqual(["0 read after/7"]);
  expect(cassette.entries.filter((entry) => "error" in entry)).toEqual([]);
});

test("tap --http passes HTTP+SSE, whose responses come on another stream", async () => {
  let stream: ServerResponse | undefined;
  const remote = await byHand((incoming, outgoing, body) => {
    if (incoming.method === "GET") {
      stream = outgoing;
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.write("event: endpoint\ndata: /messages?sessionId=7\n\n");
      return;
    }
    const { id, method } = JSON.parse(body) as { id: number; method: string };
    outgoing.writeHead(202).end("Accepted");
    const answer = { jsonrpc: "2.0", id, result: { method, url: incoming.url } };
    stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
  });
  const { address, end } = await tap(remote);
  const stop = new AbortController();
  const { body } = await fetch(address, {
    headers: { accept: "text/event-stream" },
    signal: stop.signal,
  });
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let received = "";
  const shows = async (text: string): Promise<void> => {
    while (!received.includes(text)) {
      received += (await reader.read()).value ?? "";
    }
  };
  await shows("/messages?sessionId=7");
  const messages = new URL("/messages?sessionId=7", address);
  const sent = await fetch(messages, {
    method: "POST",
    body: '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
  });
  expect([sent.status, await sent.text()]).toEqual([202, "Accepted"]);
  await shows('"url":"/messages?sessionId=7"');
  stop.abort();
  const { cassette } = await end();
  expect(told(cassette)).toEqual(["0 write initialize", "0 read result"]);
  expect(cassette.entries.filter((entry) => "error" in entry)).toEqual([]);
});

test("tap --http records bodies that are no messages, errors and a server that is gone", async () => {
  const remote = await byHand((incoming, outgoing, sent) => {
    if (sent === "hello") {
      outgoing.writeHead(200, { "content-type": "application/json" }).end("<p>welcome</p>");
    } else if (sent.includes('"odd"')) {
      outgoing.writeHead(400, { "content-type": "application/json" }).end('{"error":"odd"}');
    } else if (sent === "cut") {
      outgoing.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      incoming.socket.destroySoon();
    } else {
      outgoing.writeHead(503, { "content-type": "text/html" }).end("try later");
    }
  });
  const { address, end } = await tap(remote);
  const post = async (body: string): Promise<string> => {
    const response = await fetch(address, { method: "POST", body });
    return `${response.status} ${await response.text()}`;
  };
  expect(await post("hello")).toBe("200 <p>welcome</p>");
  expect(await post('{"jsonrpc":"2.0","id":1,"method":"ping"}')).toBe("503 try later");
  expect(await post('{"jsonrpc":"2.0","id":2,"method":"odd"}')).toBe('400 {"error":"odd"}');
  await expect(post("cut")).rejects.toThrow();
  const { ran, cassette } = await end();
  expect(ran.stderr).toContain('the host sent input that is not a JSON-RPC message: "hello"');
  const errors = cassette.entries.flatMap((entry) => ("error" in entry ? [entry.error] : []));
  expect(errors).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/hello$/),
      expect.stringMatching(/<p>welcome<\/p>$/),
      "POST /mcp: 503 Service Unavailable: try later",
      'POST /mcp: 400 Bad Request: {"error":"odd"}',
      expect.stringContaining("The response to POST /mcp is incomplete"),
    ]),
  );
});

test("tap --http says that the server cannot be reached", async () => {
  const http = createServer().listen(0, "127.0.0.1");
  await once(http, "listening");
  const { port } = http.address() as AddressInfo;
  await new Promise((resolve) => http.close(resolve));
  const { address, end } = await tap(`http://127.0.0.1:${port}/mcp`);
  const response = await fetch(address, { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' });
  expect([response.status, await response.text()]).toEqual([
    502,
    expect.stringContaining("cannot be reached"),
  ]);
  const { entries } = (await end()).cassette;
  expect(entries.slice(0, 2)).toMatchObject([
    { dir: "write", message: { method: "ping" } },
    { dir: "read", error: expect.stringContaining("POST /mcp got no response") },
  ]);
});

test("tap --http refuses pages of other sites and other names of this machine", async () => {
  let isReached = false;
  const remote = await byHand((_, outgoing) => {
    isReached = true;
    outgoing.end();
  });
  const { address } = await tap(remote);
  const status = async (headers: Record<string, string>): Promise<number | undefined> => {
    const asked = request(address, { agent: false, headers });
    asked.end();
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect(await status({ host: "evil.example" })).toBe(403);
  expect(await status({ origin: "https://evil.example" })).toBe(403);
  expect(isReached).toBe(false);
  expect(await status({ origin: "http://localhost:5173" })).toBe(200);
});

test("tap --http needs a remote server", async () => {
  const { code, stderr } = await tenon(["tap", "--http", "--", "node", "server.js"]);
  expect(code).toBe(2);
  expect(stderr).toContain("tenon serve --http -- tenon tap -- <program>");
});
