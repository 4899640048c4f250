import { randomUUID } from "node:crypto";

import { RpcError } from "@tenon/jsonrpc2";
import { For, number, object, string } from "@tenon/jsonschema";
import {
  Client,
  displayName,
  receivingMethod,
  text,
  textResource,
  ToolError,
  toolHints,
  Server,
} from "@tenon/mcp";
import { eraOf, type CallToolResult } from "@tenon/protocol";
import { bothEras, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

import { converse, everyRevision, resultOf } from "./conversation.ts";
import { connectPair, textOf } from "./pair.ts";
import { openServerWire } from "./server-wire.ts";

test("the name to show is the title, else the title among the annotations, else the name (R-467)", () => {
  const annotations = { title: "By annotation" };
  expect(displayName({ name: "n", title: "By title", annotations })).toBe("By title");
  expect(displayName({ name: "n", annotations })).toBe("By annotation");
  expect(displayName({ name: "n", annotations: {} })).toBe("n");
  expect(displayName({ name: "n" })).toBe("n");
});

test("hints that a tool does not give have the careful defaults (R-468)", () => {
  const careful = {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  };
  expect(toolHints({})).toEqual(careful);
  expect(toolHints({ annotations: { title: "t", readOnlyHint: true, openWorldHint: false } })).toEqual({
    ...careful,
    readOnlyHint: true,
    openWorldHint: false,
  });
});

test.each(bothEras)(
  "annotations change nothing about how a tool is called, in %s (R-468)",
  async (revision) => {
    let calls = 0;
    await using pair = await connectPair({ revision }, (server) => {
      for (const [name, destructiveHint] of [
        ["wipes", true],
        ["lies", false],
      ] as const) {
        server.addTool(
          { name, annotations: { destructiveHint, readOnlyHint: !destructiveHint } },
          () => `${++calls}`,
        );
      }
    });
    expect(textOf(await pair.session.callTool({ name: "wipes" }))).toBe("1");
    expect(textOf(await pair.session.callTool({ name: "lies" }))).toBe("2");
  },
);

const full = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: { id: { type: "string", pattern: "^[a-z]+$" } },
  properties: { id: { $ref: "#/$defs/id" } },
  if: { required: ["id"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { minProperties: 1 },
  unevaluatedProperties: false,
} as const;

test.each(everyRevision)(
  "an inputSchema is always an object of type object, and every keyword goes out as it was written, in %s (R-469, R-470, R-496, S-129)",
  async (revision) => {
    await using it = await converse(revision, (server) => {
      server.addTool({ name: "full", inputSchema: full }, () => "");
      server.addTool({ name: "none" }, () => "");
      server.addTool({ name: "list", output: { type: "array", items: { type: "string" } } }, () => ["a"]);
    });
    const tools = resultOf(await it.call("tools/list"))["tools"] as Record<string, unknown>[];
    const byName = new Map(tools.map((tool) => [tool["name"], tool]));
    expect(byName.get("full")?.["inputSchema"]).toEqual(full);
    expect(byName.get("none")?.["inputSchema"]).toEqual({ type: "object", additionalProperties: false });
    expect(byName.get("none")).not.toHaveProperty("outputSchema");
    expect(byName.get("list")?.["outputSchema"]).toEqual(
      eraOf(revision) === "modern" ? { type: "array", items: { type: "string" } } : undefined,
    );
    expect(await it.call("tools/call", { name: "full", arguments: { id: "a" } })).toHaveProperty("result");
  },
);

test.each([null, [], "object", { type: "array" }, { type: ["object", "null"] }, {}])(
  "the input schema %j is refused when the tool is added (R-469)",
  async (inputSchema) => {
    const add = (server: Server): void => {
      expect(() => server.addTool({ name: "t", inputSchema: inputSchema as never }, () => "")).toThrow(
        expect.objectContaining({ code: "INVALID_DEFINITION" }),
      );
    };
    await using _ = await converse(modernRevision, add);
  },
);

test.each(bothEras)(
  "a raw handler gets the arguments as they came, and its full result goes out as it is, in %s (S-124)",
  async (revision) => {
    const seen: unknown[] = [];
    const result: CallToolResult = {
      content: [{ type: "image", data: "AA==", mimeType: "image/png" }, text("seen")],
      isError: true,
      _meta: { "com.example/cost": 3 },
    };
    await using pair = await connectPair({ revision }, (server) => {
      server.addTool({ name: "raw", inputSchema: { type: "object" } }, (args, { meta }) => {
        seen.push(args, meta["com.example/who"]);
        return result;
      });
    });
    const args = { a: [null, { b: 1.5 }], "": "empty", "__proto__ ": 1 };
    const answer = await pair.session.callTool({
      name: "raw",
      arguments: args,
      _meta: { "com.example/who": "me" },
    });
    expect(seen).toEqual([args, "me"]);
    expect(answer).toMatchObject(result);
  },
);

test.each(bothEras)(
  "what is embedded or linked in a result can be read, whether it is listed or not, in %s (R-475, S-054)",
  async (revision) => {
    await using pair = await connectPair({ revision }, (server) => {
      server.addResourceTemplate({ uriTemplate: "report://{id}", name: "report" }, ({ uri }) =>
        textResource(uri, "# Report", "text/markdown"),
      );
      server.addTool({ name: "report" }, () => [
        { type: "resource", resource: textResource("report://1", "# Report", "text/markdown") },
        { type: "resource_link", uri: "report://2", name: "the second" },
      ]);
    });
    const { session } = pair;
    expect(session.serverCapabilities.resources).toBeDefined();
    const { content } = await session.callTool({ name: "report" });
    expect(content).toMatchObject([
      { resource: { uri: "report://1", text: "# Report" } },
      { uri: "report://2" },
    ]);
    expect((await session.listResources()).resources).toEqual([]);
    for (const uri of ["report://1", "report://2"]) {
      expect((await session.readResource({ uri })).contents).toEqual([
        { uri, mimeType: "text/markdown", text: "# Report" },
      ]);
    }
  },
);

test.each(bothEras)(
  "what a tool says about its failure reaches the caller to be shown to the model, a protocol error is thrown, in %s (R-478)",
  async (revision) => {
    await using pair = await connectPair({ revision }, (server) => {
      server.addTool({ name: "fails" }, () => {
        throw new ToolError("The date is in the past; give one after today.");
      });
      server.addTool({ name: "refuses" }, () => {
        throw new RpcError(1001, "No such account");
      });
    });
    const failed = await pair.session.callTool({ name: "fails" });
    expect(failed).toMatchObject({ isError: true });
    expect(textOf(failed)).toBe("The date is in the past; give one after today.");
    await expect(pair.session.callTool({ name: "refuses" })).rejects.toMatchObject({ code: 1001 });
    await expect(pair.session.callTool({ name: "none" })).rejects.toMatchObject({ code: -32_602 });
  },
);

test.each(bothEras)(
  "a tool is guarded on four sides: input checked, access and rate by middleware, output checked, in %s (R-479)",
  async (revision) => {
    let runs = 0;
    let left = 3;
    await using pair = await connectPair({ revision }, (server) => {
      const input = {
        type: "object",
        properties: { n: { type: "integer", maximum: 9 } },
        required: ["n"],
      } as const;
      server.addTool({ name: "guarded", input, output: { type: "integer", maximum: 5 } }, ({ n }) => {
        runs++;
        return n;
      });
      server.addReceivingMiddleware(
        receivingMethod("tools/call", (request, next) => {
          if (request.meta["com.example/user"] !== "admin") {
            throw new RpcError(403, "Not for you");
          }
          if (left-- === 0) {
            throw new RpcError(429, "Slow down");
          }
          return next(request);
        }),
      );
    });
    const call = (n: number, user = "admin"): Promise<CallToolResult> =>
      pair.session.callTool({ name: "guarded", arguments: { n }, _meta: { "com.example/user": user } });
    await expect(call(1, "guest")).rejects.toMatchObject({ code: 403 });
    expect(await call(10)).toMatchObject({ isError: true });
    expect(runs).toBe(0);
    const unfit = await call(7);
    expect(unfit).toMatchObject({ isError: true });
    expect(textOf(unfit)).not.toContain("7");
    expect((await call(2)).content).toEqual([text("2")]);
    await expect(call(2)).rejects.toMatchObject({ code: 429 });
  },
);

/** A basket that lives across calls: one tool makes a handle, others take it. */
function addBaskets(server: Server): void {
  const baskets = new Map<string, { readonly owner: unknown; readonly items: string[] }>();
  const basket = {
    type: "object",
    properties: { basket: { type: "string" }, item: { type: "string" } },
    required: ["basket", "item"],
  } as const;
  server.addTool({ name: "open" }, (_, { meta }) => {
    const handle = randomUUID();
    baskets.set(handle, { owner: meta["com.example/user"], items: [] });
    return handle;
  });
  server.addTool({ name: "put", input: basket }, ({ basket: handle, item }, { meta }) => {
    const found = baskets.get(handle);
    if (found === undefined || found.owner !== meta["com.example/user"]) {
      throw new ToolError("There is no such basket; open one first.");
    }
    found.items.push(item);
    return found.items.join();
  });
}

test.each(bothEras)(
  "state across calls is named by a handle that one tool makes and others take, on any connection, in %s (R-150, R-482)",
  async (revision) => {
    let shared: Server | undefined;
    await using first = await connectPair({ revision }, (server) => {
      shared = server;
      addBaskets(server);
    });
    const call = async (name: string, user: string, args = {}): Promise<CallToolResult> =>
      first.session.callTool({ name, arguments: args, _meta: { "com.example/user": user } });
    const ada = textOf(await call("open", "ada"));
    const bob = textOf(await call("open", "bob"));
    expect(textOf(await call("put", "ada", { basket: ada, item: "oak" }))).toBe("oak");
    expect(textOf(await call("put", "bob", { basket: bob, item: "ash" }))).toBe("ash");
    expect(textOf(await call("put", "ada", { basket: ada, item: "elm" }))).toBe("oak,elm");
    for (const [user, basket] of [
      ["bob", ada],
      ["ada", "made-up"],
      ["ada", ""],
    ] as const) {
      const refused = await call("put", user, { basket, item: "x" });
      expect(refused).toMatchObject({ isError: true });
      expect(textOf(refused)).toBe("There is no such basket; open one first.");
    }
    expect([...(shared?.sessions() ?? [])]).toHaveLength(1);
  },
);

class Box {
  @string("What is in it") label!: string;
  @object(
    "Its size",
    class {
      @number("In metres") width!: number;
    },
  )
  size!: { width: number };
}

test.each(bothEras)(
  "a schema is written by hand, or inferred and refined deep inside, in %s (S-140, S-141)",
  async (revision) => {
    const inferred = For(Box);
    const byHand = {
      type: "object",
      properties: {
        label: { type: "string" },
        size: { type: "object", properties: { width: { type: "number" } } },
      },
      required: ["label"],
    } as const;
    const size = {
      ...byHand.properties.size,
      properties: { width: { type: "number", description: "In feet", maximum: 3 } },
    } as const;
    const refined = { ...inferred, properties: { ...inferred.properties, size } } as typeof inferred;
    await using pair = await connectPair({ revision }, (server) => {
      server.addTool({ name: "by_hand", input: byHand }, ({ label }) => label);
      server.addTool(
        { name: "refined", input: Box, inputSchema: refined },
        ({ label, size: { width } }) => `${label} ${width}`,
      );
    });
    const { tools } = await pair.session.listTools();
    expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([byHand, refined]);
    const call = (width: number): Promise<CallToolResult> =>
      pair.session.callTool({ name: "refined", arguments: { label: "tools", size: { width } } });
    expect(textOf(await call(2))).toBe("tools 2");
    expect(await call(4)).toMatchObject({ isError: true });
  },
);

test.each(bothEras)(
  "a client lists and calls tools whose names this server would refuse, in %s (R-465)",
  async (revision) => {
    await using wire = await openServerWire(revision);
    const names = ["with space", "a,b", "ü", "x".repeat(200), "Add", "add"];
    const listing = wire.session.listTools();
    await wire.answer({ tools: names.map((name) => ({ name, inputSchema: { type: "object" } })) });
    expect((await listing).tools.map(({ name }) => name)).toEqual(names);
    for (const name of names) {
      const calling = wire.session.callTool({ name });
      expect((await wire.answer({ content: [] })).params).toMatchObject({ name });
      await calling;
    }
  },
);

test.each(everyRevision)(
  "icons go along where revision %s has them: with the server, tools, prompts, resources and templates (R-500)",
  async (revision) => {
    const icons = [
      {
        src: "https://example.com/i.png",
        mimeType: "image/png",
        sizes: ["48x48", "any"],
        theme: "dark" as const,
      },
      { src: "data:image/png;base64,AA==" },
    ];
    const server = new Server({ name: "s", version: "1", icons });
    server.addTool({ name: "t", icons }, () => "");
    server.addPrompt({ name: "p", icons }, () => "");
    server.addResource({ uri: "memo://1", name: "r", icons }, () => "");
    server.addResourceTemplate({ uriTemplate: "memo://{id}/t", name: "rt", icons }, () => "");
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const client = new Client({ name: "c", version: "1" }, { revisions: [revision] });
    await using session = await client.connect(here);
    const seen = [
      session.serverInfo?.icons,
      (await session.listTools()).tools[0]?.icons,
      (await session.listPrompts()).prompts[0]?.icons,
      (await session.listResources()).resources[0]?.icons,
      (await session.listResourceTemplates()).resourceTemplates[0]?.icons,
    ];
    const expected = revision >= "2025-11-25" ? icons : undefined;
    expect(seen).toEqual([expected, expected, expected, expected, expected]);
  },
);
