import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Server } from "@tenon/mcp";
import { eraOf } from "@tenon/protocol";
import { bothEras, deferred, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { macrotask } from "./asking.ts";
import { connectPair } from "./pair.ts";

test.each(bothEras)(
  "a handler that never ends is answered for when its time is over, in %s (T-041)",
  async (revision) => {
    const clock = createVirtualClock();
    let reason: unknown;
    const begun = deferred();
    await using pair = await connectPair(
      { revision, server: { clock, limits: { handlerTimeoutMs: 5000 } } },
      (server) => {
        server.addTool({ name: "hang" }, (_, { signal }) => {
          signal.addEventListener("abort", () => (reason = signal.reason));
          begun.resolve();
          return new Promise(() => {});
        });
        server.addTool({ name: "quick" }, () => "done");
        server.addResource({ uri: "x:1", name: "x" }, () => "1");
      },
    );
    const { session } = pair;
    const failed = session.callTool({ name: "hang" }).catch((error: unknown) => error);
    await begun.promise;
    clock.advance(4999);
    expect((await session.callTool({ name: "quick" })).content).toEqual([{ type: "text", text: "done" }]);
    expect(reason).toBeUndefined();
    clock.advance(1);
    expect(await failed).toMatchObject({ code: -32603, message: "The request took too long" });
    expect(reason).toMatchObject({ code: "TIMEOUT" });
    expect(pair.errors).toEqual([reason]);
    // Subscriptions are not meant to end.
    if (eraOf(revision) === "modern") {
      const changes: unknown[] = [];
      const onChange = (change: unknown): void => void changes.push(change);
      const subscription = await session.listen({ resourceSubscriptions: ["x:1"] }, { onChange });
      clock.advance(60_000);
      pair.server.resourceUpdated("x:1");
      await session.ping();
      expect(changes).toHaveLength(1);
      await subscription.close();
    }
  },
);

test("a handler that goes on although its time is over is not heard, whatever becomes of it (T-041)", async () => {
  const clock = createVirtualClock();
  let fail = (): void => {};
  await using pair = await connectPair(
    { revision: legacyRevision, server: { clock, limits: { handlerTimeoutMs: 10 } } },
    (server) => {
      server.addTool({ name: "late" }, () => {
        return new Promise((_, reject) => {
          fail = () => reject(new Error("too late"));
        });
      });
    },
  );
  const failed = pair.session.callTool({ name: "late" }).catch((error: unknown) => error);
  await pair.session.ping();
  clock.advance(10);
  expect(await failed).toMatchObject({ code: -32603 });
  fail();
  await macrotask();
  expect(pair.errors).toHaveLength(1);
});

test("a client that is asked counts: a question that nobody answers ends with its request (T-041)", async () => {
  const clock = createVirtualClock();
  const shown = deferred<AbortSignal>();
  await using pair = await connectPair(
    {
      revision: legacyRevision,
      server: { clock, limits: { handlerTimeoutMs: 1000 } },
      client: {
        elicitation: {
          form: (_, { signal }) => {
            shown.resolve(signal);
            return new Promise(() => {});
          },
        },
      },
    },
    (server) => {
      server.addTool({ name: "ask" }, async (_, { elicit }) => {
        const requestedSchema = { type: "object", properties: {} } as const;
        return (await elicit({ message: "?", requestedSchema })).action;
      });
    },
  );
  const failed = pair.session.callTool({ name: "ask" }).catch((error: unknown) => error);
  const signal = await shown.promise;
  clock.advance(1000);
  expect(await failed).toMatchObject({ code: -32603 });
  await pair.session.ping();
  expect(signal.aborted).toBe(true);
});

test.each(bothEras)(
  "a tool may have a time limit of its own, shorter or longer than that of the server, in %s",
  async (revision) => {
    const clock = createVirtualClock();
    const begun = deferred();
    const done = deferred<string>();
    await using pair = await connectPair(
      { revision, server: { clock, limits: { handlerTimeoutMs: 1000 } } },
      (server) => {
        server.addTool({ name: "short", timeoutMs: 100 }, () => new Promise(() => {}));
        server.addTool({ name: "long", timeoutMs: Infinity }, () => {
          begun.resolve();
          return done.promise;
        });
      },
    );
    const { session } = pair;
    const short = session.callTool({ name: "short" }).catch((error: unknown) => error);
    const long = session.callTool({ name: "long" });
    await begun.promise;
    clock.advance(100);
    expect(await short).toMatchObject({ code: -32603, message: "The request took too long" });
    expect(pair.errors).toMatchObject([
      { code: "TIMEOUT", message: "tools/call took longer than 100 ms (timeoutMs of the tool)." },
    ]);
    clock.advance(5000);
    done.resolve("done");
    expect((await long).content).toEqual([{ type: "text", text: "done" }]);
    const { tools } = await session.listTools();
    expect(tools.some((tool) => "timeoutMs" in tool)).toBe(false);
  },
);

test("a tool that is added again has the time limit of its new definition, without a limit of the server", async () => {
  const clock = createVirtualClock();
  await using pair = await connectPair({ server: { clock } }, (server) => {
    server.addTool({ name: "hang" }, () => "");
  });
  pair.server.removeTools("hang");
  pair.server.addTool({ name: "hang", timeoutMs: 10 }, () => new Promise(() => {}));
  const failed = pair.session.callTool({ name: "hang" }).catch((error: unknown) => error);
  await pair.session.ping();
  clock.advance(10);
  expect(await failed).toMatchObject({ code: -32603 });
});

test.each([0, -1, Number.NaN, "1" as never])("a tool refuses the time limit %s", (timeoutMs) => {
  const server = new Server({ name: "s", version: "1" });
  expect(() => server.addTool({ name: "a", timeoutMs }, () => "")).toThrow(
    /tool a.*timeoutMs|timeoutMs.*tool a/,
  );
});
