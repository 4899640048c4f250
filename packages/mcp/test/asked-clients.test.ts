import { inputRequired, McpError } from "@tenon/mcp";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { call, forbidUnhandledRejections, serve } from "./asking.ts";
import { connectPair, textOf } from "./pair.ts";
import { request, type Wire } from "./wire.ts";

forbidUnhandledRejections();

const addressForm = {
  type: "object",
  properties: { address: { type: "string", minLength: 5 }, age: { type: "integer", minimum: 1 } },
} as const;

const misfitting = { action: "accept", content: { address: "x-1", age: 0 } };

const reasons =
  "Invalid form content: address: expected at least 5 characters, received 3; age: expected at least 1, received 0";

/** Opens a legacy session whose client declares that its user can be asked. */
async function openLegacy(wire: Wire, protocolVersion: string): Promise<void> {
  const clientInfo = { name: "wire", version: "1" };
  const capabilities = { elicitation: {} };
  await wire.ask(request("init", "initialize", { protocolVersion, capabilities, clientInfo }));
  await wire.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
}

test.each(["2025-06-18", "2025-11-25"])(
  "a form answer that does not fit is refused in one line that says every reason, in %s",
  async (revision) => {
    await using wire = await serve(async (ctx) => {
      await ctx.elicit({ message: "Where?", requestedSchema: addressForm });
      return "asked";
    });
    await openLegacy(wire, revision);
    const asked = (await wire.ask(request(1, "tools/call", { name: "ask" }))) as { id: number };
    expect(await wire.ask({ jsonrpc: "2.0", id: asked.id, result: misfitting })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { isError: true, content: [{ type: "text", text: reasons }] },
    });
    expect(wire.errors).toEqual([]);
  },
);

test("a form answer that does not fit is refused in one line that says every reason, in 2026-07-28", async () => {
  await using wire = await serve(
    async (ctx) => (await ctx.elicit({ message: "Where?", requestedSchema: addressForm })).action,
  );
  const { requestState } = (await call(wire, 1)).result;
  const inputResponses = { "elicitation#1": misfitting };
  expect(await call(wire, 2, { requestState, inputResponses })).toMatchObject({
    error: { code: -32602, message: expect.stringContaining(reasons) as string },
  });
});

test("a result of another server that does not fit stays private, although its error has the same code", async () => {
  await using wire = await serve(() => {
    throw new McpError("INVALID_RESULT", "the other server said: secret");
  });
  await openLegacy(wire, legacyRevision);
  expect(await wire.ask(request(1, "tools/call", { name: "ask" }))).toMatchObject({
    result: { content: [{ text: "The tool failed." }] },
  });
  expect(wire.errors).toMatchObject([{ code: "INVALID_RESULT" }]);
});

test("a web page cannot be asked for before 2025-11-25, whatever the client declares: the error names the version", async () => {
  await using wire = await serve(async (ctx) => {
    await ctx.elicit({ mode: "url", message: "Pay", url: "https://example.com/" });
    return "asked";
  });
  await openLegacy(wire, "2025-06-18");
  expect(await wire.ask(request(1, "tools/call", { name: "ask" }))).toMatchObject({
    result: {
      isError: true,
      content: [
        {
          text: "Protocol version 2025-06-18 has no capability elicitation.url, which elicitation/create needs.",
        },
      ],
    },
  });
});

test.each(bothEras)("the reasons why arguments do not fit stand in one line, in %s", async (revision) => {
  await using pair = await connectPair({ revision }, (server) => {
    server.addTool({ name: "move", input: addressForm }, () => "moved");
  });
  const result = await pair.session.callTool({ name: "move", arguments: { address: "x", age: 0 } });
  expect(textOf(result)).toBe(
    "Invalid arguments for tool move: address: expected at least 5 characters, received 1; age: expected at least 1, received 0",
  );
});

test("every input that a modern client is asked for has params, also those without any", async () => {
  await using wire = await serve(async (ctx) => JSON.stringify(await ctx.listRoots()));
  expect((await call(wire, 1)).result.inputRequests).toEqual({
    "roots#1": { method: "roots/list", params: {} },
  });
  await using byHand = await serve(() => inputRequired({ inputRequests: { r: { method: "roots/list" } } }));
  expect((await call(byHand, 1)).result.inputRequests).toEqual({ r: { method: "roots/list", params: {} } });
});

test.each<[string, () => unknown]>([
  ["a promise", () => Promise.resolve("bob")],
  ["a rejecting promise", () => Promise.reject(new Error("no database"))],
  ["an object", () => ({ id: "bob" })],
  ["NaN", () => NaN],
  ["null", () => null],
])("state is never sealed for a principal that is %s (N-211)", async (_, principal) => {
  await using wire = await serve(
    async (ctx) => (await ctx.elicit({ message: "Where?", requestedSchema: addressForm })).action,
    { interaction: { principal: principal as () => string } },
  );
  expect(await call(wire, 1)).toMatchObject({ error: { code: -32603, message: "Internal error" } });
  expect(wire.errors).toMatchObject([
    {
      code: "INVALID_DEFINITION",
      message: expect.stringContaining("interaction.principal must return a string or undefined") as string,
    },
  ]);
});

test("A-063: state made for one principal is still refused from another, and taken from none twice", async () => {
  let user: string | undefined = "alice";
  await using wire = await serve(
    async (ctx) => (await ctx.elicit({ message: "Where?", requestedSchema: addressForm })).action,
    { interaction: { principal: () => user } },
  );
  const { requestState } = (await call(wire, 1)).result;
  const back = { requestState, inputResponses: { "elicitation#1": { action: "cancel" } } };
  for (const other of ["bob", undefined]) {
    user = other;
    expect(await call(wire, 2, back)).toMatchObject({ error: { code: -32602 } });
  }
  user = "alice";
  expect((await call(wire, 3, back)).result.content[0].text).toBe("cancel");
});
