import { createServer } from "node:http";

import { RpcError } from "@tenon/jsonrpc2/core";
import { Server } from "@tenon/mcp/server";
import { createTaskEngine } from "@tenon/tasks";
import { tasks } from "@tenon/tasks/server";
import { deferred, type Deferred } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";

/** A server with tools that become tasks. */
export interface Kitchen extends AsyncDisposable {
  readonly url: string;
  /** The runs of `bake`, which is a task, and `stir`. They return when their gate opens. */
  readonly runs: readonly { readonly signal: AbortSignal; readonly gate: Deferred<void> }[];
  /** The methods that `2026-07-28` clients have requested. */
  readonly requests: readonly string[];
}

/** Opens a server of tasks on 127.0.0.1. */
export async function openKitchen(): Promise<Kitchen> {
  const engine = createTaskEngine({ limits: { pollIntervalMs: 50 } });
  const runs: { signal: AbortSignal; gate: Deferred<void> }[] = [];
  const requests: string[] = [];
  const server = new Server({ name: "kitchen", version: "1.0.0" });
  server.use(tasks({ engine }));
  const run = (signal: AbortSignal): Promise<void> => {
    const gate = deferred();
    runs.push({ signal, gate });
    signal.addEventListener("abort", () => gate.resolve());
    return gate.promise;
  };
  server.addTool({ name: "bake", task: "required" }, async (_, ctx) => {
    const done = run(ctx.signal);
    await ctx.progress(1, 2, "half");
    await done;
    ctx.signal.throwIfAborted();
    return `cake ${runs.length}`;
  });
  server.addTool({ name: "stir" }, async (_, ctx) => {
    await run(ctx.signal);
    return "stirred";
  });
  server.addTool({ name: "ask", task: "optional" }, async (_, ctx) => {
    const { action } = await ctx.elicit({
      message: "Icing?",
      requestedSchema: { type: "object", properties: { color: { type: "string" } } },
    });
    return action;
  });
  server.addTool({ name: "burn", task: "optional" }, () => ({ content: [], isError: true }));
  server.addTool({ name: "crash", task: "required" }, () => {
    throw new RpcError(-32_001, "The oven has crashed.");
  });
  server.addTool({ name: "price" }, () => "12 €");
  const handler = createStreamableHandler({ getServer: () => server });
  const http = createServer((request, response) => {
    requests.push(String(request.headers["mcp-method"]));
    void handler.node(request, response);
  });
  return {
    url: `${await originOnFreePort(http)}/mcp`,
    runs,
    requests,
    async [Symbol.asyncDispose]() {
      await handler.close();
      http.close();
      http.closeAllConnections();
      await engine.close();
    },
  };
}
