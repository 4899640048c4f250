import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { expect, test } from "vitest";

import { temporaryFolder } from "./folder.ts";
import { notesServer } from "./paths.ts";

interface RawServer extends AsyncDisposable {
  /** Writes a line and waits for the next line from the server. */
  ask(line: string): Promise<unknown>;
  tell(line: string): void;
}

/** The notes server with its pipes in hand. */
async function rawServer(): Promise<RawServer> {
  const folder = await temporaryFolder();
  const child = spawn(process.execPath, [notesServer, join(folder.path, "notes.json")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const server: RawServer = {
    tell: (line) => child.stdin.write(`${line}\n`),
    async ask(line) {
      server.tell(line);
      const { value } = await lines.next();
      return JSON.parse(String(value)) as unknown;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.stdin.end();
      expect(await exited).toEqual([0, null]);
      await folder[Symbol.asyncDispose]();
    },
  };
  return server;
}

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});

test.each([
  ["a line that is not JSON", "{", { id: null, error: { code: -32700 } }],
  ["JSON that is no object", "7", { id: null, error: { code: -32600 } }],
  ["an envelope without jsonrpc", '{"id":1,"method":"ping"}', { id: 1, error: { code: -32600 } }],
  ["a null id", '{"jsonrpc":"2.0","id":null,"method":"ping"}', { id: null, error: { code: -32600 } }],
  ["a fractional id", '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', { id: null, error: { code: -32600 } }],
  [
    "params that are a string",
    '{"jsonrpc":"2.0","id":2,"method":"ping","params":"x"}',
    { id: 2, error: { code: -32600 } },
  ],
  [
    "a method twice",
    '{"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/call"}',
    { id: null, error: { code: -32600 } },
  ],
  ["an empty batch", "[]", { id: null, error: { code: -32600 } }],
  [
    "an unknown method after the handshake",
    '{"jsonrpc":"2.0","id":4,"method":"no/such"}',
    { id: 4, error: { code: -32601 } },
  ],
])("%s is answered and the connection goes on", async (_, line, answer) => {
  await using server = await rawServer();
  await server.ask(initialize);
  expect(await server.ask(line)).toMatchObject({ jsonrpc: "2.0", ...answer });
  expect(await server.ask('{"jsonrpc":"2.0","id":"after","method":"ping"}')).toEqual({
    jsonrpc: "2.0",
    id: "after",
    result: {},
  });
});

test("a request before the handshake is refused and the handshake succeeds afterwards (R-173)", async () => {
  await using server = await rawServer();
  expect(await server.ask('{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).toMatchObject({
    id: 1,
    error: { code: -32600 },
  });
  expect(await server.ask(initialize)).toMatchObject({ id: 0, result: { protocolVersion: "2025-06-18" } });
});

test("responses to nobody, notifications and empty lines are passed over in silence", async () => {
  await using server = await rawServer();
  server.tell('{"jsonrpc":"2.0","id":77,"result":{}}');
  server.tell('{"jsonrpc":"2.0","method":"notifications/whatever"}');
  server.tell('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}');
  server.tell("");
  expect(await server.ask('{"jsonrpc":"2.0","id":1,"method":"ping"}')).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: {},
  });
});

test("a request whose input ends at once is still answered", async () => {
  await using folder = await temporaryFolder();
  const child = spawn(process.execPath, [notesServer, join(folder.path, "notes.json")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.end(
    `${initialize}\n{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_notes"}}\n`,
  );
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
  }
  expect(lines.map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([0, 1]);
});

test("a line may hold a batch in 2025-03-26, answered in one line; our client sends none (R-398, R-400)", async () => {
  await using server = await rawServer();
  await server.ask(initialize.replace("2025-06-18", "2025-03-26"));
  const answer = await server.ask(
    '[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"2","method":"no/such"}]',
  );
  expect(answer).toMatchObject([
    { id: 1, result: {} },
    { id: "2", error: { code: -32601 } },
  ]);
});

test.each(["2024-11-05", "2025-06-18", "2025-11-25"])(
  "a batch is refused in %s, and the session goes on (R-400)",
  async (revision) => {
    await using server = await rawServer();
    await server.ask(initialize.replace("2025-06-18", revision));
    const answer = await server.ask('[{"jsonrpc":"2.0","id":1,"method":"ping"}]');
    expect(answer).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await server.ask('{"jsonrpc":"2.0","id":2,"method":"ping"}')).toMatchObject({ id: 2, result: {} });
  },
);
