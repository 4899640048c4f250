import { Client } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { accept, answering, askName, proxied, type Answer } from "./lanes-fixture.ts";

const tools = { ask: askName, plain: () => "done" } as const;
const textOf = ({ result }: Answer): unknown => result?.content?.[0]?.text;
const limits = { giveWayMs: 20 };

test.each([
  ["that all callers share", { isolation: "everybody" }, "ann"],
  ["of its caller", { limits: { ...limits, maxPerCaller: 1 } }, "bob"],
  ["that are open at most", { limits: { ...limits, maxLanes: 1 } }, "ann"],
] as const)(
  "an unanswered input request gives way to calls that wait for the connections %s",
  async (_, options, other) => {
    const errors: Error[] = [];
    const { send, runs } = await proxied(
      { back: legacyRevision, limits, onError: (error) => errors.push(error), ...options },
      tools,
    );
    const asked = await send("bob", "ask");
    expect(asked.result?.resultType).toBe("input_required");
    expect(textOf(await send(other, "plain"))).toBe("done");
    expect(runs).toEqual(["ask", "abort ask", "plain"]);
    const late = await send("bob", "ask", answering(asked, accept("Bob")));
    expect(late.error).toMatchObject({
      code: -32_603,
      message: expect.stringContaining("giveWayMs") as string,
      data: { reason: "call-lost", delivered: "maybe" },
    });
    expect(errors.map(({ message }) => message)).toEqual([late.error?.message]);
  },
);

test("several callers that wait get through, one unanswered form after the other", async () => {
  const { send } = await proxied({ back: legacyRevision, limits, isolation: "everybody" }, tools);
  await send("bob", "ask");
  const [second, third] = await Promise.all([send("ann", "ask"), send("eve", "plain")]);
  expect([second.result?.resultType, textOf(third)]).toEqual(["input_required", "done"]);
});

test("a form that a legacy client leaves open gives way as well", async () => {
  const { front, send } = await proxied({ back: legacyRevision, limits, isolation: "everybody" }, tools);
  const shown = deferred();
  const [here, there] = createInMemoryTransports();
  await front.connect(there);
  const client = new Client(
    { name: "bob", version: "1.0.0" },
    {
      revisions: [legacyRevision],
      elicitation: {
        form: async () => {
          shown.resolve();
          await new Promise(() => {});
          return { action: "cancel" };
        },
      },
    },
  );
  const session = await client.connect(here);
  onTestFinished(() => session.close({ drainMs: 0 }));
  const call = session.callTool({ name: "ask" }).catch((error: unknown) => error);
  await shown.promise;
  expect(textOf(await send("ann", "plain"))).toBe("done");
  expect(await call).toMatchObject({ code: -32_603, data: { reason: "call-lost" } });
});

test("a form that is filled in while others wait goes on, and is not ended", async () => {
  const { send, runs } = await proxied({ back: legacyRevision, isolation: "everybody" }, tools);
  const asked = await send("bob", "ask");
  const waiting = send("ann", "plain");
  const answered = await send("bob", "ask", answering(asked, accept("Bob")));
  expect([textOf(answered), textOf(await waiting)]).toEqual(["accept Bob", "done"]);
  expect(runs).toEqual(["ask", "plain"]);
});
