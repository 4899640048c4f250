import { completable } from "@modelcontextprotocol/sdk/server/completable.js";
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import {
  McpError,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Transport } from "@tenon/sdk/client";
import { z } from "zod";

import { bridge } from "./bridge.ts";
import {
  capabilities,
  hangingTool,
  point,
  startingWith,
  text,
  type OfficialServer,
} from "./official-server.ts";

/** A server on the official SDK, version 1, with one of everything. */
export async function v1Server(transport: Transport): Promise<OfficialServer> {
  const mcp = new McpServer({ name: "official-v1", version: "1.0.0" }, { capabilities });
  const { server } = mcp;
  const hung = hangingTool();
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  mcp.registerTool("greet", { inputSchema: { name: z.string() } }, ({ name }) => text(`Hello ${name}`));
  mcp.registerTool("point", { outputSchema: { x: z.number() } }, () => point);
  mcp.registerTool("fail", {}, () => ({ ...text("not today"), isError: true }));
  mcp.registerTool("steps", {}, async ({ _meta, sendNotification }) => {
    for (const progress of [1, 2]) {
      const params = { progressToken: _meta?.progressToken ?? "none", progress, total: 2 };
      await sendNotification({ method: "notifications/progress", params });
    }
    return text("done");
  });
  mcp.registerTool("hang", {}, ({ signal }) => hung.run(signal));
  mcp.registerTool("log", {}, async () => {
    await server.sendLoggingMessage({ level: "warning", data: { msg: "careful" } });
    return text("");
  });
  mcp.registerTool("form", {}, async () => {
    const { content } = await server.elicitInput({
      message: "Who?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return text(String(content?.["name"]));
  });
  mcp.registerTool("page", {}, async () => {
    const url = "https://example.com/in";
    return text((await server.elicitInput({ mode: "url", message: "In", url, elicitationId: "e" })).action);
  });
  mcp.registerTool("sample", {}, async () => {
    const { content } = await server.createMessage({
      maxTokens: 5,
      messages: [{ role: "user", content: { type: "text", text: "Hi" } }],
    });
    return text("text" in content ? content.text : "");
  });
  mcp.registerTool("roots", {}, async () =>
    text((await server.listRoots()).roots.map(({ uri }) => uri).join()),
  );
  mcp.registerResource("one", "memo://one", {}, (uri) => ({ contents: [{ uri: uri.href, text: "one" }] }));
  const template = new ResourceTemplate("greet://{name}", {
    list: undefined,
    complete: { name: startingWith },
  });
  mcp.registerResource("greet", template, {}, (uri, { name }) => ({
    contents: [{ uri: uri.href, text: `Hello ${String(name)}` }],
  }));
  const lang = completable(z.string().optional(), () => ["ts"]);
  mcp.registerPrompt("review", { argsSchema: { code: z.string(), lang } }, ({ code }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Review ${code}` } }],
  }));
  mcp.registerPrompt("broken", {}, () => {
    throw new McpError(1001, "No such account", { account: 7 });
  });
  await mcp.connect(bridge(transport) as never);
  return {
    cancelled: hung.cancelled,
    hanging: hung.hanging,
    updated: (uri) => server.sendResourceUpdated({ uri }),
    addPrompt: () => void mcp.registerPrompt("another", {}, () => ({ messages: [] })),
    [Symbol.asyncDispose]: () => mcp.close(),
  };
}
