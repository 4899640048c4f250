import type { Server } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { converse, everyRevision, resultOf } from "./conversation.ts";
import { connectPair } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";

const _meta = { "com.example/note": { deep: [1] }, "com.example.mcp/free": true };

/** A server whose every object carries the same `_meta`. */
function addMarked(server: Server): void {
  server.addTool({ name: "t", _meta }, () => ({
    content: [
      { type: "text", text: "x", _meta },
      { type: "resource", resource: { uri: "memo://1", text: "x", _meta }, _meta },
    ],
    _meta,
  }));
  server.addPrompt({ name: "p", _meta }, () => ({
    messages: [{ role: "user", content: { type: "text", text: "x", _meta } }],
    _meta,
  }));
  server.addResource({ uri: "memo://1", name: "r", _meta }, () => ({
    contents: [{ text: "x", _meta }],
    _meta,
  }));
  server.addResourceTemplate({ uriTemplate: "memo://{id}/t", name: "rt", _meta }, () => "");
}

test.each(everyRevision)(
  "_meta may be on params and results of %s, and on the objects that have it there (R-130, R-146)",
  async (revision) => {
    await using it = await converse(revision, addMarked);
    const onObjects = revision >= "2025-06-18" ? _meta : undefined;
    const listed = async (method: string, member: string): Promise<unknown> =>
      (resultOf(await it.call(method))[member] as { _meta?: unknown }[])[0]?._meta;
    expect(await listed("tools/list", "tools")).toEqual(onObjects);
    expect(await listed("prompts/list", "prompts")).toEqual(onObjects);
    expect(await listed("resources/list", "resources")).toEqual(onObjects);
    expect(await listed("resources/templates/list", "resourceTemplates")).toEqual(onObjects);

    const called = resultOf(await it.call("tools/call", { name: "t" }));
    const got = resultOf(await it.call("prompts/get", { name: "p" }));
    const read = resultOf(await it.call("resources/read", { uri: "memo://1" }));
    for (const result of [called, got, read]) {
      expect(result["_meta"]).toMatchObject(_meta);
    }
    expect(read["contents"]).toMatchObject([{ uri: "memo://1", text: "x" }]);
    if (onObjects !== undefined) {
      expect(called["content"]).toMatchObject([{ _meta }, { _meta, resource: { _meta } }]);
      expect(got["messages"]).toMatchObject([{ content: { _meta } }]);
      expect(read["contents"]).toMatchObject([{ _meta }]);
    }
  },
);

test.each(bothEras)(
  "a caller's _meta reaches the handler as it was sent, also under names that others reserve, in %s (R-130, R-134, R-135, R-136)",
  async (revision) => {
    const seen: unknown[] = [];
    await using pair = await connectPair({ revision }, (server) => {
      server.addTool({ name: "t" }, (_, { meta }) => void seen.push(meta));
    });
    const keys = { ..._meta, "mcp.dev/old": 1, "dev.mcp/new": null, "io.modelcontextprotocol/unknown": [] };
    await pair.session.callTool({ name: "t", _meta: keys });
    expect(seen).toMatchObject([keys]);
  },
);

test.each(bothEras)(
  "a caller may choose the progress token, by _meta, and hears of it by middleware, in %s (S-145, R-130)",
  async (revision) => {
    await using pair = await connectPair({ revision }, (server) => {
      server.addTool({ name: "t" }, async (_, ctx) => {
        await ctx.progress(1);
      });
    });
    const heard: unknown[] = [];
    pair.client.addReceivingMiddleware((next) => (request) => {
      heard.push([request.method, request.params["progressToken"]]);
      return next(request);
    });
    await pair.session.callTool({ name: "t", _meta: { progressToken: "mine" } });
    expect(heard).toEqual([["notifications/progress", "mine"]]);
    const byOption: unknown[] = [];
    await pair.session.callTool(
      { name: "t" },
      { onProgress: ({ progressToken }) => byOption.push(typeof progressToken) },
    );
    expect(byOption).toEqual(["number"]);
  },
);

test.each(everyRevision)(
  "a server tolerates unknown members everywhere in %s, and middleware sees them (R-110)",
  async (revision) => {
    const seen: unknown[] = [];
    await using it = await converse(revision, (server) => {
      server.addTool({ name: "t" }, () => "fine");
      server.addReceivingMiddleware((next) => (request) => {
        seen.push(request.params["x-own"]);
        return next(request);
      });
    });
    seen.length = 0;
    const answer = await it.call("tools/call", { name: "t", "x-own": { a: 1 }, task: undefined });
    expect(answer).toMatchObject({ result: { content: [{ text: "fine" }] } });
    expect(seen).toEqual([{ a: 1 }]);
  },
);

test.each(bothEras)(
  "a client keeps unknown members of results, for who passes them on, in %s (R-110)",
  async (revision) => {
    await using wire = await openServerWire(revision);
    const tool = { name: "t", inputSchema: { type: "object", "x-deep": 1 }, "x-tool": { a: [1] } };
    const listing = wire.session.listTools();
    await wire.answer({ tools: [tool], "x-result": "kept" });
    expect(await listing).toEqual({ tools: [tool], "x-result": "kept" });
    const calling = wire.session.callTool({ name: "t" });
    await wire.answer({ content: [{ type: "hologram", beam: 1 }], "x-result": "kept" });
    expect(await calling).toEqual({ content: [{ type: "hologram", beam: 1 }], "x-result": "kept" });
  },
);

test.each(bothEras)(
  "what the other side says it is called changes nothing, in %s (R-141)",
  async (revision) => {
    const answers: unknown[] = [];
    for (const name of ["claude-ai", "x".repeat(1000), "__proto__"]) {
      await using pair = await connectPair({ revision }, addMarked);
      pair.client.addSendingMiddleware((next) => (call) => {
        const own = call.params !== undefined && "_meta" in call.params ? (call.params._meta as object) : {};
        const clientInfo = { name, version: "0" };
        return next({
          ...call,
          params: {
            ...call.params,
            _meta: {
              ...own,
              ...(eraOf(revision) === "modern" ? { "io.modelcontextprotocol/clientInfo": clientInfo } : {}),
            },
          },
        });
      });
      answers.push([await pair.session.listTools(), await pair.session.callTool({ name: "t" })]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  },
);

test("a modern server remembers nothing of earlier requests on the connection: not who, nor what they can, nor their level of logs (R-142, R-147)", async () => {
  const seen: unknown[] = [];
  await using it = await converse(
    modernRevision,
    (server) => {
      server.addTool({ name: "t" }, async (_, ctx) => {
        seen.push([ctx.client.info?.name, Object.keys(ctx.client.capabilities)]);
        await ctx.log("warning", "careful");
      });
    },
    { logging: true },
  );
  const key = (name: string): string => `io.modelcontextprotocol/${name}`;
  const call = (meta: object): Promise<unknown> => it.call("tools/call", { name: "t" }, meta);
  await call({
    [key("clientInfo")]: { name: "first", version: "1" },
    [key("clientCapabilities")]: { roots: {} },
    [key("logLevel")]: "debug",
  });
  await call({});
  await call({ [key("clientInfo")]: { name: "third", version: "1" } });
  expect(seen).toEqual([
    ["first", ["roots"]],
    [undefined, []],
    ["third", []],
  ]);
  expect(it.notifications).toHaveLength(1);
});

test("members of the envelope that a handler or middleware leaves undefined are filled in (R-112, R-575)", async () => {
  const setUp = (server: Server): void => {
    server.addTool({ name: "t" }, () => ({ resultType: undefined, content: [] }) as never);
    server.addResource({ uri: "memo://1", name: "r", cache: { ttlMs: 5, cacheScope: "public" } }, () => "x");
    server.addReceivingMiddleware((next) => async (request) => ({
      ...((await next(request)) as object),
      resultType: undefined,
      ttlMs: undefined,
      cacheScope: undefined,
    }));
  };
  await using it = await converse(modernRevision, setUp, { cache: { ttlMs: 7, cacheScope: "private" } });
  expect(resultOf(await it.call("tools/call", { name: "t" }))).toMatchObject({ resultType: "complete" });
  const hints = { resultType: "complete", ttlMs: 7, cacheScope: "private" };
  expect(resultOf(await it.call("tools/list"))).toMatchObject(hints);
  expect(resultOf(await it.call("resources/read", { uri: "memo://1" }))).toMatchObject(hints);
});

test("each modern request declares its own capabilities, frozen or not, with any other _meta", async () => {
  const seen: unknown[] = [];
  await using pair = await connectPair({ revision: modernRevision }, (server) => {
    server.addTool({ name: "look" }, (_, { client, meta }) => {
      seen.push([client.capabilities, meta["com.example/a"]]);
      return "";
    });
  });
  const forms = Object.freeze({ elicitation: { form: {} } });
  const changing: { roots?: object; sampling?: object } = { roots: {} };
  const call = (capabilities: object | undefined, own?: Record<string, number>): Promise<unknown> =>
    pair.session.callTool(
      { name: "look", ...(own === undefined ? {} : { _meta: own }) },
      capabilities === undefined ? {} : { capabilities },
    );
  await call(forms);
  await call(forms, { "com.example/a": 1 });
  await call(changing);
  delete changing.roots;
  changing.sampling = {};
  await call(changing);
  await call(undefined);
  await call(forms);
  expect(seen).toEqual([
    [{ elicitation: { form: {} } }, undefined],
    [{ elicitation: { form: {} } }, 1],
    [{ roots: {} }, undefined],
    [{ sampling: {} }, undefined],
    [{}, undefined],
    [{ elicitation: { form: {} } }, undefined],
  ]);
});
