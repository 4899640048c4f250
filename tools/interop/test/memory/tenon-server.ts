import { accepted, RpcError, Server, ToolError } from "@tenon/sdk/server";

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;

/** A server of ours with one of everything. Resolves `cancelled` when a call of `hang` is. */
export function tenonServer(): {
  readonly server: Server;
  readonly cancelled: Promise<unknown>;
  readonly hanging: Promise<void>;
} {
  let resolveCancelled: (reason: unknown) => void = () => {};
  const cancelled = new Promise<unknown>((resolve) => {
    resolveCancelled = resolve;
  });
  let resolveHanging: () => void = () => {};
  const hanging = new Promise<void>((resolve) => {
    resolveHanging = resolve;
  });
  const server = new Server(
    { name: "tenon", version: "1.0.0" },
    { logging: true, limits: { pageSize: 2, listChangedDelayMs: 0 } },
  );
  server.addTool({ name: "greet", input: form }, ({ name }) => `Hello ${name}`);
  server.addTool(
    { name: "point", output: { type: "object", properties: { x: { type: "number" } } } },
    () => ({ x: 1 }),
  );
  server.addTool({ name: "fail" }, () => {
    throw new ToolError("not today");
  });
  server.addTool({ name: "refuse" }, () => {
    throw new RpcError(1001, "No such account", { data: { account: 7 } });
  });
  server.addTool({ name: "steps" }, async (_, ctx) => {
    await ctx.progress(1, 2, "half");
    await ctx.progress(2, 2);
    return "done";
  });
  server.addTool({ name: "hang" }, async (_, { signal }) => {
    resolveHanging();
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
    resolveCancelled(signal.reason);
    return "";
  });
  server.addTool({ name: "log" }, async (_, ctx) => {
    await ctx.log("debug", "too low");
    await ctx.log("warning", { msg: "careful" });
    return "";
  });
  server.addTool(
    { name: "form" },
    async (_, ctx) => accepted(await ctx.elicit({ message: "Who?", requestedSchema: form })).name,
  );
  server.addTool(
    { name: "page" },
    async (_, ctx) =>
      (await ctx.elicit({ mode: "url", message: "In", url: "https://example.com/in" })).action,
  );
  server.addTool({ name: "sample" }, async (_, ctx) => {
    const { content } = await ctx.sample({
      maxTokens: 5,
      messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
    });
    return "text" in content ? content.text : "";
  });
  server.addTool({ name: "roots" }, async (_, ctx) => (await ctx.listRoots()).map(({ uri }) => uri).join());
  for (const name of ["one", "two", "three"]) {
    server.addResource({ uri: `memo://${name}`, name }, () => name);
  }
  server.addResourceTemplate(
    { uriTemplate: "greet://{name}", name: "greet", complete: { name: ["Ada", "Alan", "Grace"] } },
    ({ variables }) => `Hello ${variables.name}`,
  );
  server.addPrompt(
    {
      name: "review",
      arguments: [{ name: "code", required: true }, { name: "lang" }],
      complete: { lang: ["ts", "go"] },
    },
    ({ code }) => `Review ${code}`,
  );
  return { server, cancelled, hanging };
}
