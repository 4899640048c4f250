import { RpcError } from "@tenon/jsonrpc2";
import { isMcpError, type ClientOptions } from "@tenon/mcp";
import { revisions, type CreateMessageRequestParams } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { connectPair, textOf } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";
import { modern, openWire, request } from "./wire.ts";

const versionKey = "io.modelcontextprotocol/protocolVersion";

test("what server/discover lists, what -32022 names and what is accepted are one list (R-197)", async () => {
  await using wire = await openWire();
  const ask = (version: string, method = "tools/list"): Promise<unknown> =>
    wire.ask(request(version, method, { _meta: { ...modern, [versionKey]: version } }));
  const accepted: string[] = [];
  for (const version of revisions) {
    if ("result" in ((await ask(version)) as object)) {
      accepted.push(version);
    }
  }
  expect(accepted).toEqual([modernRevision]);
  expect(await ask(modernRevision, "server/discover")).toMatchObject({
    result: { supportedVersions: accepted },
  });
  expect(await ask("2099-01-01")).toMatchObject({ error: { code: -32022, data: { supported: accepted } } });
});

test.each(bothEras)(
  "progress tokens of calls in flight are integers, and no two are the same, in %s (R-430, S-103)",
  async (revision) => {
    await using wire = await openServerWire(revision);
    const calls = [1, 2, 3].map(() => wire.session.callTool({ name: "t" }, { onProgress: () => {} }));
    const settled = Promise.allSettled(calls);
    const tokens: unknown[] = [];
    for (const _ of calls) {
      const { id, params } = await wire.next();
      tokens.push((params?.["_meta"] as { progressToken?: unknown } | undefined)?.progressToken);
      await wire.send({ id, result: { resultType: "complete", content: [] } });
    }
    await settled;
    expect(tokens.every(Number.isInteger)).toBe(true);
    expect(new Set(tokens).size).toBe(3);
  },
);

test.each(bothEras)(
  "a progress token that sending middleware adds is honoured by the server, in %s (S-084)",
  async (revision) => {
    await using pair = await connectPair({ revision }, (server) => {
      server.addTool({ name: "steps" }, async (_, ctx) => {
        await ctx.progress(1, 2);
        return "done";
      });
    });
    const heard: unknown[] = [];
    pair.client.addReceivingMiddleware((next) => (received) => {
      heard.push([received.method, received.params["progressToken"], received.params["progress"]]);
      return next(received);
    });
    pair.client.addSendingMiddleware((next) => (call) => {
      const meta = Reflect.get(call.params ?? {}, "_meta") as object | undefined;
      return next({ ...call, params: { ...call.params, _meta: { ...meta, progressToken: "mine" } } });
    });
    expect(textOf(await pair.session.callTool({ name: "steps" }))).toBe("done");
    expect(heard).toEqual([["notifications/progress", "mine", 1]]);
  },
);

const question: CreateMessageRequestParams = {
  maxTokens: 1,
  messages: [{ role: "user", content: { type: "text", text: "?" } }],
};

test("tools in sampling never reach a client that has not declared them, and such a client refuses them (R-605)", async () => {
  const asked: string[] = [];
  const client: ClientOptions = {
    sampling: {
      createMessage: () => {
        asked.push("model");
        return { role: "assistant", model: "m", content: { type: "text", text: "" } };
      },
    },
  };
  await using pair = await connectPair({ revision: legacyRevision, client }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) => {
      const error = await ctx.sample({ ...question, tools: [] }).catch((reason: unknown) => reason);
      return String(isMcpError(error, "CAPABILITY_MISSING"));
    });
  });
  pair.server.addSendingMiddleware((next) => (call) => {
    asked.push(call.method);
    return next(call);
  });
  expect(textOf(await pair.session.callTool({ name: "ask" }))).toBe("true");
  await using wire = await openServerWire(legacyRevision, { ...client, onError: () => {} });
  await wire.send({ id: 1, method: "sampling/createMessage", params: { ...question, tools: [] } });
  expect(await wire.next()).toMatchObject({ id: 1, error: { code: -32602 } });
  expect(asked).toEqual([]);
});

test("a user who refuses to let the model answer is told to the server by code -1 (R-608)", async () => {
  const client: ClientOptions = {
    sampling: {
      createMessage: () => {
        throw new RpcError(-1, "User rejected sampling request");
      },
    },
  };
  await using pair = await connectPair({ revision: legacyRevision, client }, (server) => {
    server.addTool({ name: "let-pass" }, async (_, ctx) => JSON.stringify(await ctx.sample(question)));
  });
  await using wire = await openServerWire(legacyRevision, client);
  await wire.send({ id: 1, method: "sampling/createMessage", params: question });
  expect(await wire.next()).toMatchObject({
    id: 1,
    error: { code: -1, message: "User rejected sampling request" },
  });
  expect(await pair.session.callTool({ name: "let-pass" })).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("error -1: User rejected sampling request") as string }],
  });
});

test("params that are a client's to weigh reach its model unchanged, and _meta of tool blocks comes with them (R-610, R-611, R-612)", async () => {
  const params = {
    maxTokens: 7,
    systemPrompt: "Be brief.",
    temperature: 0.5,
    stopSequences: ["END"],
    metadata: { provider: "x" },
    modelPreferences: {
      hints: [{ name: "sonnet" }, { name: "claude" }],
      costPriority: 0.1,
      speedPriority: 0.2,
      intelligencePriority: 0.9,
    },
    tools: [{ name: "look", inputSchema: { type: "object" } }],
    messages: [
      { role: "user", content: { type: "text", text: "?" } },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "1", name: "look", input: {}, _meta: { "com.example/turn": 1 } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", toolUseId: "1", content: [], _meta: { "com.example/turn": 2 } }],
      },
    ],
  } satisfies CreateMessageRequestParams;
  let heard: unknown;
  const content = [
    { type: "tool_use", id: "2", name: "look", input: {}, _meta: { "com.example/turn": 3 } },
  ] as const;
  const client: ClientOptions = {
    sampling: {
      tools: true,
      createMessage: (given) => {
        heard = given;
        return { role: "assistant", model: "m", stopReason: "toolUse", content: [...content] };
      },
    },
  };
  for (const revision of bothEras) {
    await using pair = await connectPair({ revision, client }, (server) => {
      server.addTool({ name: "ask" }, async (_, ctx) => JSON.stringify((await ctx.sample(params)).content));
    });
    expect(textOf(await pair.session.callTool({ name: "ask" }))).toBe(JSON.stringify(content));
    expect(heard).toMatchObject(params);
  }
});
