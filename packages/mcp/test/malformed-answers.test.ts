import { isMcpError, ToolError } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { openServerWire } from "./server-wire.ts";
import { modern, openWire, request } from "./wire.ts";

// What the other side says of itself, or answers, may be of any shape: it is refused in words that
// say what is wrong, or read as far as it makes sense.

test.each([{}, { tools: null }, { tools: "abc" }, { tools: [null] }])(
  "a page of tools that is none is refused: %j (R-565, R-566)",
  async (page) => {
    await using wire = await openServerWire(legacyRevision);
    const names: string[] = [];
    const reading = (async () => {
      for await (const { name } of wire.session.tools()) {
        names.push(name);
      }
    })();
    const refused = reading.catch((error: unknown) => error);
    await wire.answer(page);
    expect(isMcpError(await refused, "INVALID_RESULT")).toBe(true);
    expect(names).toEqual([]);
  },
);

test("one page with a tool that is none is given as it came", async () => {
  await using wire = await openServerWire(legacyRevision);
  const listed = wire.session.listTools();
  await wire.answer({ tools: [null, { name: "a", outputSchema: 5 }] });
  expect(await listed).toEqual({ tools: [null, { name: "a", outputSchema: 5 }] });
});

test.each([[["text"]], [[{}]]])("a result that is a list is no result: %j (R-106)", async (result) => {
  await using wire = await openServerWire(legacyRevision);
  const refused = wire.session.callTool({ name: "t" }).catch((error: unknown) => error);
  await wire.answer(result);
  const error = await refused;
  expect(isMcpError(error, "INVALID_RESULT")).toBe(true);
  expect(String(error)).toContain("expected an object; got array");
});

test("a result type that is no text is refused like any other that is unknown (R-114)", async () => {
  await using wire = await openServerWire(modernRevision);
  const refused = wire.session.callTool({ name: "t" }).catch((error: unknown) => error);
  await wire.answer({ resultType: { toString: 1, valueOf: 1 } });
  expect(isMcpError(await refused, "INVALID_RESULT")).toBe(true);
});

test.each([
  [{}, []],
  [{ content: null, structuredContent: { a: 1 } }, []],
  [{ content: [{ type: "text", text: "a" }] }, [{ type: "text", text: "a" }]],
])(
  "the result of a tool has content, also where the server left it out: %j (T-67)",
  async (answer, content) => {
    await using wire = await openServerWire(legacyRevision);
    const called = wire.session.callTool({ name: "t" });
    await wire.answer(answer);
    expect(await called).toEqual({ ...answer, content });
  },
);

test.each([5, {}, [null], [{ type: "text", text: "a" }, 5]])(
  "content that is no list of objects is refused: %j (T-67)",
  async (content) => {
    await using wire = await openServerWire(modernRevision);
    const refused = wire.session.callTool({ name: "t" }).catch((error: unknown) => error);
    await wire.answer({ resultType: "complete", content });
    expect(isMcpError(await refused, "INVALID_RESULT")).toBe(true);
  },
);

const tool = { name: "t", input: undefined, output: { type: "object" } } as const;

test.each([{}, { content: null }, { content: [null] }])(
  "a typed call whose result has no content is refused for its output: %j (T-67)",
  async (result) => {
    await using wire = await openServerWire(legacyRevision);
    const refused = wire.session.callTool(tool, {}).catch((error: unknown) => error);
    await wire.answer(result);
    expect(isMcpError(await refused, "INVALID_RESULT")).toBe(true);
    const failed = wire.session.callTool(tool, {}).catch((error: unknown) => error);
    await wire.answer({ ...result, isError: true });
    expect(await failed).toBeInstanceOf(ToolError);
  },
);

/** Capabilities of which none is an object. */
const odd = { roots: null, elicitation: "yes", sampling: 5, extensions: null };

test.each(bothEras)(
  "a capability of a client that is no object is not declared, in %s (T-79)",
  async (revision) => {
    const errors: unknown[] = [];
    await using wire = await openWire({ onError: (error) => void errors.push(error) }, (server) => {
      server.addTool({ name: "roots" }, async (_, ctx) => `${(await ctx.listRoots()).length}`);
      server.addTool({ name: "form" }, async (_, ctx) => {
        const { action } = await ctx.elicit({
          message: "?",
          requestedSchema: { type: "object", properties: {} },
        });
        return action;
      });
      server.addMethod({ kind: "request", method: "com.example/a", extension: "com.example/b" }, () => ({}));
    });
    const isModern = eraOf(revision) === "modern";
    const _meta = { ...modern, "io.modelcontextprotocol/clientCapabilities": odd };
    const clientInfo = { name: "odd", version: "1" };
    if (!isModern) {
      await wire.ask(request(0, "initialize", { protocolVersion: revision, capabilities: odd, clientInfo }));
    }
    const ask = (id: number, method: string, params: object): Promise<unknown> =>
      wire.ask(request(id, method, isModern ? { ...params, _meta } : params));
    for (const [id, name] of ["roots", "form"].entries()) {
      expect(await ask(id, "tools/call", { name })).toMatchObject(
        isModern ? { error: { code: -32021 } } : { result: { isError: true } },
      );
    }
    expect(await ask(9, "com.example/a", {})).toMatchObject({ error: { code: isModern ? -32021 : -32601 } });
    expect(errors).toEqual([]);
  },
);

test("a capability that is true is declared, as {} is (T-79)", async () => {
  await using wire = await openServerWire(legacyRevision, {}, { tools: true, prompts: null } as never);
  expect(wire.session.offers("tools/list")).toBe(true);
  expect(wire.session.offers("prompts/list")).toBe(false);
  expect(wire.session.serverCapabilities).toEqual({ tools: {} });
});
