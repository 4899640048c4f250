import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import type { ClientOptions, ElicitationHandlers } from "@tenon/mcp";
import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { macrotask, nameForm } from "./asking.ts";
import { connectPair, type Pair } from "./pair.ts";

const never = new Promise<never>(() => {});

/** A session whose tool `ask` asks for a name, and the moment at which the user is asked. */
async function connectAsking(
  client: ClientOptions,
  form: NonNullable<ElicitationHandlers["form"]> = () => never,
): Promise<{ readonly pair: Pair; readonly asked: Promise<unknown> }> {
  const asked = deferred();
  const elicitation: ElicitationHandlers = {
    form: (...args) => {
      asked.resolve(undefined);
      return form(...args);
    },
  };
  const pair = await connectPair({ client: { elicitation, ...client } }, (server) => {
    server.addTool({ name: "ask" }, async (_, ctx) => {
      const { action } = await ctx.elicit({ message: "Who?", requestedSchema: nameForm });
      return action;
    });
  });
  return { pair, asked: asked.promise };
}

test("a handler that never answers a modern server ends with the totalTimeoutMs of its request", async () => {
  const clock = createVirtualClock();
  const { pair, asked } = await connectAsking({ clock });
  await using _ = pair;
  const call = pair.session.callTool({ name: "ask" }, { totalTimeoutMs: 5000 });
  const outcome = expect(call).rejects.toMatchObject({
    code: "TIMEOUT",
    message: expect.stringContaining("5000 ms (totalTimeoutMs)") as string,
  });
  await asked;
  clock.advance(5000);
  await outcome;
});

test("a handler that never answers a modern server ends with the client's totalTimeoutMs, and its signal fires", async () => {
  const clock = createVirtualClock();
  const stopped = deferred();
  const { pair, asked } = await connectAsking(
    { clock, limits: { totalTimeoutMs: 9000 } },
    (_, { signal }) => {
      signal.addEventListener("abort", () => stopped.resolve(signal.reason));
      return never;
    },
  );
  await using _ = pair;
  const outcome = expect(pair.session.callTool({ name: "ask" })).rejects.toMatchObject({ code: "TIMEOUT" });
  await asked;
  clock.advance(9000);
  await outcome;
  expect(await stopped.promise).toMatchObject({ code: "TIMEOUT" });
});

test("sending middleware that never settles ends with totalTimeoutMs, or with the signal of the call", async () => {
  const clock = createVirtualClock();
  await using pair = await connectPair({ client: { clock } }, () => {});
  pair.client.addSendingMiddleware(() => () => never);
  const late = expect(pair.session.listTools({}, { totalTimeoutMs: 700, fresh: true })).rejects.toMatchObject(
    {
      code: "TIMEOUT",
      message: expect.stringContaining("tools/list through middleware took longer than 700 ms") as string,
    },
  );
  const byDefault = expect(pair.session.listTools({}, { fresh: true })).rejects.toMatchObject({
    code: "TIMEOUT",
  });
  const controller = new AbortController();
  const aborted = pair.session.listTools({}, { signal: controller.signal, totalTimeoutMs: 0, fresh: true });
  controller.abort(new Error("enough"));
  await expect(aborted).rejects.toThrow("enough");
  const unwanted = pair.session.listTools({}, { signal: controller.signal, fresh: true });
  await expect(unwanted).rejects.toThrow("enough");
  await macrotask();
  clock.advance(700);
  await late;
  clock.advance(3_600_000);
  await byDefault;
});

test.each([undefined, null, "no", []])(
  "an onInputRequired that returns %j fails the request, and nothing is sent again",
  async (returned) => {
    const { pair } = await connectAsking({});
    await using _ = pair;
    const sent: string[] = [];
    pair.client.addSendingMiddleware((next) => (call) => {
      sent.push(call.method);
      return next(call);
    });
    const onInputRequired = (): never => returned as never;
    await expect(pair.session.callTool({ name: "ask" }, { onInputRequired })).rejects.toMatchObject({
      code: "INPUT_FAILED",
      message: expect.stringContaining("onInputRequired must return an object of responses") as string,
    });
    expect(sent).toEqual(["tools/call"]);
  },
);
