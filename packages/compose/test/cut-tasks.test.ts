import { compose } from "@tenon/compose";
import { Client, Server } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { taskClient } from "@tenon/tasks/client";
import { tasks } from "@tenon/tasks/server";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

test("the input requests of a task reach a legacy client that lost the connection of its request for the result", async () => {
  const engine = createTaskEngine();
  const behind = new Server({ name: "behind", version: "1.0.0" }, { revisions: [legacyRevision] });
  behind.use(tasks({ engine }));
  const mayAsk = deferred();
  behind.addTool({ name: "ask", task: "required" }, async (_, context) => {
    await mayAsk.promise;
    const { action } = await context.elicit({
      message: "Sure?",
      requestedSchema: { type: "object", properties: {} },
    });
    return action;
  });
  let count = 0;
  const first = deferred();
  behind.addReceivingMiddleware((next) => (request) => {
    const result = next(request);
    if (request.method === "tasks/result") {
      count++;
      first.resolve();
    }
    return result;
  });
  const composed = compose(
    {
      async behind() {
        const [here, there] = createInMemoryTransports();
        await behind.connect(there);
        return here;
      },
    },
    { onError: () => {} },
  );
  const handler = createStreamableHandler({ getServer: () => composed, onError: () => {} });
  let isFirst = true;
  const client = new Client(
    { name: "ann", version: "1.0.0" },
    { revisions: [legacyRevision], elicitation: { form: () => ({ action: "decline" }) } },
  );
  client.use(taskClient());
  onTestFinished(async () => {
    await client.close();
    await handler.close({ drainMs: 0 });
    await composed.close({ drainMs: 0 });
    await engine.close({ drainMs: 0 });
  });
  const session = await client.connect(
    new StreamableClientTransport("http://localhost/mcp", {
      async fetch(url, init) {
        const isResult = typeof init?.body === "string" && init.body.includes("tasks/result");
        if (!isResult || !isFirst) {
          return handler.fetch(new Request(url, init));
        }
        isFirst = false;
        const gone = new AbortController();
        handler.fetch(new Request(url, { ...init, signal: gone.signal })).catch(() => {});
        await first.promise;
        gone.abort();
        throw new TypeError("fetch failed");
      },
    }),
  );
  await session.listTools();
  const called = session.callTool({ name: "mcp__behind__ask" });
  await expect.poll(() => count).toBe(2);
  // Both requests wait for the task when the server has responded to a later one.
  await session.listTools();
  await session.listTools();
  mayAsk.resolve();
  expect((await called).content).toEqual([{ type: "text", text: "decline" }]);
  // Neither request has failed.
  expect(count).toBe(2);
});
