import type { Request, Response } from "@tenon/jsonrpc2";
import type { Server } from "@tenon/mcp";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test, vi } from "vitest";

import { connectPair, textOf } from "./pair.ts";
import { modern, request } from "./wire.ts";

// The compiler of schemas is loaded once for all test files, and here it must not have been.
vi.resetModules();
const fresh = await import("@tenon/mcp");

const broken = { type: "object", properties: { a: { $ref: "https://example.test/nowhere" } } } as const;
const problem = /^The input schema of refers is not valid: https:\/\/example\.test\/nowhere leads nowhere/;

function brokenServer(): Server {
  const server = new fresh.Server({ name: "s", version: "1" }, { onError: () => {} });
  server.addTool({ name: "refers", input: { ...broken } }, () => "");
  return server;
}

// Made while the compiler of schemas, of which there is one in a process, has not been loaded.
const [connecting, stateless] = [brokenServer(), brokenServer()];

test("connect rejects if the compiler finds a schema invalid, and addTool refuses it once the compiler is loaded", async () => {
  const [transport] = createInMemoryTransports();
  await expect(connecting.connect(transport)).rejects.toMatchObject({
    code: "INVALID_DEFINITION",
    message: expect.stringMatching(problem) as string,
  });
  expect(brokenServer).toThrow(problem);
});

test("messages without a session fail as long as the schema of a tool is invalid, and no longer", async () => {
  const ask = (id: number): Promise<Response> =>
    new Promise((answer) => {
      const message = request(id, "tools/list", { _meta: modern }) as Request;
      stateless.handle(message, { notify: () => undefined, answer });
    });
  expect(await ask(1)).toMatchObject({ error: { code: -32603 } });
  expect(await ask(2)).toMatchObject({ error: { code: -32603 } });
  stateless.removeTools("refers");
  expect(await ask(3)).toMatchObject({ result: { tools: [] } });
});

test("a tool that is added to a running server checks its arguments, whatever its schema needs", async () => {
  await using pair = await connectPair({}, (server) => server.addTool({ name: "one" }, () => ""));
  pair.server.addTool(
    {
      name: "refers",
      input: {
        type: "object",
        properties: { a: { $ref: "#/$defs/a" }, b: { type: "integer", default: 7 } },
        $defs: { a: { type: "string", pattern: "^x" } },
      },
    },
    (args) => JSON.stringify(args),
  );
  const call = async (args: Record<string, unknown>): Promise<string> =>
    textOf(await pair.session.callTool({ name: "refers", arguments: args }));
  expect(await call({ a: "xy" })).toBe('{"a":"xy","b":7}');
  expect(await call({ a: "y" })).toMatch(/a: expected a match of \^x, received "y"/);
});
