import { isRpcError } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { describe, expect, it } from "vitest";

import {
  createRecorder,
  hasToken,
  parseCassette,
  recordTransport,
  redactor,
  replayCassette,
} from "../src/cassette.ts";

const token = `ghp_${"a1B2".repeat(9)}`;

function counter(): Server {
  const server = new Server({ name: "counter", version: "1.0.0" });
  let count = 0;
  const input = {
    type: "object",
    properties: { password: { type: "string" }, note: { type: "string" } },
  } as const;
  server.addTool({ name: "count", input }, async (_, ctx) => {
    await ctx.progress(1, 2);
    count++;
    return `call ${count}`;
  });
  return server;
}

async function record(revision: Revision): Promise<string> {
  const [here, there] = createInMemoryTransports();
  const lines: string[] = [];
  await counter().connect(there);
  const transport = recordTransport(
    here,
    { write: (line) => lines.push(line) },
    { target: `count --key ${token}` },
  );
  const client = new Client({ name: "recorder", version: "1.0.0" }, { revisions: [revision] });
  await using session = await client.connect(transport);
  await session.callTool(
    { name: "count", arguments: { password: "hunter2", note: `my ${token}` } },
    { onProgress() {} },
  );
  await session.callTool({ name: "count", arguments: { password: "hunter2", note: `my ${token}` } });
  return lines.join("");
}

describe.each(bothEras)("a cassette of %s", (revision) => {
  it("has a header, and a line with connection, stream and era for each message", async () => {
    const { header, entries } = parseCassette(await record(revision));
    expect(header).toMatchObject({ tenon: 1, side: "client", redacted: true });
    expect(entries.every((entry) => entry.connection === 0)).toBe(true);
    const era = revision === bothEras[0] ? "legacy" : "modern";
    expect(new Set(entries.filter((entry) => "message" in entry).map((entry) => entry.era))).toEqual(
      new Set([era]),
    );
    const call = entries.find(
      (entry) => "message" in entry && JSON.stringify(entry.message).includes("tools/call"),
    );
    const ofCall = entries.filter((entry) => entry.stream === call?.stream);
    expect(ofCall.map((entry) => entry.dir)).toEqual(["write", "read", "read"]);
  });

  it("never has a secret in its text", async () => {
    const text = await record(revision);
    expect(text).toContain("[redacted]");
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain(token);
    expect(hasToken(text)).toBe(false);
  });

  it("answers equal calls in their recorded order, then by the last answer", async () => {
    const cassette = parseCassette(await record(revision));
    const client = new Client({ name: "other", version: "2.0.0" }, { revisions: [revision] });
    await using session = await client.connect(replayCassette(cassette));
    const args = { password: "hunter3", note: `my ${token}` };
    const steps: number[] = [];
    const texts: unknown[] = [];
    for (let call = 1; call <= 3; call++) {
      const { content } = await session.callTool(
        { name: "count", arguments: args },
        { onProgress: ({ progress }) => steps.push(progress) },
      );
      texts.push(content[0]);
    }
    expect(texts).toMatchObject([{ text: "call 1" }, { text: "call 2" }, { text: "call 2" }]);
    expect(steps).toContain(1);
  });

  it("answers a request that was not recorded with an error that shows the request", async () => {
    const cassette = parseCassette(await record(revision));
    const client = new Client({ name: "other", version: "2.0.0" }, { revisions: [revision] });
    await using session = await client.connect(replayCassette(cassette));
    const call = session.callTool({ name: "count", arguments: { note: "another" } });
    await expect(call).rejects.toSatisfy((error) => isRpcError(error) && error.message.includes('"another"'));
  });

  it("answers a request whose response is missing, because the recording was cut off, with an error", async () => {
    const { header, entries } = parseCassette(await record(revision));
    const last = entries.findLastIndex((entry) => "message" in entry && "result" in Object(entry.message));
    const client = new Client({ name: "other", version: "2.0.0" }, { revisions: [revision] });
    const cassette = { header, entries: entries.filter((_, index) => index !== last) };
    await using session = await client.connect(replayCassette(cassette));
    const args = { password: "hunter3", note: `my ${token}` };
    const first = await session.callTool({ name: "count", arguments: args }, { onProgress() {} });
    expect(first.content).toMatchObject([{ text: "call 1" }]);
    await expect(session.callTool({ name: "count", arguments: args })).rejects.toThrow("no response");
  });

  it("places the progress of a request after 10,000 other requests", () => {
    const lines: string[] = [];
    const connection = createRecorder({ write: (line) => lines.push(line) }).connect();
    const last = 10_001;
    for (let id = 0; id <= last; id++) {
      const params = { _meta: { progressToken: `p-${id}` } };
      connection.message("write", { jsonrpc: "2.0", id, method: "ping", params });
      if (id < last) {
        connection.message("read", { jsonrpc: "2.0", id, result: {} });
      }
    }
    const params = { progressToken: `p-${last}`, progress: 1 };
    connection.message("read", { jsonrpc: "2.0", method: "notifications/progress", params });
    expect(parseCassette(lines.join("")).entries.at(-1)).toMatchObject({ stream: String(last) });
  });

  it("answers any parameters if it matches by method", async () => {
    const cassette = parseCassette(await record(revision));
    const client = new Client({ name: "other", version: "2.0.0" }, { revisions: [revision] });
    await using session = await client.connect(replayCassette(cassette, { match: "method" }));
    const { content } = await session.callTool({ name: "count", arguments: { note: "another" } });
    expect(content).toMatchObject([{ text: "call 1" }]);
  });
});

describe("redaction", () => {
  it("keeps schemas, numbers and progress tokens", () => {
    const message = {
      progressToken: "p-1",
      maxTokens: 100,
      inputSchema: { properties: { password: { type: "string" } } },
    };
    expect(redactor()(message)).toEqual(message);
  });

  it("replaces what keys, paths and patterns name", () => {
    const redact = redactor({ keys: ["Room"], paths: ["/params/a~1b"], patterns: [/\d{4}/g] });
    expect(redact({ room: "12", params: { "a/b": { c: 1 }, text: "code 1234" } })).toEqual({
      room: "[redacted]",
      params: { "a/b": "[redacted]", text: "code [redacted]" },
    });
  });

  it("replaces private keys, bearer tokens and everything below a secret name", () => {
    const redact = redactor();
    expect(redact({ credentials: { user: "me" }, text: "Bearer abcdefghijk" })).toEqual({
      credentials: { user: "[redacted]" },
      text: "Bearer [redacted]",
    });
    expect(redact("-----BEGIN PRIVATE KEY-----\nMII")).toBe("[redacted]");
  });

  it("refuses a path that is no JSON pointer", () => {
    expect(() => redactor({ paths: ["params.pin"] })).toThrow('got "params.pin"');
  });
});

describe("a cassette that cannot be read", () => {
  it.each([
    ["", "the text is empty"],
    ["{", "Line 1 of the cassette is not JSON"],
    ['{"tenon":2,"side":"client"}', "Line 1 of the cassette is not a header"],
    ['{"tenon":1,"side":"client"}\n\n{"at":1,"dir":"read"}', "Line 3 of the cassette is not an entry"],
    [
      '{"tenon":1,"side":"client"}\n{"at":1e999,"connection":0,"dir":"end"}',
      "Line 2 of the cassette is not an entry",
    ],
    [
      '{"tenon":1,"side":"client"}\n{"at":8640000000000001,"connection":0,"dir":"end"}',
      "Line 2 of the cassette is not an entry",
    ],
  ])("%j is named with its line", (text, message) => {
    expect(() => parseCassette(text)).toThrow(message);
  });
});
