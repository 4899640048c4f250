import { Server } from "@tenon/mcp";

/** A server whose tools need the client: a model, folders, a resource and a list that change. */
export function askingServer(): Server {
  const server = new Server({ name: "asking", version: "1.0.0" });
  let text = "first";
  server.addTool({ name: "translate" }, async (_, ctx) => {
    const { content } = await ctx.sample({
      maxTokens: 100,
      messages: [{ role: "user", content: { type: "text", text: "Say hello in Norwegian." } }],
    });
    const [block] = Array.isArray(content) ? content : [content];
    return `translated: ${block?.type === "text" ? block.text : "nothing"}`;
  });
  server.addTool({ name: "folders" }, async (_, ctx) => {
    const roots = await ctx.listRoots();
    return `folders: ${roots.map(({ uri }) => uri).join(", ")}`;
  });
  server.addTool(
    { name: "edit", input: { type: "object", properties: { text: { type: "string" } } } as const },
    (args) => {
      text = args.text ?? "";
      server.resourceUpdated("notes://1");
      return "edited";
    },
  );
  let grown = 0;
  server.addTool({ name: "grow" }, () => {
    server.addTool({ name: `grown-${++grown}` }, () => "done");
    return "one more";
  });
  server.addResource({ uri: "notes://1", name: "note" }, () => text);
  // Text that would end a comment, a template or a line of a program.
  server.addResource({ uri: "notes://fixed", name: "fixed" }, () => "*/ `${line}`\u2028 </script>");
  return server;
}
