import { isMcpError, McpError, Server, text, type PromptDefinition } from "@tenon/mcp";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, expectTypeOf, test } from "vitest";

import { converse, everyRevision, legacyRevisions, resultOf } from "./conversation.ts";

const review: PromptDefinition = {
  name: "review",
  title: "Review",
  description: "Reviews code",
  arguments: [
    { name: "code", title: "Code", description: "What to review", required: true },
    { name: "style" },
  ],
  icons: [{ src: "https://example.com/a.png" }],
  _meta: { "com.example/a": 1 },
};

function addReview(server: Server): void {
  server.addPrompt(review, ({ code, style }) => `Review ${code} in ${style ?? "any"} style`);
}

test.each(everyRevision)(
  "prompts are listed as revision %s knows them (S-148, S-150, R-500)",
  async (revision) => {
    await using it = await converse(revision, addReview);
    const result = resultOf(await it.call("prompts/list"));
    const [prompt] = result["prompts"] as Record<string, unknown>[];
    const hasTitle = revision >= "2025-06-18";
    const hasIcons = revision >= "2025-11-25";
    expect(prompt).toEqual({
      name: "review",
      description: "Reviews code",
      ...(hasTitle ? { title: "Review", _meta: { "com.example/a": 1 } } : {}),
      ...(hasIcons ? { icons: [{ src: "https://example.com/a.png" }] } : {}),
      arguments: [
        {
          name: "code",
          description: "What to review",
          required: true,
          ...(hasTitle ? { title: "Code" } : {}),
        },
        { name: "style" },
      ],
    });
  },
);

test.each(everyRevision)("a prompt is filled in, in revision %s (R-551)", async (revision) => {
  await using it = await converse(revision, addReview);
  const { result } = await it.call("prompts/get", { name: "review", arguments: { code: "x" } });
  expect(result).toMatchObject({
    description: "Reviews code",
    messages: [{ role: "user", content: { type: "text", text: "Review x in any style" } }],
  });
});

test.each(bothEras)(
  "unknown prompts, missing and malformed arguments are -32602 in %s (R-554)",
  async (revision) => {
    await using it = await converse(revision, addReview);
    for (const params of [
      { name: "nothing" },
      { name: 7 },
      {},
      { name: "review" },
      { name: "review", arguments: {} },
      { name: "review", arguments: { style: "terse" } },
      { name: "review", arguments: [] },
      { name: "review", arguments: { code: 7 } },
    ]) {
      expect(await it.call("prompts/get", params)).toMatchObject({ error: { code: -32602 } });
    }
    expect(await it.call("prompts/get", { name: "review" })).toMatchObject({
      error: { message: "Prompt review needs the arguments code", data: { missing: ["code"] } },
    });
  },
);

test("arguments that are not declared never reach the handler, whatever their names", async () => {
  await using it = await converse(modernRevision, (server) => {
    server.addPrompt({ name: "p", arguments: [{ name: "a" }] }, (args) =>
      JSON.stringify(Object.entries(args)),
    );
  });
  const given = JSON.parse('{"a":"1","b":"2","__proto__":"3","toString":"4"}') as Record<string, string>;
  expect(await it.call("prompts/get", { name: "p", arguments: given })).toMatchObject({
    result: { messages: [{ content: { text: '[["a","1"]]' } }] },
  });
});

test("an argument that is declared as __proto__ is an argument like any other (N-014)", async () => {
  await using it = await converse(modernRevision, (server) => {
    server.addPrompt({ name: "p", arguments: [{ name: "__proto__", required: true }] }, (args) =>
      JSON.stringify([Object.entries(args), Object.getPrototypeOf(args) === Object.prototype]),
    );
  });
  const given = JSON.parse('{"__proto__":"3"}') as Record<string, string>;
  expect(await it.call("prompts/get", { name: "p", arguments: given })).toMatchObject({
    result: { messages: [{ content: { text: '[[["__proto__","3"]],true]' } }] },
  });
});

const typed = {
  type: "object",
  properties: {
    city: { type: "string", title: "City", description: "Where" },
    days: { type: "integer", minimum: 1 },
    hourly: { type: "boolean" },
    unit: { type: "string", enum: ["celsius", "fahrenheit"] },
  },
  required: ["city", "days"],
} as const;

test("arguments may be a schema: they are listed, read from text, validated and typed (S-151, S-152)", async () => {
  await using it = await converse(modernRevision, (server) => {
    server.addPrompt({ name: "weather", arguments: typed }, (args) => {
      expectTypeOf(args.city).toEqualTypeOf<string>();
      expectTypeOf(args.days).toEqualTypeOf<number>();
      expectTypeOf(args.unit).toEqualTypeOf<"celsius" | "fahrenheit" | undefined>();
      return JSON.stringify(args);
    });
  });
  expect(await it.call("prompts/list")).toMatchObject({
    result: {
      prompts: [
        {
          arguments: [
            { name: "city", title: "City", description: "Where", required: true },
            { name: "days", required: true },
            { name: "hourly" },
            { name: "unit" },
          ],
        },
      ],
    },
  });
  const get = (args: object): Promise<unknown> =>
    it.call("prompts/get", { name: "weather", arguments: args });
  expect(await get({ city: "Oslo", days: "3", hourly: "true" })).toMatchObject({
    result: { messages: [{ content: { text: '{"city":"Oslo","days":3,"hourly":true}' } }] },
  });
  for (const bad of [
    { city: "Oslo", days: "three" },
    { city: "Oslo", days: "0" },
    { city: "Oslo", days: "1", unit: "kelvin" },
    { days: "1" },
  ]) {
    expect(await get(bad)).toMatchObject({ error: { code: -32602 } });
  }
});

test("a list of arguments types the handler by its names", () => {
  const server = new Server({ name: "s", version: "1" });
  server.addPrompt({ name: "p", arguments: [{ name: "a", required: true }, { name: "b" }] }, (args) => {
    expectTypeOf(args.a).toEqualTypeOf<string>();
    expectTypeOf(args.b).toEqualTypeOf<string | undefined>();
    return "";
  });
});

test("a handler may return messages, content blocks or a full result", async () => {
  await using it = await converse(legacyRevision, (server) => {
    server.addPrompt({ name: "block" }, () => text("a"));
    server.addPrompt({ name: "messages" }, async () => [
      { role: "assistant" as const, content: text("b") },
      text("c"),
    ]);
    server.addPrompt({ name: "full", description: "mine" }, () => ({
      description: "yours",
      messages: [{ role: "user", content: text("d") }],
      _meta: { "com.example/x": 1 },
    }));
    server.addPrompt({ name: "wrong" }, () => 7 as unknown as string);
  });
  const get = async (name: string): Promise<unknown> => (await it.call("prompts/get", { name })).result;
  expect(await get("block")).toEqual({ messages: [{ role: "user", content: { type: "text", text: "a" } }] });
  expect(await get("messages")).toEqual({
    messages: [
      { role: "assistant", content: { type: "text", text: "b" } },
      { role: "user", content: { type: "text", text: "c" } },
    ],
  });
  expect(await get("full")).toEqual({
    description: "yours",
    messages: [{ role: "user", content: { type: "text", text: "d" } }],
    _meta: { "com.example/x": 1 },
  });
  expect(await it.call("prompts/get", { name: "wrong" })).toMatchObject({ error: { code: -32603 } });
});

test.each(everyRevision)("blocks that revision %s lacks become text (R-552)", async (revision) => {
  await using it = await converse(revision, (server) => {
    server.addPrompt({ name: "p" }, () => [
      { type: "audio", data: "AA==", mimeType: "audio/wav" },
      { type: "resource_link", uri: "notes://1", name: "one" },
    ]);
  });
  const result = resultOf(await it.call("prompts/get", { name: "p" }));
  const types = (result["messages"] as { content: { type: string } }[]).map(({ content }) => content.type);
  expect(types).toEqual([
    revision >= "2025-03-26" ? "audio" : "text",
    revision >= "2025-06-18" ? "resource_link" : "text",
  ]);
});

test("what a handler throws does not leak (S-182, R-554)", async () => {
  const errors: unknown[] = [];
  await using it = await converse(
    modernRevision,
    (server) => {
      server.addPrompt({ name: "p" }, () => {
        throw new Error("secret");
      });
    },
    { onError: (error) => errors.push(error) },
  );
  const answer = await it.call("prompts/get", { name: "p" });
  expect(answer.error).toEqual({ code: -32603, message: "Internal error" });
  expect(errors).toMatchObject([{ message: "secret" }]);
});

test.each(legacyRevisions)(
  "without prompts their methods do not exist in %s, until one is added (R-550, R-120)",
  async (revision) => {
    await using it = await converse(revision, () => {});
    expect(await it.call("prompts/list")).toMatchObject({ error: { code: -32601 } });
    addReview(it.server);
    expect(await it.call("prompts/list")).toMatchObject({ result: { prompts: [{ name: "review" }] } });
  },
);

test("with the capability declared, the first prompt may come after the handshake and is told (S-119, S-149, S-171)", async () => {
  await using it = await converse(legacyRevision, () => {}, { capabilities: { prompts: true } });
  expect(await it.call("prompts/list")).toMatchObject({ result: { prompts: [] } });
  addReview(it.server);
  expect(await it.next()).toEqual({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" });
  it.server.removePrompts("review", "nothing");
  expect(await it.next()).toEqual({ jsonrpc: "2.0", method: "notifications/prompts/list_changed" });
  expect(await it.call("prompts/list")).toMatchObject({ result: { prompts: [] } });
});

test("a hidden capability hides its methods (S-119)", async () => {
  await using it = await converse(modernRevision, addReview, {
    capabilities: { prompts: false, tools: false },
  });
  const { result } = await it.call("server/discover");
  expect(result?.["capabilities"]).toEqual({});
  expect(await it.call("prompts/get", { name: "review" })).toMatchObject({ error: { code: -32601 } });
  expect(await it.call("tools/list")).toMatchObject({ error: { code: -32601 } });
});

const refused: [object, string][] = [
  [{ name: "" }, "Prompt name must be"],
  [{ name: "p", arguments: [{ name: "a" }, { name: "a" }] }, "a name of its own"],
  [{ name: "p", arguments: { type: "string" } }, "a list of { name }"],
  [
    { name: "p", arguments: { type: "object", properties: { a: { type: "nonsense" } } } },
    "not a valid schema",
  ],
  [{ name: "p", complete: { a: ["x"] } }, "has no argument"],
];

test.each(refused)("the definition %j is refused", (definition, message) => {
  const server = new Server({ name: "s", version: "1" });
  const add = (): void => server.addPrompt(definition as PromptDefinition, () => "");
  expect(add).toThrow(McpError);
  expect(add).toThrow(message);
});

test("a taken name is refused", () => {
  const server = new Server({ name: "s", version: "1" });
  server.addPrompt({ name: "p" }, () => "");
  let caught: unknown;
  try {
    server.addPrompt({ name: "p" }, () => "");
  } catch (error) {
    caught = error;
  }
  expect(isMcpError(caught, "INVALID_DEFINITION")).toBe(true);
});
