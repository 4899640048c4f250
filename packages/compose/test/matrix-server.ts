import { RpcError } from "@tenon/jsonrpc2/core";
import { Server, type RequestContext } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";

/** A server whose tools do everything that a composition must pass on. */
export interface MatrixServer {
  readonly server: Server;
  /** What its tools did, in order. */
  readonly effects: string[];
}

const form = { type: "object", properties: { ok: { type: "string" } } } as const;
const input = { type: "object", properties: { tag: { type: "string" } } } as const;

/** @param revision - The only protocol version that it speaks. Default: all. */
export function matrixServer(revision?: Revision): MatrixServer {
  const effects: string[] = [];
  const server = new Server(
    { name: "behind", version: "1.0.0" },
    {
      ...(revision === undefined ? {} : { revisions: [revision] }),
      capabilities: { tools: true, prompts: true, resources: true, completions: true },
      logging: true,
      onError: () => {},
    },
  );
  const ask = async (ctx: RequestContext, message: string, key?: string): Promise<string> => {
    const answer = await ctx.elicit({ message, requestedSchema: form }, key === undefined ? {} : { key });
    return `${answer.action} ${answer.action === "accept" ? String(answer.content.ok) : ""}`;
  };
  const tool = (name: string, run: (tag: string, ctx: RequestContext) => unknown): void =>
    server.addTool({ name, input }, async ({ tag = "" }, ctx) => {
      effects.push(`run ${name} ${tag}`);
      ctx.signal.addEventListener("abort", () => effects.push(`abort ${name} ${tag}`));
      return (await run(tag, ctx)) as string;
    });
  tool("once", async (tag, ctx) => `${tag}: ${await ask(ctx, `${tag}: sure?`)}`);
  tool(
    "twice",
    async (tag, ctx) => `${await ask(ctx, `${tag}: first?`)}, ${await ask(ctx, `${tag}: second?`)}`,
  );
  tool("both", async (tag, ctx) =>
    (await Promise.all([ask(ctx, `${tag}: first?`, "a"), ask(ctx, `${tag}: second?`, "b")])).join(", "),
  );
  tool("model", async (tag, ctx) => {
    const messages = [{ role: "user", content: { type: "text", text: tag } }] as const;
    const { content } = await ctx.sample({ messages: [...messages], maxTokens: 10 });
    const [block] = [content].flat();
    return block?.type === "text" ? block.text : "";
  });
  tool("roots", async (_, ctx) => (await ctx.listRoots()).map(({ uri }) => uri).join());
  tool("step", async (tag, ctx) => {
    await ctx.step("charge", () => effects.push(`charge ${tag}`));
    return ask(ctx, `${tag}: sure?`);
  });
  tool("work", async (_, ctx) => {
    await ctx.progress(1, 2, "begun");
    return new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve("aborted")));
  });
  tool("grow", () => {
    server.addTool({ name: `new-${effects.length}` }, () => "new");
    return "grown";
  });
  tool("touch", () => {
    server.resourceUpdated("notes://1");
    return "touched";
  });
  tool("logs", async (tag, ctx) => {
    await ctx.log("warning", `${tag} high`, "behind");
    await ctx.log("debug", `${tag} low`);
    return "logged";
  });
  tool("meta", (_, ctx) => JSON.stringify(ctx.meta["traceparent"] ?? null));
  tool("link", () => ({ type: "resource_link", uri: "notes://1", name: "one" }));
  tool("fails", () => {
    throw new RpcError(-32_042, "Pages first.", { data: { more: 1 } });
  });
  server.addTool(
    {
      name: "typed",
      input,
      output: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      annotations: { readOnlyHint: true },
      icons: [{ src: "https://example.com/icon.png" }],
      _meta: { "example.com/x": 1 },
    },
    () => ({ n: 7 }),
  );
  server.addResource({ uri: "notes://1", name: "one" }, () => "text");
  server.addResourceTemplate(
    { uriTemplate: "lines://{id}", name: "line", complete: { id: (value) => [`${value}1`] } },
    ({ variables }) => `line ${variables.id}`,
  );
  server.addPrompt(
    { name: "greet", arguments: [{ name: "name" }], complete: { name: (value) => [`${value}da`] } },
    async ({ name }, ctx) => (name === "?" ? ask(ctx, "who?") : `Hello, ${String(name)}`),
  );
  return { server, effects };
}
