import { CallRelay } from "@tenon/host";
import { Client, Server, textOf } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { borrowedSource } from "../src/source/borrowed-source.ts";

const form = { type: "object", properties: { name: { type: "string" } } } as const;

test.each([
  ["a check", "a request"],
  ["a request", "a check"],
])(
  "a form reaches the client of its call if %s and then %s waited for the session of the server",
  async (...order) => {
    const far = new Server({ name: "far", version: "1.0.0" }, { revisions: [legacyRevision] });
    far.addTool({ name: "ask" }, async (_, context) => {
      const answer = await context.elicit({ message: "Who?", requestedSchema: form });
      return answer.action === "accept" ? String(answer.content.name) : answer.action;
    });
    const [here, there] = createInMemoryTransports();
    await far.connect(there);
    const own = await new Client(
      { name: "host", version: "1.0.0" },
      { elicitation: { form: () => ({ action: "decline" }) } },
    ).connect(here);
    const isBack = deferred();
    const source = borrowedSource({
      name: "far",
      relay: new CallRelay(),
      session: () => isBack.promise.then(() => own),
    });
    const front = new Server({ name: "front", version: "1.0.0" });
    front.addReceivingMiddleware(
      (next) => (request) => (request.method === "tools/call" ? source.forward(request) : next(request)),
    );
    const [near, proxy] = createInMemoryTransports();
    await front.connect(proxy);
    const ann = await new Client(
      { name: "ann", version: "1.0.0" },
      {
        revisions: [legacyRevision],
        elicitation: { form: () => ({ action: "accept", content: { name: "ann" } }) },
      },
    ).connect(near);
    onTestFinished(async () => {
      await ann.close({ drainMs: 0 });
      await source[Symbol.asyncDispose]();
      await own.close({ drainMs: 0 });
    });
    const waiting: Promise<unknown>[] = [];
    for (const one of order) {
      waiting.push(
        one === "a check"
          ? source.recover()
          : source.lanes.view(
              { key: "bob", session: undefined, inputs: {}, asks: "never" },
              new AbortController().signal,
            ),
      );
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    isBack.resolve();
    await Promise.all(waiting);
    expect(textOf(await ann.callTool({ name: "ask" }))).toBe("ann");
  },
);
