import { isMcpError, type ClientOptions } from "@tenon/mcp";
import type { CreateMessageRequestParams, CreateMessageResult, SamplingMessage } from "@tenon/protocol";
import { bothEras, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connectPair, textOf } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";

const user = (text: string): SamplingMessage => ({ role: "user", content: { type: "text", text } });
const calls: SamplingMessage = {
  role: "assistant",
  content: [
    { type: "tool_use", id: "1", name: "add", input: {}, _meta: { cached: true } },
    { type: "tool_use", id: "2", name: "add", input: {} },
  ],
};
const resultOf = (toolUseId: string): { type: "tool_result"; toolUseId: string; content: [] } => ({
  type: "tool_result",
  toolUseId,
  content: [],
});
const results: SamplingMessage = { role: "user", content: [resultOf("1"), resultOf("2")] };

const badConversations: [string, SamplingMessage[]][] = [
  ["no results", [user("?"), calls]],
  ["one missing", [user("?"), calls, { role: "user", content: [resultOf("1")] }]],
  [
    "mixed",
    [user("?"), calls, { role: "user", content: [resultOf("1"), resultOf("2"), { type: "text", text: "" }] }],
  ],
  ["too late", [user("?"), calls, user("wait"), results]],
  ["not asked for", [user("?"), results]],
  ["called by the user", [{ ...calls, role: "user" }, results]],
];

const answer: CreateMessageResult = { role: "assistant", model: "m", content: { type: "text", text: "4" } };

test.each(bothEras)(
  "sampling with tools, and everything the model should heed, arrives as it was sent in %s (R-604, R-606, R-609, R-612, R-615, S-121)",
  async (revision) => {
    let sampled: CreateMessageRequestParams | undefined;
    const client: ClientOptions = {
      sampling: {
        tools: true,
        createMessage: (params) => {
          sampled = params;
          return { ...answer, content: [{ type: "text", text: "4" }], stopReason: "endTurn" };
        },
      },
    };
    const params: CreateMessageRequestParams = {
      maxTokens: 5,
      messages: [user("2 + 2?"), calls, results],
      tools: [{ name: "add", inputSchema: { type: "object" } }],
      toolChoice: { mode: "required" },
      modelPreferences: { hints: [{ name: "small" }, { name: "large" }], costPriority: 1 },
      systemPrompt: "Be brief.",
      temperature: 0,
      stopSequences: ["."],
      metadata: { vendor: { x: 1 } },
    };
    await using pair = await connectPair({ revision, client }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) =>
        JSON.stringify(await ctx.sample({ ...params, includeContext: "thisServer" })),
      );
    });
    expect(JSON.parse(textOf(await pair.session.callTool({ name: "ask" })))).toEqual({
      ...answer,
      content: [{ type: "text", text: "4" }],
      stopReason: "endTurn",
    });
    // the client has not declared `context`.
    expect(sampled).toEqual(params);
  },
);

test("conversations whose tool calls and results do not pair up are refused by both sides (R-607, R-608)", async () => {
  await using wire = await openServerWire(legacyRevision, {
    sampling: { tools: true, createMessage: () => answer },
  });
  for (const [what, messages] of badConversations) {
    await wire.send({ id: what, method: "sampling/createMessage", params: { messages, maxTokens: 1 } });
    expect(await wire.next()).toMatchObject({ id: what, error: { code: -32602 } });
    await using pair = await connectPair(
      { client: { sampling: { createMessage: () => answer } } },
      (server) => {
        server.addTool({ name: "ask" }, async (_, ctx) => {
          const error = await ctx.sample({ messages, maxTokens: 1 }).catch((reason: unknown) => reason);
          return String(isMcpError(error, "INVALID_DEFINITION"));
        });
      },
    );
    expect([what, textOf(await pair.session.callTool({ name: "ask" }))]).toEqual([what, "true"]);
  }
  for (const params of [
    {},
    { messages: [] },
    { messages: [{}], maxTokens: 1 },
    { messages: "x", maxTokens: 1 },
  ]) {
    await wire.send({ id: 1, method: "sampling/createMessage", params });
    expect(await wire.next()).toMatchObject({ error: { code: -32602 } });
  }
});

test("old revisions get one block per message and no tools", async () => {
  let sampled: CreateMessageRequestParams | undefined;
  let content: CreateMessageResult["content"] = [{ type: "text", text: "one" }];
  const client: ClientOptions = {
    sampling: {
      createMessage: (params) => {
        sampled = params;
        return { ...answer, content };
      },
    },
  };
  const messages: SamplingMessage[] = [
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
  ];
  const audio: SamplingMessage = {
    role: "user",
    content: { type: "audio", data: "", mimeType: "audio/wav" },
  };
  await using pair = await connectPair({ revision: "2024-11-05", client }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) =>
      JSON.stringify((await ctx.sample({ messages, maxTokens: 1, includeContext: "thisServer" })).content),
    );
    server.addTool({ name: "hear" }, async (_, ctx) => {
      const error = await ctx.sample({ messages: [audio], maxTokens: 1 }).catch((reason: unknown) => reason);
      return String(isMcpError(error, "NOT_IN_REVISION"));
    });
  });
  const result = await pair.session.callTool({ name: "ask" });
  expect(JSON.parse(textOf(result))).toEqual({ type: "text", text: "one" });
  expect(sampled).toEqual({ messages: [user("a"), user("b")], maxTokens: 1, includeContext: "thisServer" });
  expect(textOf(await pair.session.callTool({ name: "hear" }))).toBe("true");

  content = [
    { type: "text", text: "one" },
    { type: "text", text: "two" },
  ];
  expect((await pair.session.callTool({ name: "ask" })).isError).toBe(true);
});

test.each(bothEras)(
  "a client that heeds the context is asked to include it, in %s (R-606)",
  async (revision) => {
    let sampled: CreateMessageRequestParams | undefined;
    const createMessage = (params: CreateMessageRequestParams): CreateMessageResult => {
      sampled = params;
      return answer;
    };
    const client: ClientOptions = { sampling: { context: true, createMessage } };
    await using pair = await connectPair({ revision, client }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) => {
        const { model } = await ctx.sample({ messages: [], maxTokens: 1, includeContext: "thisServer" });
        return model;
      });
    });
    expect(textOf(await pair.session.callTool({ name: "ask" }))).toBe(answer.model);
    expect(sampled).toEqual({ messages: [], maxTokens: 1, includeContext: "thisServer" });
  },
);

test("a server may sample outside of requests in the legacy era (S-122)", async () => {
  const client: ClientOptions = { sampling: { createMessage: () => answer } };
  await using pair = await connectPair({ revision: legacyRevision, client }, () => {});
  const [session] = pair.server.sessions();
  await pair.session.ping();
  expect(await session?.createMessage({ messages: [user("?")], maxTokens: 1 })).toEqual(answer);
  await expect(
    session?.elicit({ mode: "url", message: "", url: "https://example.com" }),
  ).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
  });
});

test("what a model is not allowed to answer with is refused by both sides (R-615)", async () => {
  for (const wrong of [
    {},
    { ...answer, role: "system" },
    { ...answer, content: "text" },
    { ...answer, model: 1 },
  ]) {
    const client: ClientOptions = { sampling: { createMessage: () => wrong as never } };
    await using pair = await connectPair({ client }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) =>
        JSON.stringify(await ctx.sample({ messages: [], maxTokens: 1 })),
      );
    });
    await expect(pair.session.callTool({ name: "ask" })).rejects.toMatchObject({ code: "INPUT_FAILED" });
  }
});

test.each(bothEras)(
  "a handler sees the messages of its own request and no others, in %s (R-614)",
  async (revision) => {
    const seen: unknown[] = [];
    const client: ClientOptions = {
      sampling: {
        createMessage: ({ messages }) => {
          seen.push(messages);
          return answer;
        },
      },
    };
    await using pair = await connectPair({ revision, client }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) => {
        await ctx.sample({ messages: [user("first")], maxTokens: 1 });
        await ctx.sample({ messages: [user("second")], maxTokens: 1 });
      });
    });
    await pair.session.callTool({ name: "ask" });
    expect(seen).toEqual([[user("first")], [user("second")]]);
  },
);
