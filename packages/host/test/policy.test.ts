import type { CallToolResult } from "@tenon/protocol";
import { bothEras } from "@tenon/test-support";
import fc from "fast-check";
import { expect, test } from "vitest";

import { Manager, truncatedKey, truncateResult, type Policy } from "../src/index.ts";
import { matchesAny } from "../src/policy/glob.ts";
import { addEcho, localServer, type LocalServer } from "./fixture.ts";

function tools(): LocalServer {
  return localServer((server) => {
    addEcho(server);
    server.addTool({ name: "read_file", annotations: { readOnlyHint: true } }, () => "contents");
    server.addTool({ name: "write_file" }, () => "written");
  });
}

async function under(policy: Policy, own?: Policy): Promise<{ a: LocalServer; manager: Manager }> {
  const a = tools();
  const manager = new Manager({ servers: { a: { ...a.spec, policy: own } }, policy });
  await manager.connectAll();
  return { a, manager };
}

const names = async (manager: Manager): Promise<string[]> =>
  (await manager.tools()).map(({ tool }) => tool.name);

test("tools that are not allowed are neither listed nor called, and deny wins", async () => {
  const { a, manager } = await under({ allow: ["*_file"], deny: ["write*"] });
  expect(await names(manager)).toEqual(["read_file"]);
  for (const tool of ["echo", "write_file"]) {
    await expect(manager.callTool("a", tool)).rejects.toMatchObject({
      code: "DENIED",
      phase: "policy",
      delivered: "no",
    });
  }
  expect(a.requests).not.toContain("tools/call");
  await manager.close();
});

test("a server's own policy wins over the manager's, field by field", async () => {
  const { manager } = await under({ allow: ["echo"], deny: ["write*"] }, { allow: ["*_file"] });
  expect(await names(manager)).toEqual(["read_file"]);
  await manager.close();
});

test("in read-only mode only tools that say that they change nothing are there, even before the list was read", async () => {
  const { a, manager } = await under({ readOnly: true });
  await expect(manager.callTool("a", "write_file")).rejects.toMatchObject({ code: "DENIED" });
  await expect(manager.callTool("a", "unknown")).rejects.toMatchObject({ code: "DENIED" });
  expect((await manager.callTool("a", "read_file")).content).toMatchObject([{ text: "contents" }]);
  expect(await names(manager)).toEqual(["read_file"]);
  expect(a.requests.filter((method) => method === "tools/call")).toHaveLength(1);
  await manager.close();
});

test("each call is put to the approval callback, and a refusal's reason is in the error", async () => {
  const asked: unknown[] = [];
  const { a, manager } = await under({
    approve: ({ server, tool, definition, arguments: args }) => {
      asked.push([server, tool, definition?.name, args]);
      return tool === "echo" ? true : { approved: false, reason: "not on Sundays" };
    },
  });
  await manager.tools();
  await manager.callTool("a", "echo", { text: "hi" });
  await expect(manager.callTool("a", "write_file")).rejects.toMatchObject({
    code: "DENIED",
    message: expect.stringContaining("not on Sundays"),
  });
  expect(asked).toEqual([
    ["a", "echo", "echo", { text: "hi" }],
    ["a", "write_file", "write_file", {}],
  ]);
  expect(a.requests.filter((method) => method === "tools/call")).toHaveLength(1);
  await manager.close();
});

test("an approval callback that throws denies", async () => {
  const { manager } = await under({
    approve: () => {
      throw new Error("dialog crashed");
    },
  });
  await expect(manager.callTool("a", "echo")).rejects.toMatchObject({
    code: "DENIED",
    cause: { message: "dialog crashed" },
  });
  await manager.close();
});

test("results are cut to size with a mark, and small ones are left as they are", async () => {
  const { manager } = await under({ limits: { maxResultBytes: 100 } });
  const short = await manager.callTool("a", "echo", { text: "x".repeat(100) });
  expect(short.content).toEqual([{ type: "text", text: "x".repeat(100) }]);
  const long = await manager.callTool("a", "echo", { text: "x".repeat(150) });
  expect(long.content).toEqual([
    { type: "text", text: "x".repeat(100) },
    { type: "text", text: "[Truncated: 50 of 150 bytes were left out; the limit is 100.]" },
  ]);
  expect(long._meta).toMatchObject({ [truncatedKey]: { omitted: 50, limit: 100 } });
  await manager.close();
});

test("S-285: truncation cuts texts between characters, leaves out whole images and structured content", () => {
  const result: CallToolResult = {
    content: [
      { type: "text", text: "ab\u{1F600}cd" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource", resource: { uri: "x://1", text: "tail" } },
    ],
    structuredContent: { big: "x".repeat(50) },
    isError: true,
  };
  const cut = truncateResult(result, 3);
  expect(cut.content[0]).toEqual({ type: "text", text: "ab" });
  expect(cut.content).toHaveLength(2);
  expect(cut).not.toHaveProperty("structuredContent");
  expect(cut.isError).toBe(true);
  expect(truncateResult(result, Infinity)).toBe(result);
  expect(truncateResult(result, 1000)).toBe(result);
});

test("patterns: a star for any characters, a question mark for one, the rest for itself, in reasonable time", () => {
  expect(matchesAny(["a*c"], "abbc")).toBe(true);
  expect(matchesAny(["a?c"], "ac")).toBe(false);
  expect(matchesAny(["a.c"], "abc")).toBe(false);
  expect(matchesAny(["*"], "")).toBe(true);
  const part = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 4 }),
      fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 }),
      (parts, name) => {
        const expected = new RegExp(`^${parts.join(".*")}$`).test(name);
        expect(matchesAny([parts.join("*")], name)).toBe(expected);
      },
    ),
  );
  expect(matchesAny([`${"a*".repeat(50)}b`], "a".repeat(10_000))).toBe(false);
});

test.each(bothEras)(
  "S-229: what a server asks reaches the handler with the server's name (%s)",
  async (revision) => {
    const setUp = () =>
      localServer(
        (server) => {
          server.addTool({ name: "ask" }, async (_, context) => {
            const { action } = await context.elicit({
              message: "Sure?",
              requestedSchema: { type: "object", properties: {} },
            });
            return action;
          });
        },
        { server: { revisions: [revision] } },
      );
    const [a, b] = [setUp(), setUp()];
    const asked: string[] = [];
    await using manager = new Manager({
      servers: { a: a.spec, b: { ...b.spec, policy: { elicitation: false } } },
      handlers: {
        elicitation: {
          form: async ({ message }, { server }) => {
            asked.push(`${server}: ${message}`);
            return { action: "decline" };
          },
        },
      },
    });
    await manager.connectAll();
    expect((await manager.callTool("a", "ask")).content).toMatchObject([{ text: "decline" }]);
    expect(asked).toEqual(["a: Sure?"]);
    // A server that may not ask is told that it cannot be done.
    expect(manager.get("b")?.declaredCapabilities).toEqual({});
  },
);

test.each(bothEras)(
  "S-225, S-226, S-261: elicitation 'cancel' declares it and answers cancel; without handlers nothing is declared (%s)",
  async (revision) => {
    const asking = (): LocalServer =>
      localServer(
        (server) => {
          server.addTool({ name: "ask" }, async (_, { elicit }) => {
            const requestedSchema = { type: "object", properties: {} } as const;
            return (await elicit({ message: "Sure?", requestedSchema })).action;
          });
        },
        { server: { revisions: [revision] } },
      );
    const [a, b] = [asking(), asking()];
    await using cancelling = new Manager({ servers: { a: a.spec }, handlers: { elicitation: "cancel" } });
    await using plain = new Manager({ servers: { b: b.spec } });
    await cancelling.connectAll();
    await plain.connectAll();
    expect(cancelling.get("a")?.declaredCapabilities).toHaveProperty("elicitation");
    expect((await cancelling.callTool("a", "ask")).content).toEqual([{ type: "text", text: "cancel" }]);
    expect(plain.get("b")?.declaredCapabilities).toEqual({});
    expect(await plain.callTool("b", "ask").catch(() => ({ isError: true }))).toMatchObject({
      isError: true,
    });
  },
);
