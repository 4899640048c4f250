import { compose, tagsKey, type ComposeOptions, type ComposedSource } from "@tenon/compose";
import { Client, inputRequired, Server, type ClientSession } from "@tenon/mcp";
import { bothEras, deferred } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

const input = {
  type: "object",
  properties: { repo: { type: "string" }, title: { type: "string" }, token: { type: "string" } },
  required: ["repo", "title", "token"],
} as const;

function issues(): Server {
  const server = new Server({ name: "issues", version: "1.0.0" }, { onError: () => {} });
  server.addTool(
    {
      name: "create_issue",
      description: "Creates an issue",
      input,
      output: { type: "object", properties: { items: { type: "array", items: { type: "string" } } } },
      annotations: { destructiveHint: false, openWorldHint: true },
    },
    (args) => ({ items: [JSON.stringify(args)] }),
  );
  server.addTool({ name: "delete_repo" }, () => "deleted");
  return server;
}

async function connect(
  sources: Readonly<Record<string, ComposedSource>>,
  options: ComposeOptions = {},
): Promise<ClientSession> {
  const server = compose(sources, { onError: () => {}, ...options });
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await new Client({ name: "test", version: "1.0.0" }, { cache: false }).connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await server.close({ drainMs: 0 });
  });
  return session;
}

async function names(session: ClientSession): Promise<readonly string[]> {
  return (await session.listTools()).tools.map(({ name }) => name);
}

test("transforms rename, describe, tag, fix and rename arguments, cut the output, and keep the rest", async () => {
  const session = await connect(
    { gh: issues() },
    {
      transforms: [
        { tool: "create_*", tags: ["write"], annotations: { openWorldHint: true } },
        {
          tag: "write",
          name: "new_issue",
          title: "New issue",
          description: "Reports a bug",
          arguments: { token: { value: "secret" }, title: { name: "subject", description: "One line" } },
          output: "/items",
        },
        (tool) => (tool.name.startsWith("delete") ? { hide: true } : undefined),
      ],
    },
  );
  const { tools } = await session.listTools();
  expect(tools).toEqual([
    expect.objectContaining({
      name: "new_issue",
      title: "New issue",
      description: "Reports a bug",
      annotations: { destructiveHint: false, openWorldHint: true },
      outputSchema: { type: "array", items: { type: "string" } },
      _meta: { [tagsKey]: ["write"] },
    }),
  ]);
  expect(tools[0]?.inputSchema).toMatchObject({
    properties: { repo: { type: "string" }, subject: { type: "string", description: "One line" } },
    required: ["repo", "subject"],
  });
  expect(Object.keys(tools[0]?.inputSchema.properties ?? {})).not.toContain("token");
  const { structuredContent } = await session.callTool({
    name: "new_issue",
    arguments: { repo: "a", subject: "b", token: "of the client" },
  });
  expect(structuredContent).toEqual(['{"repo":"a","title":"b","token":"secret"}']);
  const hidden = session.callTool({ name: "mcp__gh__delete_repo" });
  await expect(hidden).rejects.toMatchObject({ code: -32_602 });
});

test("a tool is hidden if its transform fails, and a taken name leaves the qualified name; both are reported", async () => {
  const errors: string[] = [];
  const session = await connect(
    { one: issues(), two: issues() },
    {
      transforms: [
        { tool: "create_issue", name: "create" },
        (tool, source) => {
          if (source === "two" && tool.name === "delete_repo") {
            throw new Error("cannot decide");
          }
          return undefined;
        },
      ],
      onError: (error, source) => errors.push(`${source}: ${(error as Error).message}`),
    },
  );
  expect(await names(session)).toEqual(["create", "mcp__one__delete_repo", "mcp__two__create_issue"]);
  expect(errors).toEqual([
    "two: create_issue of two is not renamed to create: another tool has that name.",
    "two: delete_repo of two is hidden: cannot decide",
  ]);
});

test("names of the sources are kept on request, as long as they differ", async () => {
  const two = new Server({ name: "two", version: "1.0.0" });
  two.addTool({ name: "other" }, () => "other");
  two.addTool({ name: "delete_repo" }, () => "of two");
  const session = await connect({ one: issues(), two }, { names: "own" });
  expect(await names(session)).toEqual(["create_issue", "delete_repo", "mcp__two__delete_repo", "other"]);
  const { content } = await session.callTool({ name: "mcp__two__delete_repo" });
  expect(content).toEqual([{ type: "text", text: "of two" }]);
});

/** A source that is down until `up` is called. */
function failing(): { readonly source: ComposedSource; up(): void } {
  const server = issues();
  let isUp = false;
  return {
    up: () => {
      isUp = true;
    },
    source: async () => {
      if (!isUp) {
        throw new Error("connection refused");
      }
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return here;
    },
  };
}

test("a source that is down harms no other, is reported, and comes back by itself", async () => {
  const errors: string[] = [];
  const { source, up } = failing();
  const server = compose(
    { down: source, up: issues() },
    { onError: (error, name) => errors.push(`${name}: ${(error as Error).message}`) },
  );
  const changed = deferred();
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { cache: false, onToolsChanged: () => changed.resolve() },
  );
  const session = await client.connect(here);
  onTestFinished(async () => {
    await session.close({ drainMs: 0 });
    await server.close({ drainMs: 0 });
  });
  expect(await names(session)).toEqual(["mcp__up__create_issue", "mcp__up__delete_repo"]);
  expect(errors[0]).toContain("connection refused");
  up();
  await changed.promise;
  expect(await names(session)).toContain("mcp__down__delete_repo");
});

test("a slow source delays a list only for a while, and its list is announced when it comes", async () => {
  const gate = deferred();
  const slow = {
    createServer: async () => {
      await gate.promise;
      return issues();
    },
  };
  const changed = deferred();
  const server = compose({ slow, up: issues() }, { limits: { listTimeoutMs: 1 } });
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { cache: false, onToolsChanged: () => changed.resolve() },
  );
  const session = await client.connect(here);
  onTestFinished(() => session.close({ drainMs: 0 }));
  expect(await names(session)).toEqual(["mcp__up__create_issue", "mcp__up__delete_repo"]);
  gate.resolve();
  await changed.promise;
  await expect.poll(() => names(session)).toContain("mcp__slow__delete_repo");
});

test("a list has pages, and a cursor survives a change of the list", async () => {
  const server = new Server({ name: "many", version: "1.0.0" });
  ["a", "b", "c", "d"].forEach((name) => server.addTool({ name }, () => name));
  const session = await connect({ x: server, y: issues() }, { limits: { pageSize: 2 } });
  const first = await session.listTools();
  expect(first.tools.map(({ name }) => name)).toEqual(["mcp__x__a", "mcp__x__b"]);
  server.removeTools("a");
  const second = await session.listTools({ cursor: first.nextCursor ?? "" });
  expect(second.tools.map(({ name }) => name)).toEqual(["mcp__x__c", "mcp__x__d"]);
  await expect(session.listTools({ cursor: "unknown" })).rejects.toMatchObject({ code: -32_602 });
});

test("the pages of a list end, and have every item, if sources list the same URL", async () => {
  const listing = (...paths: readonly string[]): Server => {
    const server = new Server({ name: "pages", version: "1.0.0" });
    for (const path of paths) {
      server.addResource({ uri: `https://example.com/${path}`, name: path }, () => path);
    }
    return server;
  };
  const sources = { one: listing("a", "b"), two: listing("a", "c") };
  const session = await connect(sources, { limits: { pageSize: 1 } });
  const listed: string[] = [];
  for await (const { name } of session.resources()) {
    listed.push(name);
  }
  expect(listed).toEqual(["a", "b", "a", "c"]);
});

test("one caller cannot use up the share of another", async () => {
  const gate = deferred();
  const slow = new Server({ name: "slow", version: "1.0.0" });
  slow.addTool({ name: "wait" }, () => gate.promise.then(() => "waited"));
  slow.addTool({ name: "ping" }, () => "pong");
  const server = compose({ slow, up: issues() }, { limits: { maxInFlight: 1, maxWaiting: 1 } });
  const [ann, bob] = await Promise.all(
    ["ann", "bob"].map(async (name) => {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return new Client({ name, version: "1.0.0" }).connect(here);
    }),
  );
  await ann?.listTools();
  const running = [1, 2].map(() => ann?.callTool({ name: "mcp__slow__wait" }));
  const full = ann?.callTool({ name: "mcp__slow__ping" });
  await expect(full).rejects.toMatchObject({ code: -32_603, data: { delivered: "no" } });
  const result = await bob?.callTool({ name: "mcp__slow__ping" });
  expect(result?.content).toEqual([{ type: "text", text: "pong" }]);
  gate.resolve();
  expect(await Promise.all(running.map(async (call) => call))).toHaveLength(2);
  await server.close({ drainMs: 0 });
});

test.each(bothEras)(
  "an explicit request for input of a mounted server is sealed by the composition (%s)",
  async (revision) => {
    const inner = new Server({ name: "inner", version: "1.0.0" });
    inner.addTool({ name: "ask" }, (_, ctx) =>
      ctx.requestState === undefined
        ? inputRequired({
            inputRequests: {
              who: {
                method: "elicitation/create",
                params: {
                  mode: "form",
                  message: "who?",
                  requestedSchema: { type: "object", properties: {} },
                },
              },
            },
            requestState: { asked: 1 },
          })
        : `state ${JSON.stringify(ctx.requestState)}`,
    );
    const server = compose({ inner, other: issues() });
    const [here, there] = createInMemoryTransports();
    await server.connect(there);
    const session = await new Client(
      { name: "test", version: "1.0.0" },
      { revisions: [revision], elicitation: { form: () => ({ action: "accept", content: {} }) } },
    ).connect(here);
    const { content } = await session.callTool({ name: "mcp__inner__ask" });
    expect(content).toEqual([{ type: "text", text: 'state {"asked":1}' }]);
    await session.close({ drainMs: 0 });
  },
);

test("what is no source is refused by name", () => {
  expect(() => compose({ bad: {} as never })).toThrow("The source bad must be");
});

test("a composition that searches offers three tools, and shows nobody what he may not see", async () => {
  const session = await connect(
    { gh: issues() },
    { search: true, maySee: (_, name) => !name.includes("delete") },
  );
  expect(await names(session)).toEqual(["search_tools", "describe_tool", "call_tool"]);
  const call = async (name: string, args: Readonly<Record<string, unknown>>): Promise<string> =>
    JSON.stringify((await session.callTool({ name, arguments: args })).content);
  expect(await call("search_tools", { query: "create an issue" })).toContain("mcp__gh__create_issue");
  expect(await call("search_tools", { query: "delete repo" })).not.toContain("delete_repo");
  expect(await call("describe_tool", { name: "mcp__gh__create_issue" })).toContain("inputSchema");
  expect(await call("describe_tool", { name: "mcp__gh__delete_repo" })).toContain("No tool is named");
  const args = { repo: "a", title: "b", token: "c" };
  expect(await call("call_tool", { name: "mcp__gh__create_issue", arguments: args })).toContain("repo");
  const hidden = session.callTool({ name: "call_tool", arguments: { name: "mcp__gh__delete_repo" } });
  await expect(hidden).rejects.toMatchObject({ code: -32_602 });
  const direct = session.callTool({ name: "mcp__gh__delete_repo" });
  await expect(direct).rejects.toMatchObject({ code: -32_602 });
});

test("prompts and resources are offered as tools on request", async () => {
  const notes = new Server({ name: "notes", version: "1.0.0" });
  notes.addResource({ uri: "notes://1", name: "one" }, () => "text");
  notes.addPrompt({ name: "greet", arguments: [{ name: "name" }] }, ({ name }) => `Hello, ${String(name)}`);
  const session = await connect({ notes, gh: issues() }, { asTools: ["prompts", "resources"] });
  const call = async (name: string, args: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    JSON.stringify((await session.callTool({ name, arguments: args })).content);
  expect(await call("list_resources")).toContain("notes://notes/1");
  expect(await call("read_resource", { uri: "notes://notes/1" })).toContain('"text":"text"');
  expect(await call("list_prompts")).toContain("mcp__notes__greet");
  expect(await call("get_prompt", { name: "mcp__notes__greet", arguments: { name: "Bo" } })).toContain(
    "Hello, Bo",
  );
});

test("the name that a source gets is a string, whatever the client sent", async () => {
  const session = await connect({ gh: issues() }, { names: "own" });
  const call = (name: unknown): Promise<unknown> =>
    session.request("tools/call", { name, arguments: {} } as never);
  await session.listTools();
  expect(await call(["delete_repo"])).toEqual(await call("delete_repo"));
});
