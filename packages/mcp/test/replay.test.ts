import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { accepted, inputRequired, isSuspension } from "@tenon/mcp";
import { expect, test } from "vitest";

import { forbidUnhandledRejections, ada, call, macrotask, meta, nameForm, serve } from "./asking.ts";
import { modern, request } from "./wire.ts";

forbidUnhandledRejections();

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("an input is asked for in the result, without hints, and answered on the retry under a new id (R-645, R-646, R-647, R-651, R-656)", async () => {
  await using wire = await serve(async (ctx) => {
    return accepted(await ctx.elicit({ message: "Who?", requestedSchema: nameForm })).name;
  });
  const first = await call(wire, 1);
  expect(first).toEqual({
    jsonrpc: "2.0",
    id: 1,
    result: {
      resultType: "input_required",
      inputRequests: {
        "elicitation#1": {
          method: "elicitation/create",
          params: { mode: "form", message: "Who?", requestedSchema: nameForm },
        },
      },
      requestState: expect.stringMatching(/^t1\.process-[\w-]+\.[\w-]+$/) as string,
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "wire-server", version: "1.0.0" } },
    },
  });
  const { requestState } = first.result;
  const done = await call(wire, 2, { requestState, inputResponses: { "elicitation#1": ada } });
  expect(done.result).toMatchObject({ resultType: "complete", content: [{ text: "Ada" }] });
});

test("answers that are missing are asked for again, unknown ones are ignored (R-654, R-655)", async () => {
  await using wire = await serve(async (ctx) => {
    const [a, b] = await Promise.all([
      ctx.elicit({ message: "a", requestedSchema: nameForm }, { key: "a" }),
      ctx.elicit({ message: "b", requestedSchema: nameForm }, { key: "b" }),
    ]);
    return accepted(a).name + accepted(b).name;
  });
  const first = await call(wire, 1);
  expect(Object.keys(first.result.inputRequests)).toEqual(["a", "b"]);
  const second = await call(wire, 2, {
    requestState: first.result.requestState,
    inputResponses: { a: ada, unknown: ada, __proto__: ada, toString: ada },
  });
  expect(Object.keys(second.result.inputRequests)).toEqual(["b"]);
  const again = await call(wire, 3, { requestState: second.result.requestState });
  expect(Object.keys(again.result.inputRequests)).toEqual(["b"]);
  const done = await call(wire, 4, {
    requestState: again.result.requestState,
    inputResponses: { b: { action: "accept", content: { name: "Bo" } }, a: { action: "decline" } },
  });
  expect(done.result.content[0].text).toBe("AdaBo");
});

test("only what this very request declares counts (R-142, R-147, R-648)", async () => {
  await using wire = await serve(async (ctx) => {
    return accepted(await ctx.elicit({ message: "Who?", requestedSchema: nameForm })).name;
  });
  const first = await call(wire, 1);
  expect(first.result.resultType).toBe("input_required");
  const bare = await call(wire, 2, { _meta: modern });
  expect(bare.error).toMatchObject({ code: -32021 });
  const { requestState } = first.result;
  expect((await call(wire, 3, { _meta: modern, requestState })).error).toMatchObject({ code: -32021 });
});

test("answers that nobody has asked for are not believed", async () => {
  await using wire = await serve(async (ctx) => {
    return accepted(await ctx.elicit({ message: "Who?", requestedSchema: nameForm })).name;
  });
  const first = await call(wire, 1, { inputResponses: { "elicitation#1": ada } });
  expect(first.result.resultType).toBe("input_required");
});

test("inputs of later turns wait for the next round; an answered one does not end the turn", async () => {
  await using wire = await serve(async (ctx) => {
    const late = async (): Promise<string> => {
      await macrotask();
      await macrotask();
      return accepted(await ctx.elicit({ message: "late", requestedSchema: nameForm }, { key: "late" })).name;
    };
    const first = async (): Promise<string> =>
      accepted(await ctx.elicit({ message: "now", requestedSchema: nameForm }, { key: "now" })).name;
    return (await Promise.all([first(), late()])).join();
  });
  const first = await call(wire, 1);
  expect(Object.keys(first.result.inputRequests)).toContain("now");
  const second = await call(wire, 2, {
    requestState: first.result.requestState,
    inputResponses: { now: ada, late: ada },
  });
  if (second.result.resultType === "input_required") {
    expect(Object.keys(second.result.inputRequests)).toEqual(["late"]);
  } else {
    expect(second.result.content[0].text).toBe("Ada,Ada");
  }
});

test("finally blocks run when a run is put off, and see a suspension", async () => {
  const log: unknown[] = [];
  await using wire = await serve(async (ctx) => {
    try {
      return accepted(await ctx.elicit({ message: "?", requestedSchema: nameForm })).name;
    } catch (error) {
      log.push(isSuspension(error));
      throw error;
    } finally {
      log.push("finally");
    }
  });
  const first = await call(wire, 1);
  await macrotask();
  expect(log).toEqual([true, "finally"]);
  expect(first.result.resultType).toBe("input_required");
  expect(wire.errors).toEqual([]);
});

test("a swallowed suspension turns neither into a result nor into an error, nor can anything be done in that run", async () => {
  const late: unknown[] = [];
  for (const after of ["return", "throw", "ask", "step", "hang", "explicit"]) {
    await using wire = await serve(async (ctx) => {
      try {
        return accepted(await ctx.elicit({ message: "?", requestedSchema: nameForm })).name;
      } catch {
        switch (after) {
          case "throw":
            throw new Error("secret");
          case "ask":
            return await ctx.elicit({ message: "more", requestedSchema: nameForm }).catch(() => "swallowed");
          case "step":
            await ctx.step("late", () => late.push("ran")).catch(() => {});
            return "swallowed";
          case "hang":
            return new Promise(() => {});
          case "explicit":
            return inputRequired({ requestState: 1 });
          default:
            return "swallowed";
        }
      }
    });
    const first = await call(wire, 1);
    expect(Object.keys(first.result.inputRequests)).toEqual(["elicitation#1"]);
    const { requestState } = first.result;
    const done = await call(wire, 2, { requestState, inputResponses: { "elicitation#1": ada } });
    expect(done.result.content[0].text).toBe("Ada");
  }
  expect(late).toEqual([]);
});

test("a handler that does not wait for its question is answered with its own result", async () => {
  await using wire = await serve((ctx) => {
    void ctx.elicit({ message: "?", requestedSchema: nameForm });
    return "sync";
  });
  expect((await call(wire, 1)).result.content[0].text).toBe("sync");
  await macrotask();
  await macrotask();

  await using racing = await serve(async (ctx) =>
    Promise.race([ctx.elicit({ message: "?", requestedSchema: nameForm }), Promise.resolve("raced")]),
  );
  expect((await call(racing, 1)).result.content[0].text).toBe("raced");

  await using slow = await serve(async (ctx) => {
    const asked = ctx.elicit({ message: "?", requestedSchema: nameForm });
    await macrotask();
    await macrotask();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    return accepted(await asked).name;
  });
  expect((await call(slow, 1)).result.resultType).toBe("input_required");
});

test("a running step is waited for, and its result remembered, before the client is asked", async () => {
  let steps = 0;
  let finish = (): void => {};
  await using wire = await serve(async (ctx) => {
    const [outcome, value] = await Promise.all([
      ctx.elicit({ message: "?", requestedSchema: nameForm }),
      ctx.step("slow", async () => {
        steps++;
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return "kept";
      }),
    ]);
    return `${accepted(outcome).name} ${value}`;
  });
  const asked = call(wire, 1);
  for (let i = 0; i < 20; i++) {
    await macrotask();
  }
  finish();
  const { requestState } = (await asked).result;
  const done = await call(wire, 2, { requestState, inputResponses: { "elicitation#1": ada } });
  expect(done.result.content[0].text).toBe("Ada kept");
  expect(steps).toBe(1);
});

test("a step that asks, or never ends, fails the request after stepWaitMs", async () => {
  await using wire = await serve(
    async (ctx) => ctx.step("ask", () => ctx.elicit({ message: "?", requestedSchema: nameForm })),
    { limits: { stepWaitMs: 1 } },
  );
  const { error } = await call(wire, 1);
  expect(error).toEqual({ code: -32603, message: expect.stringContaining("stepWaitMs") as string });
  expect(wire.errors).toMatchObject([{ code: "LIMIT_EXCEEDED" }]);
});

test("the time that a step may still run is told by the clock of the server", async () => {
  const clock = createVirtualClock();
  await using wire = await serve(
    async (ctx) => ctx.step("ask", () => ctx.elicit({ message: "?", requestedSchema: nameForm })),
    { clock, limits: { stepWaitMs: 600_000 } },
  );
  const before = clock.timers;
  const answer = call(wire, 1);
  await expect.poll(() => clock.timers).toBeGreaterThan(before);
  clock.advance(600_000);
  expect((await answer).error).toMatchObject({ code: -32603 });
  expect(clock.timers).toBe(before);
});

test("a cancelled request is not answered, and its questions reject with the reason", async () => {
  let outcome: unknown;
  const reached = new Promise<void>((resolve) => {
    void openAndCancel(resolve);
  });
  async function openAndCancel(done: () => void): Promise<void> {
    await using wire = await serve(async (ctx) => {
      // The step holds the turn open until the cancellation has come.
      const waiting = ctx.elicit({ message: "?", requestedSchema: nameForm });
      const held = ctx.step("hold", () => new Promise(() => {}));
      try {
        await Promise.all([waiting, held]);
        return "answered";
      } catch (error) {
        outcome = error;
        return "swallowed";
      }
    });
    await wire.tell(request(1, "tools/call", { name: "ask", _meta: meta }));
    await wire.tell({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1, reason: "enough", _meta: meta },
    });
    expect(await wire.ask(request(2, "tools/list", { _meta: meta }))).toMatchObject({ id: 2 });
    done();
  }
  await reached;
  expect(outcome).toMatchObject({ name: "AbortError", message: "enough" });
});

test("middleware sees the question as a result, and may ask itself", async () => {
  const seen: unknown[] = [];
  await using wire = await serve(async (ctx) => {
    return accepted(await ctx.elicit({ message: "Who?", requestedSchema: nameForm })).name;
  });
  wire.server.addReceivingMiddleware((next) => async (inbound) => {
    const sure = await inbound.elicit({ message: "Sure?", requestedSchema: nameForm }, { key: "sure" });
    const result = await next(inbound.with({ params: { ...inbound.params, changed: true } }));
    seen.push((result as { resultType?: string }).resultType);
    return accepted(sure).name === "Ada" ? result : undefined;
  });
  const first = await call(wire, 1);
  expect(Object.keys(first.result.inputRequests)).toEqual(["sure"]);
  const second = await call(wire, 2, {
    requestState: first.result.requestState,
    inputResponses: { sure: ada },
  });
  expect(Object.keys(second.result.inputRequests)).toEqual(["elicitation#2"]);
  const third = await call(wire, 3, {
    requestState: second.result.requestState,
    inputResponses: { "elicitation#2": ada },
  });
  expect(third.result.content[0].text).toBe("Ada");
  expect(seen).toEqual(["input_required", undefined]);
});

test("methods that cannot be answered with a question refuse to ask (R-645)", async () => {
  await using wire = await serve(() => "");
  let error: unknown;
  wire.server.addReceivingMiddleware((next) => async (inbound) => {
    error = await inbound
      .elicit({ message: "?", requestedSchema: nameForm })
      .catch((reason: unknown) => reason);
    return next(inbound);
  });
  expect(await wire.ask(request(1, "tools/list", { _meta: meta }))).toMatchObject({
    result: { tools: [{}, {}] },
  });
  expect(error).toMatchObject({ code: "NOT_IN_REVISION" });
});

test("a question by hand needs the client's capability, too", async () => {
  await using wire = await serve(() => inputRequired({ inputRequests: { roots: { method: "roots/list" } } }));
  expect(await wire.ask(request(1, "tools/call", { name: "ask", _meta: modern }))).toMatchObject({
    error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
  });
  expect((await call(wire, 2)).result).not.toHaveProperty("requestState");
});

test("a thousand abandoned questions leave nothing behind", async () => {
  await using wire = await serve(
    async (ctx) => accepted(await ctx.elicit({ message: "?", requestedSchema: nameForm })).name,
  );
  const runs: WeakRef<object>[] = [];
  wire.server.addReceivingMiddleware((next) => (inbound) => {
    runs.push(new WeakRef(inbound));
    return next(inbound);
  });
  const timers = activeTimers();
  for (let id = 1; id <= 1000; id++) {
    await call(wire, id);
  }
  const alive = (): number => runs.filter((run) => run.deref() !== undefined).length;
  for (let i = 0; i < 20 && alive() > 1; i++) {
    await macrotask();
    collectGarbage();
  }
  expect(runs).toHaveLength(1000);
  expect(alive()).toBeLessThan(10);
  expect(activeTimers()).toBeLessThan(timers + 10);
});

function activeTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

test("a run that fails before it first waits is answered at once, although its handler never ends (R-654)", async () => {
  let round = 0;
  await using wire = await serve(async (ctx) => {
    round++;
    try {
      await ctx.elicit({ message: `Question of round ${round}`, requestedSchema: nameForm });
    } catch {
      await new Promise(() => {});
    }
  });
  const { requestState } = (await call(wire, 1)).result;
  const second = await call(wire, 2, { requestState, inputResponses: { "elicitation#1": ada } });
  expect(second.error).toMatchObject({
    code: -32602,
    message: expect.stringContaining("may have had effects") as string,
  });
});

test("the signal of an input request takes it back while a step runs, and nobody is asked", async () => {
  let endStep: (value: string) => void = () => {};
  const stepEnds = new Promise<string>((resolve) => {
    endStep = resolve;
  });
  let sayAborted: (reason: unknown) => void = () => {};
  const aborted = new Promise((resolve) => {
    sayAborted = resolve;
  });
  await using wire = await serve(async (ctx) => {
    const stop = new AbortController();
    const work = ctx.step("slow", () => stepEnds);
    const answer = ctx.elicit({ message: "?", requestedSchema: nameForm }, { signal: stop.signal });
    await macrotask();
    stop.abort(new Error("too late"));
    sayAborted(await answer.catch((error: unknown) => error));
    return work;
  });
  const answer = call(wire, 1);
  expect(await aborted).toMatchObject({ message: "too late" });
  endStep("done");
  expect((await answer).result).toMatchObject({ resultType: "complete", content: [{ text: "done" }] });
});

test("an input request that was taken back leaves those of the same turn", async () => {
  await using wire = await serve(async (ctx) => {
    const stop = new AbortController();
    const taken = ctx.elicit(
      { message: "taken", requestedSchema: nameForm },
      { key: "a", signal: stop.signal },
    );
    const kept = ctx.elicit({ message: "kept", requestedSchema: nameForm }, { key: "b" });
    stop.abort(new Error("no"));
    await expect(taken).rejects.toThrow("no");
    return accepted(await kept).name;
  });
  const { result } = await call(wire, 1);
  expect(Object.keys(result.inputRequests)).toEqual(["b"]);
  const { requestState } = result;
  const last = await call(wire, 2, { requestState, inputResponses: { b: ada } });
  expect(last.result.content[0].text).toBe("Ada");
});
