import { Client, Server, textOf } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { describe, expect, test } from "vitest";

const info = { name: "kinds", version: "1.0.0" };

const wrongOptions: readonly (readonly [string, () => unknown, string])[] = [
  [
    "elicitation: fn",
    () => client({ elicitation: () => ({}) }),
    "elicitation takes an object with options (form,",
  ],
  ["elicitation: []", () => client({ elicitation: [] }), "got array"],
  [
    "sampling: fn",
    () => client({ sampling: () => ({}) }),
    "sampling takes an object with options (createMessage,",
  ],
  ["sampling: {}", () => client({ sampling: {} }), "sampling needs createMessage(params, request)."],
  [
    "sampling.createMessage: {}",
    () => client({ sampling: { createMessage: {} } }),
    "must be a function; got object",
  ],
  [
    "elicitation.form: {}",
    () => client({ elicitation: { form: {} } }),
    "form must be a function; got object",
  ],
  ["roots: {}", () => client({ roots: {} }), "roots must be an array, or a function"],
  ["onLog: {}", () => client({ onLog: {} }), "onLog must be a function; got object"],
  ["options of a client: fn", () => client((() => ({})) as never), "new Client takes an object"],
  ["cache: new Map()", () => client({ cache: new Map() }), "cache takes an object with options"],
  ["cache of a server: []", () => server({ cache: [] }), "cache takes an object with options"],
  ["interaction: fn", () => server({ interaction: () => ({}) }), "interaction takes an object"],
  ["logging: []", () => server({ logging: [] }), "logging takes an object"],
  ["options of a server: fn", () => server((() => ({})) as never), "new Server takes an object"],
  ["onError of a server: true", () => server({ onError: true }), "onError must be a function; got boolean"],
  ["extensions: []", () => server({ extensions: [] }), "extensions must be an object; got array"],
  ["onSubscribe: {}", () => server({ onSubscribe: {} }), "onSubscribe must be a function"],
];

function client(options: Record<string, unknown>): Client {
  return new Client(info, options);
}

function server(options: Record<string, unknown>): Server {
  return new Server(info, options);
}

test.each(wrongOptions)("%s is refused when it is given, with its shape", (_, make, message) => {
  expect(make).toThrow(message);
});

test("options made by another realm, and those without a prototype, are taken", () => {
  expect(() => server(Object.create(null) as Record<string, unknown>)).not.toThrow();
  expect(() => client({ cache: undefined, elicitation: undefined })).not.toThrow();
});

test("letters that changed places are a slip", () => {
  expect(() => client({ rotos: [] })).toThrow("Did you mean roots?");
  expect(() => server({ cahce: {} })).toThrow("Did you mean cache?");
});

test.each([
  [{ name: "a", inptu: {} }, "Did you mean input?"],
  [{ name: "a", ouput: {} }, "Did you mean output?"],
  [{ name: "a", desciption: "x" }, "Did you mean description?"],
  [
    { name: "a", annotations: { readonlyHint: true } },
    'The annotations of tool a have a property "readonlyHint". Did you mean readOnlyHint?',
  ],
])("a tool with the misspelt property of %o is refused", (definition, message) => {
  expect(() => new Server(info).addTool(definition as never, () => "")).toThrow(message);
});

test("a transport that is none is refused with an example", async () => {
  const made = new Client(info);
  await expect(made.connect("http://127.0.0.1:1/mcp" as never)).rejects.toThrow(
    "connect takes a transport; got string. Write connect(new StreamableClientTransport(url)).",
  );
  await expect(made.connect(new URL("http://127.0.0.1:1/mcp") as never)).rejects.toThrow(
    "got object. Write connect(new StreamableClientTransport(url)).",
  );
  await expect(made.connect(undefined as never)).rejects.toThrow("Write connect(new CommandTransport(");
  await expect(new Server(info).run(undefined as never)).rejects.toThrow(
    "Write connect(new StdioTransport())",
  );
});

/** Values that a handler returns, and what `onError` gets; `undefined` if they are sent. */
const results: readonly (readonly [string, unknown, string | undefined])[] = [
  [
    "a text block without text",
    { content: [{ type: "text", txt: "x" }] },
    "block 0 has the type text, which requires text",
  ],
  ["an image without mimeType", [{ type: "image", data: "x" }], "requires data and mimeType"],
  ["one bare block without text", { type: "text" }, "requires text"],
  ["a link without a name", [{ type: "resource_link", uri: "a://b" }], "requires uri and name"],
  ["an embedded resource without uri", [{ type: "resource", resource: {} }], "requires resource with uri"],
  ["a misspelt isError", { content: [], isEror: true }, 'it has a property "isEror"'],
  [
    "a misspelt structuredContent",
    { content: [], structuredContnet: {} },
    'it has a property "structuredContnet"',
  ],
  ["content that is a string", { content: "x" }, "content must be an array of blocks; got string"],
  ["a block of an unknown type", { content: [{ type: "txt" }] }, "block 0 must have one of the types text,"],
  [
    "blocks of which one is unknown",
    [{ type: "text", text: "a" }, { type: "txt" }],
    "block 1 must have one of",
  ],
  [
    "structuredContent alone",
    { structuredContent: { a: 1 } },
    "content must be an array of blocks; it is missing",
  ],
  ["isError alone", { isError: true }, "it is missing"],
  ["a Map", new Map([["a", 1]]), "JSON cannot show the content of a Map"],
  ["a Response", new Response("x"), "JSON cannot show the content of a Response"],
  ["a bigint", 1n, "result is a bigint"],
  ["a cycle", cycle(), "result.self is an object that contains itself"],
  ["a complete result", { content: [{ type: "text", text: "a" }], _meta: { a: 1 } }, undefined],
  ["a result with a member of its own", { content: [], "com.example/more": 1 }, undefined],
  ["data with types", [{ type: "circle", radius: 1 }], undefined],
  ["data", { city: "Oslo" }, undefined],
  ["a Date", new Date(0), undefined],
  ["an empty object", {}, undefined],
  ["an embedded resource", [{ type: "resource", resource: { uri: "a://b", text: "t" } }], undefined],
];

function cycle(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}

test.each<[member: string, value: unknown, kind: string]>([
  ["title", 3, "string"],
  ["title", null, "string"],
  ["description", ["a"], "string"],
  ["icons", { src: "a" }, "array"],
  ["_meta", "a", "object"],
  ["annotations", true, "object"],
])("a %s that is %j is refused for tools, prompts and resources", (member, value, kind) => {
  const made = new Server(info);
  const problem = new RegExp(`^The ${member} of the .* must be of kind ${kind}; got `);
  expect(() => made.addTool({ name: "t", [member]: value }, () => "")).toThrow(problem);
  expect(() => made.addPrompt({ name: "p", [member]: value }, () => "")).toThrow(problem);
  expect(() => made.addResource({ uri: "a://b", name: "r", [member]: value }, () => "")).toThrow(problem);
});

test("a hint of a tool that is not true or false is refused", () => {
  const annotations = { readOnlyHint: "yes" } as object;
  expect(() => new Server(info).addTool({ name: "t", annotations }, () => "")).toThrow(
    "The readOnlyHint of the tool t must be of kind boolean; got string.",
  );
});

describe.each(bothEras)("results of tools in %s", (revision) => {
  test.each(results)("%s", async (_, returned, problem) => {
    const errors: unknown[] = [];
    const made = new Server(info, { onError: (error) => errors.push(error) });
    made.addTool({ name: "t" }, () => returned as string);
    const [near, far] = createInMemoryTransports();
    await made.connect(far);
    await using session = await new Client(info, { revisions: [revision] }).connect(near);
    const result = await session.callTool({ name: "t" });
    expect(result.isError).toBe(problem === undefined ? undefined : true);
    expect(errors.map(String).join("\n")).toContain(problem ?? "");
    if (problem === undefined) {
      expect(errors).toEqual([]);
    } else {
      expect(textOf(result)).toContain("The tool failed");
    }
  });

  test.each<[string, unknown, string]>([
    [
      "a bigint in structuredContent",
      { content: [], structuredContent: { a: 1n } },
      "structuredContent.a is",
    ],
    [
      "a cycle in structuredContent",
      { content: [], structuredContent: cycle() },
      "structuredContent.self is",
    ],
    [
      "a bigint in a block",
      { content: [{ type: "text", text: "a", _meta: { b: 1n } }] },
      "content.0._meta.b is",
    ],
    ["a cycle in _meta", { content: [], _meta: cycle() }, "_meta.self"],
  ])("%s of a complete result is an error for the model", async (_, returned, place) => {
    const errors: unknown[] = [];
    const made = new Server(info, { onError: (error) => errors.push(error) });
    made.addTool({ name: "t" }, () => returned as string);
    const [near, far] = createInMemoryTransports();
    await made.connect(far);
    await using session = await new Client(info, { revisions: [revision] }).connect(near);
    const result = await session.callTool({ name: "t" });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toBe("The tool failed: its result is not valid.");
    await expect.poll(() => errors.map(String).join()).toContain(`of t was not sent: result.${place}`);
  });

  test("a Map as structured output is reported, not sent as {}", async () => {
    const errors: unknown[] = [];
    const made = new Server(info, { onError: (error) => errors.push(error) });
    made.addTool({ name: "t", output: { type: "object" } }, () => new Map() as never);
    const [near, far] = createInMemoryTransports();
    await made.connect(far);
    await using session = await new Client(info, { revisions: [revision] }).connect(near);
    expect((await session.callTool({ name: "t" })).isError).toBe(true);
    expect(String(errors[0])).toContain("Map");
  });

  test("roots may be a function, which is called for each request", async () => {
    let calls = 0;
    const made = new Server(info);
    made.addTool({ name: "t" }, async (_, ctx) => (await ctx.listRoots()).map(({ uri }) => uri).join());
    const [near, far] = createInMemoryTransports();
    await made.connect(far);
    const asked = new Client(info, {
      revisions: [revision],
      roots: async () => [{ uri: `file:///${++calls}` }],
    });
    await using session = await asked.connect(near);
    expect(textOf(await session.callTool({ name: "t" }))).toBe("file:///1");
    expect(textOf(await session.callTool({ name: "t" }))).toBe("file:///2");
  });

  test.each([{ args: {} }, { params: {} }, { argumets: {} }])(
    "a call with %o instead of arguments is refused",
    async (wrong) => {
      const made = new Server(info);
      made.addTool({ name: "t" }, () => "called");
      const [near, far] = createInMemoryTransports();
      await made.connect(far);
      await using session = await new Client(info, { revisions: [revision] }).connect(near);
      await expect(session.callTool({ name: "t", ...wrong })).rejects.toThrow(
        "callTool takes the arguments as",
      );
    },
  );
});

test("textOf joins the text blocks of a result", () => {
  const image = { type: "image", data: "", mimeType: "image/png" } as const;
  expect(textOf({ content: [{ type: "text", text: "a" }, image, { type: "text", text: "b" }] })).toBe("a\nb");
});
