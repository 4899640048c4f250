import { isRpcError, RpcError } from "@tenon/jsonrpc2";
import { Client, isMcpError, McpError, Server, ToolError, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, expectTypeOf, test } from "vitest";

import { modern, openWire, request } from "./wire.ts";

async function connect(
  revision: Revision,
  setUp: (server: Server) => void,
): Promise<{ session: ClientSession; server: Server } & AsyncDisposable> {
  const server = new Server({ name: "server", version: "1.0.0" });
  setUp(server);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
  const session = await client.connect(here);
  return { session, server, [Symbol.asyncDispose]: () => session.close() };
}

const point = { type: "object", properties: { x: { type: "number" } }, required: ["x"] } as const;

test("the types of a handler follow from the schemas (S-125)", async () => {
  await using connected = await connect(legacyRevision, (server) => {
    server.addTool(
      {
        name: "typed",
        input: {
          type: "object",
          properties: { n: { type: "integer" }, mode: { enum: ["a", "b"] }, note: { type: "string" } },
          required: ["n", "mode"],
        },
        output: point,
      },
      (args) => {
        expectTypeOf(args.n).toEqualTypeOf<number>();
        expectTypeOf(args.mode).toEqualTypeOf<"a" | "b">();
        expectTypeOf(args.note).toEqualTypeOf<string | undefined>();
        return { x: args.n };
      },
    );
    // @ts-expect-error: the output schema wants a number.
    server.addTool({ name: "wrong", output: point }, () => ({ x: "1" }));
  });
  const { tools } = (await connected.session.request("tools/list", {})) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(["typed", "wrong"]);
});

test.each(bothEras)(
  "a string, a block, blocks, a full result and nothing are all content in %s",
  async (revision) => {
    await using connected = await connect(revision, (server) => {
      server.addTool({ name: "string" }, () => "plain");
      server.addTool({ name: "block" }, () => ({ type: "text", text: "block" }));
      server.addTool({ name: "blocks" }, async () => [{ type: "text", text: "blocks" }]);
      server.addTool({ name: "full" }, () => ({ content: [], isError: true }));
      server.addTool({ name: "nothing" }, () => {});
    });
    const { session } = connected;
    const content = async (name: string): Promise<unknown> => (await session.callTool({ name })).content;
    expect(await content("string")).toEqual([{ type: "text", text: "plain" }]);
    expect(await content("block")).toEqual([{ type: "text", text: "block" }]);
    expect(await content("blocks")).toEqual([{ type: "text", text: "blocks" }]);
    expect(await content("nothing")).toEqual([]);
    expect(await session.callTool({ name: "full" })).toMatchObject({ content: [], isError: true });
  },
);

test.each(bothEras)(
  "a value of the output schema is structured content and its JSON is text in %s (S-136, R-473)",
  async (revision) => {
    await using connected = await connect(revision, (server) => {
      server.addTool({ name: "point", output: point }, () => ({ x: 1 }));
    });
    expect(await connected.session.callTool({ name: "point" })).toMatchObject({
      structuredContent: { x: 1 },
      content: [{ type: "text", text: '{"x":1}' }],
    });
  },
);

test("structured content that is no object reaches only clients whose revision allows it (R-472, T-44, T-52)", async () => {
  const setUp = (server: Server): void =>
    server.addTool({ name: "zero", output: { type: "integer" } }, () => 0);
  await using modern = await connect(modernRevision, setUp);
  expect(await modern.session.callTool({ name: "zero" })).toMatchObject({ structuredContent: 0 });
  expect((await modern.session.listTools()).tools[0]).toHaveProperty("outputSchema");
  await using legacy = await connect(legacyRevision, setUp);
  const result = await legacy.session.callTool({ name: "zero" });
  expect(result).toEqual({ content: [{ type: "text", text: "0" }] });
  expect((await legacy.session.listTools()).tools[0]).not.toHaveProperty("outputSchema");
});

test("members and content that a revision lacks are left out or become text (R-474)", async () => {
  const setUp = (server: Server): void => {
    server.addTool(
      {
        name: "t",
        title: "T",
        annotations: { readOnlyHint: true },
        icons: [],
        output: point,
        _meta: { k: 1 },
      },
      () => ({
        x: 1,
      }),
    );
    server.addTool({ name: "link" }, () => ({ type: "resource_link", uri: "file:///a", name: "a" }));
  };
  await using oldest = await connect("2024-11-05", setUp);
  const { tools } = await oldest.session.listTools();
  expect(Object.keys(tools[1] ?? {}).toSorted()).toEqual(["inputSchema", "name"]);
  expect(await oldest.session.callTool({ name: "link" })).toEqual({
    content: [{ type: "text", text: "a: file:///a" }],
  });
  expect(await oldest.session.callTool({ name: "t" })).not.toHaveProperty("structuredContent");
});

test.each(bothEras)(
  "a ToolError is told to the model, an RpcError answers the request, in %s (S-090, S-092)",
  async (revision) => {
    await using connected = await connect(revision, (server) => {
      server.addTool({ name: "told" }, () => {
        throw new ToolError("try another city");
      });
      server.addTool({ name: "rpc" }, async () => {
        throw new RpcError(1234, "mine", { data: { a: 1 } });
      });
    });
    const { session } = connected;
    expect(await session.callTool({ name: "told" })).toMatchObject({
      isError: true,
      content: [{ text: "try another city" }],
    });
    await expect(session.callTool({ name: "rpc" })).rejects.toSatisfy(
      (error) => isRpcError(error) && error.code === 1234 && error.message === "mine",
    );
  },
);

test("output that does not fit its schema is a failure of the tool, with the details for onError only (R-471)", async () => {
  const errors: unknown[] = [];
  await using wire = await openWire({ onError: (error) => errors.push(error) }, (server) => {
    server.addTool({ name: "bad", output: point }, () => JSON.parse('{"x":"one"}') as { x: number });
  });
  const answer = await wire.ask(request(1, "tools/call", { name: "bad", _meta: modern }));
  expect(answer).toMatchObject({ result: { isError: true } });
  expect(answer).not.toHaveProperty("result.structuredContent");
  expect(JSON.stringify(answer)).not.toContain("expected number");
  expect(errors).toMatchObject([{ message: expect.stringContaining("expected number") as string }]);
});

test.each(["", "with space", "a,b", "ü", "x".repeat(129)])(
  "the tool name %j is refused at registration (R-465)",
  (name) => {
    const server = new Server({ name: "server", version: "1.0.0" });
    expect(() => server.addTool({ name }, () => "")).toThrow(McpError);
  },
);

test("a taken name, a schema that is no object and a broken schema are refused, and the tools stay as they were", async () => {
  await using connected = await connect(modernRevision, (server) =>
    server.addTool({ name: "one" }, () => ""),
  );
  const { server, session } = connected;
  expect(() => server.addTool({ name: "one" }, () => "")).toThrow(/defined already/);
  expect(() => server.addTool({ name: "two", input: { type: "string" } }, () => "")).toThrow(/type "object"/);
  let broken: unknown;
  try {
    server.addTool(
      { name: "three", input: { type: "object", properties: { a: { type: "strnig" } } } as never },
      () => "",
    );
  } catch (error) {
    broken = error;
  }
  expect(isMcpError(broken, "INVALID_DEFINITION")).toBe(true);
  expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["one"]);
});

test("schemas go over the wire as they were written and are not modified (S-126, S-130, R-496)", async () => {
  const input = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { a: true },
    "x-mine": 1,
  } as const;
  const before = structuredClone(input);
  await using connected = await connect(modernRevision, (server) =>
    server.addTool({ name: "t", input }, () => ""),
  );
  const { tools } = await connected.session.listTools();
  expect(tools[0]?.inputSchema).toEqual(before);
  expect(input).toEqual(before);
});

test.each(bothEras)(
  "tools are iterated over pages in a stable order while some come and go, in %s (S-194)",
  async (revision) => {
    const server = new Server({ name: "server", version: "1.0.0" }, { limits: { pageSize: 7 } });
    const names = Array.from({ length: 50 }, (_, index) => `tool-${String(index).padStart(2, "0")}`);
    for (const name of names.toReversed()) {
      server.addTool({ name }, () => "");
    }
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    await using session = await new Client(
      { name: "client", version: "1.0.0" },
      { revisions: [revision] },
    ).connect(here);
    const seen: string[] = [];
    for await (const { name } of session.tools()) {
      seen.push(name);
      if (name === "tool-06") {
        server.removeTools("tool-06", "tool-20");
      }
    }
    expect(seen).toEqual(names.filter((name) => name !== "tool-20"));
  },
);

test.each(bothEras)(
  "progress arrives in order before the result, only if asked for, and never goes back, in %s (R-431, R-432)",
  async (revision) => {
    await using connected = await connect(revision, (server) => {
      server.addTool({ name: "steps" }, async (_, context) => {
        for (const value of [1, 2, 2, 1, 3]) {
          await context.progress(value, 3, `step ${value}`);
        }
        return "done";
      });
    });
    const seen: unknown[] = [];
    await connected.session.callTool(
      { name: "steps" },
      { onProgress: ({ progress }) => seen.push(progress) },
    );
    expect(seen).toEqual([1, 2, 3]);
    expect(await connected.session.callTool({ name: "steps" })).toMatchObject({
      content: [{ text: "done" }],
    });
  },
);

test.each(bothEras)(
  "an aborted call rejects with the reason at once and the handler's signal fires, in %s (S-094, S-097, S-098)",
  async (revision) => {
    let aborted: (reason: unknown) => void = () => {};
    const heard = new Promise((resolve) => (aborted = resolve));
    let started: () => void = () => {};
    const running = new Promise<void>((resolve) => (started = resolve));
    await using connected = await connect(revision, (server) => {
      server.addTool({ name: "wait" }, async (_, { signal }) => {
        started();
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        aborted(signal.reason);
        return "too late";
      });
    });
    const controller = new AbortController();
    const call = connected.session.callTool({ name: "wait" }, { signal: controller.signal });
    await running;
    const reason = new Error("changed my mind");
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(await heard).toMatchObject({ message: "changed my mind" });
    await connected.session.ping();
  },
);

test.each([Number.NaN, Infinity])(
  "output with %d, which JSON makes null of, does not fit a schema of numbers (R-471)",
  async (ratio) => {
    const errors: unknown[] = [];
    const output = {
      type: "object",
      properties: { of: { type: "array", items: { type: "number" } } },
    } as const;
    await using wire = await openWire({ onError: (error) => errors.push(error) }, (server) => {
      server.addTool({ name: "value", output }, () => ({ of: [1, ratio] }));
      server.addTool({ name: "full", output }, () => ({ content: [], structuredContent: { of: [ratio] } }));
    });
    for (const [id, name] of ["value", "full"].entries()) {
      expect(await wire.ask(request(id, "tools/call", { name, _meta: modern }))).toMatchObject({
        result: { isError: true },
      });
    }
    expect(errors).toMatchObject([
      { message: expect.stringContaining(`JSON has no ${ratio}`) as string },
      { message: expect.stringContaining(`JSON has no ${ratio}`) as string },
    ]);
  },
);
