// The server behind the proxies of the matrix. It is JavaScript, because programs of its own run it
// with the built packages.
import { apps, hasApps } from "@tenon/apps/server";
import { RpcError } from "@tenon/jsonrpc2/core";
import { Server } from "@tenon/mcp";
import { createSkillCatalog, skills } from "@tenon/skills/server";
import { createTaskEngine } from "@tenon/tasks";
import { tasks } from "@tenon/tasks/server";

const form = /** @type {const} */ ({ type: "object", properties: { ok: { type: "string" } } });
const input = /** @type {const} */ ({ type: "object", properties: { tag: { type: "string" } } });
const manifest = "---\nname: pdf\ndescription: Fills forms.\n---\nRead references/forms.md.\n";

/** @type {typeof import("./server.d.mts").matrixServer} */
export async function matrixServer(effect, revision) {
  const server = new Server(
    { name: "behind", version: "1.0.0" },
    {
      ...(revision === undefined ? {} : { revisions: [revision] }),
      capabilities: { tools: true, prompts: true, resources: true, completions: true },
      cache: { methods: { "tools/list": { ttlMs: 30_000 } } },
      logging: true,
      onError: () => {},
    },
  );
  const engine = createTaskEngine({ onError: () => {} });
  server.use(
    tasks({ engine }),
    apps({ views: [{ uri: "ui://behind/chart", html: "<!doctype html><title>Chart</title>" }] }),
    skills(
      await createSkillCatalog([
        { path: "acme/pdf", files: { "SKILL.md": manifest, "references/forms.md": "# Forms" } },
      ]),
    ),
  );
  /** @param {import("@tenon/mcp").RequestContext} ctx @param {string} message @param {string} [key] */
  const ask = async (ctx, message, key) => {
    const answer = await ctx.elicit({ message, requestedSchema: form }, key === undefined ? {} : { key });
    return `${answer.action} ${answer.action === "accept" ? String(answer.content.ok) : ""}`;
  };
  /**
   * @param {string} name
   * @param {(tag: string, ctx: import("@tenon/mcp").RequestContext) => unknown} run
   * @param {object} [definition]
   */
  const tool = (name, run, definition = {}) =>
    server.addTool({ name, input, ...definition }, async ({ tag = "" }, ctx) => {
      effect(`run ${name} ${tag}`);
      ctx.signal.addEventListener("abort", () => effect(`abort ${name} ${tag}`));
      try {
        return /** @type {string} */ (await run(tag, ctx));
      } finally {
        effect(`end ${name} ${tag}`);
      }
    });
  tool("once", async (tag, ctx) => {
    effect(`asking ${tag} ${globalThis.process.pid}`);
    return `${tag}: ${await ask(ctx, `${tag}: sure?`)}`;
  });
  tool(
    "twice",
    async (tag, ctx) => `${await ask(ctx, `${tag}: first?`)}, ${await ask(ctx, `${tag}: second?`)}`,
  );
  tool("both", async (tag, ctx) =>
    (await Promise.all([ask(ctx, `${tag}: first?`, "a"), ask(ctx, `${tag}: second?`, "b")])).join(", "),
  );
  tool("model", async (tag, ctx) => {
    const { content } = await ctx.sample({
      messages: [{ role: "user", content: { type: "text", text: tag } }],
      maxTokens: 10,
    });
    const [block] = [content].flat();
    return block?.type === "text" ? block.text : "";
  });
  tool("roots", async (_, ctx) => (await ctx.listRoots()).map(({ uri }) => uri).join());
  tool("step", async (tag, ctx) => {
    await ctx.step("charge", () => {
      effect(`charge ${tag}`);
      return 1;
    });
    return ask(ctx, `${tag}: sure?`);
  });
  tool("work", async (_, ctx) => {
    await ctx.progress(1, 2, "begun");
    return untilAborted(ctx.signal);
  });
  let count = 0;
  tool("grow", () => {
    server.addTool({ name: `new-${++count}` }, () => "new");
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
  tool(
    "report",
    async (tag, ctx) => {
      await ctx.step("collect", () => {
        effect(`collect ${tag}`);
        return 1;
      });
      return `${tag}: ${await ask(ctx, `${tag}: send?`)}`;
    },
    { task: "required" },
  );
  tool("wait", (_, ctx) => untilAborted(ctx.signal), { task: "optional" });
  tool("forecast", (_, ctx) => (hasApps(ctx) ? "The chart shows sun" : "Sunny"), {
    ui: "ui://behind/chart",
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
  server.addResource(
    { uri: "notes://1", name: "one", cache: { ttlMs: 60_000, cacheScope: "public" } },
    () => "text",
  );
  server.addResourceTemplate(
    { uriTemplate: "lines://{id}", name: "line", complete: { id: (value) => [`${value}1`] } },
    ({ variables }) => `line ${variables.id}`,
  );
  server.addPrompt(
    { name: "greet", arguments: [{ name: "name" }], complete: { name: (value) => [`${value}da`] } },
    async ({ name }, ctx) => (name === "?" ? ask(ctx, "who?") : `Hello, ${String(name)}`),
  );
  return { server, [Symbol.asyncDispose]: () => engine.close() };
}

/** @param {AbortSignal} signal */
function untilAborted(signal) {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}
