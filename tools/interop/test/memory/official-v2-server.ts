import {
  acceptedContent,
  completable,
  inputRequired,
  McpServer,
  ProtocolError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
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

const nothing = z.object({});
const form = z.object({ name: z.string() });

/**
 * A server on the official SDK, version 2, with one of everything, in the era that its client
 * opens.
 */
export function v2Server(transport: Transport): Promise<OfficialServer> {
  const hung = hangingTool();
  let current: McpServer | undefined;
  function create(): McpServer {
    const mcp = new McpServer({ name: "official-v2", version: "1.0.0" }, { capabilities });
    current = mcp;
    mcp.server.setRequestHandler("resources/subscribe", () => ({}));
    mcp.server.setRequestHandler("resources/unsubscribe", () => ({}));
    mcp.registerTool("greet", { inputSchema: form }, ({ name }) => text(`Hello ${name}`));
    mcp.registerTool(
      "point",
      { inputSchema: nothing, outputSchema: z.object({ x: z.number() }) },
      () => point,
    );
    mcp.registerTool("fail", { inputSchema: nothing }, () => ({ ...text("not today"), isError: true }));
    mcp.registerTool("steps", { inputSchema: nothing }, async (_, { mcpReq }) => {
      for (const progress of [1, 2]) {
        const progressToken = mcpReq._meta?.progressToken ?? "none";
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 2 },
        });
      }
      return text("done");
    });
    mcp.registerTool("hang", { inputSchema: nothing }, (_, { mcpReq }) => hung.run(mcpReq.signal));
    mcp.registerTool("log", { inputSchema: nothing }, async (_, { mcpReq }) => {
      await mcpReq.log("warning", { msg: "careful" });
      return text("");
    });
    registerAsking(mcp);
    mcp.registerResource("one", "memo://one", {}, (uri) => ({ contents: [{ uri: uri.href, text: "one" }] }));
    const template = new ResourceTemplate("greet://{name}", {
      list: undefined,
      complete: { name: startingWith },
    });
    mcp.registerResource("greet", template, {}, (uri, { name }) => ({
      contents: [{ uri: uri.href, text: `Hello ${String(name)}` }],
    }));
    const lang = completable(z.string().optional(), () => ["ts"]);
    mcp.registerPrompt("review", { argsSchema: z.object({ code: z.string(), lang }) }, ({ code }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Review ${code}` } }],
    }));
    mcp.registerPrompt("broken", {}, () => {
      throw new ProtocolError(1001, "No such account", { account: 7 });
    });
    return mcp;
  }
  const handle = serveStdio(create, { transport: bridge(transport) as never });
  return Promise.resolve({
    cancelled: hung.cancelled,
    hanging: hung.hanging,
    async updated(uri) {
      await current?.server.sendResourceUpdated({ uri });
    },
    addPrompt: () => void current?.registerPrompt("another", {}, () => ({ messages: [] })),
    [Symbol.asyncDispose]: () => handle.close(),
  });
}

/** What a client answers the questions below. */
interface Responses {
  readonly page?: { readonly action: string };
  readonly answer?: { readonly content: { readonly text: string } };
  readonly roots?: { readonly roots: readonly { readonly uri: string }[] };
}

function registerAsking(mcp: McpServer): void {
  mcp.registerTool("form", { inputSchema: nothing }, (_, { mcpReq }) => {
    const who = acceptedContent(mcpReq.inputResponses, "who", form);
    const asked = { who: inputRequired.elicit({ message: "Who?", requestedSchema: form }) };
    return who === undefined ? inputRequired({ inputRequests: asked }) : text(who.name);
  });
  mcp.registerTool("page", { inputSchema: nothing }, (_, { mcpReq }) => {
    const { page } = (mcpReq.inputResponses ?? {}) as Responses;
    const asked = { page: inputRequired.elicitUrl({ message: "In", url: "https://example.com/in" }) };
    return page === undefined ? inputRequired({ inputRequests: asked }) : text(page.action);
  });
  mcp.registerTool("sample", { inputSchema: nothing }, (_, { mcpReq }) => {
    const { answer } = (mcpReq.inputResponses ?? {}) as Responses;
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "Hi" } }];
    const asked = { answer: inputRequired.createMessage({ maxTokens: 5, messages }) };
    return answer === undefined ? inputRequired({ inputRequests: asked }) : text(answer.content.text);
  });
  mcp.registerTool("roots", { inputSchema: nothing }, (_, { mcpReq }) => {
    const { roots } = (mcpReq.inputResponses ?? {}) as Responses;
    const asked = { roots: inputRequired.listRoots() };
    return roots === undefined
      ? inputRequired({ inputRequests: asked })
      : text(roots.roots.map(({ uri }) => uri).join());
  });
}
