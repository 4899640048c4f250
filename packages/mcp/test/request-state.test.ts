import { accepted, inputRequired, type RequestContext, type ServerOptions } from "@tenon/mcp";
import { samples } from "@tenon/samples";
import fc from "fast-check";
import { expect, test, vi } from "vitest";

import { forbidUnhandledRejections, ada, call, meta, nameForm, serve } from "./asking.ts";

forbidUnhandledRejections();

test("state that was tampered with, is foreign or expired is refused with -32602 (R-634, R-652, R-653)", async () => {
  const principal = { name: "alice" };
  await using wire = await serve(
    async (ctx) => accepted(await ctx.elicit({ message: "?", requestedSchema: nameForm })).name,
    { interaction: { principal: () => principal.name } },
  );
  const first = await call(wire, 1, { arguments: { x: 1, y: [2] } });
  const { requestState } = first.result;
  const good = { arguments: { y: [2], x: 1 }, requestState, inputResponses: { "elicitation#1": ada } };

  const flipped =
    requestState.slice(0, -5) + (requestState.at(-5) === "A" ? "B" : "A") + requestState.slice(-4);
  const refused: object[] = [
    { ...good, requestState: flipped },
    { ...good, requestState: "" },
    { ...good, requestState: "garbage" },
    { ...good, requestState: `t1.other.${requestState.split(".")[2]}` },
    { ...good, requestState: `${requestState}.x` },
    { ...good, requestState: 5 },
    { ...good, requestState: "x".repeat(70_000) },
    { ...good, arguments: { x: 1, y: [3] } },
    { ...good, name: "other" },
    { ...good, inputResponses: [] },
  ];
  for (const [index, params] of refused.entries()) {
    const answer = await call(wire, 10 + index, params);
    expect([index, answer.error?.code]).toEqual([index, -32602]);
  }
  principal.name = "bob";
  expect((await call(wire, 40, good)).error.code).toBe(-32602);
  principal.name = "alice";
  expect((await call(wire, 41, good)).result.content[0].text).toBe("Ada");
  // One report per key, however often a client tries or makes up keys.
  expect(wire.errors).toMatchObject([{ code: "STATE_REFUSED" }, { code: "UNKNOWN_STATE_KEY" }]);
});

const askName = async (ctx: RequestContext): Promise<string> =>
  accepted(await ctx.elicit({ message: "?", requestedSchema: nameForm })).name;

test("a process with another secret under the same id reports which key does not open", async () => {
  const keyed = (secret: string): ServerOptions => ({
    interaction: { stateKeys: [{ id: "k1", secret: secret.repeat(32) }] },
  });
  await using one = await serve(askName, keyed("a"));
  await using other = await serve(askName, keyed("b"));
  const { requestState } = (await call(one, 1)).result;
  for (const id of [2, 3]) {
    expect(await call(other, id, { requestState })).toMatchObject({ error: { code: -32602 } });
  }
  expect(other.errors).toMatchObject([
    { code: "STATE_REFUSED", message: expect.stringContaining('under key "k1"') as string },
  ]);
});

test("a good state that is larger than maxStateBytes is refused before it is opened", async () => {
  const interaction = { stateKeys: [{ id: "k1", secret: "a".repeat(32) }] };
  const remembering = async (ctx: RequestContext): Promise<string> => {
    await ctx.step("big", () => "x".repeat(2000));
    return askName(ctx);
  };
  await using large = await serve(remembering, { interaction });
  await using small = await serve(remembering, { interaction, limits: { maxStateBytes: 1000 } });
  const { requestState } = (await call(large, 1)).result;
  const retry = { requestState, inputResponses: { "elicitation#1": ada } };
  expect((await call(small, 2, retry)).error).toEqual({
    code: -32602,
    message: "requestState must be a string of at most 1000 bytes",
  });
  expect((await call(large, 3, retry)).result.content[0].text).toBe("Ada");
});

test("state expires after stateTtlMs", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    await using wire = await serve(
      async (ctx) => accepted(await ctx.elicit({ message: "?", requestedSchema: nameForm })).name,
    );
    const { requestState } = (await call(wire, 1)).result;
    const retry = { requestState, inputResponses: { "elicitation#1": ada } };
    vi.setSystemTime(Date.now() + 599_999);
    expect((await call(wire, 2, retry)).result.content[0].text).toBe("Ada");
    vi.setSystemTime(Date.now() + 1);
    const { error } = await call(wire, 3, retry);
    expect(error).toEqual({
      code: -32602,
      message: expect.stringContaining("expired") as string,
      data: { reason: "state-expired", delivered: "maybe" },
    });
  } finally {
    vi.useRealTimers();
  }
});

test("servers with the same keys continue each other's requests; rotated keys open old state (R-656)", async () => {
  const handler = async (ctx: RequestContext): Promise<string> => {
    const step = await ctx.step("where", () => "here");
    return step + accepted(await ctx.elicit({ message: "?", requestedSchema: nameForm })).name;
  };
  const old = { id: "2026-01", secret: "an old secret of at least 32 bytes!" };
  const fresh = { id: "2026-02", secret: crypto.getRandomValues(new Uint8Array(32)) };
  await using one = await serve(handler, { interaction: { stateKeys: [old] } });
  await using two = await serve(handler, { interaction: { stateKeys: [fresh, old] } });
  await using three = await serve(handler, { interaction: { stateKeys: [fresh] } });

  const { requestState } = (await call(one, 1)).result;
  expect(requestState).toMatch(/^t1\.2026-01\./);
  const inputResponses = { "elicitation#1": ada };
  expect((await call(two, 1, { requestState, inputResponses })).result.content[0].text).toBe("hereAda");
  expect((await call(three, 1, { requestState, inputResponses })).error.code).toBe(-32602);
  expect((await call(two, 2)).result.requestState).toMatch(/^t1\.2026-02\./);
});

test("keys that are no keys are refused when the server is made", async () => {
  const bad = [[], [{ id: "a b", secret: "x".repeat(32) }], [{ id: "a", secret: "short" }]];
  for (const stateKeys of bad) {
    await expect(serve(() => "", { interaction: { stateKeys } })).rejects.toMatchObject({
      code: "INVALID_DEFINITION",
    });
  }
  const twice = { id: "a", secret: "x".repeat(32) };
  await expect(serve(() => "", { interaction: { stateKeys: [twice, twice] } })).rejects.toMatchObject({
    code: "INVALID_DEFINITION",
  });
});

test("keys come from a function, and requests fail while it rejects", async () => {
  const keys = [{ id: "k1", secret: "a".repeat(32) }];
  const failure = new Error("the store is down");
  let isDown = false;
  const stateKeys = () => (isDown ? Promise.reject(failure) : Promise.resolve(keys));
  await using wire = await serve(askName, { interaction: { stateKeys } });
  const { requestState } = (await call(wire, 1)).result;
  const retry = { requestState, inputResponses: { "elicitation#1": ada } };
  isDown = true;
  expect(await call(wire, 2)).toMatchObject({ error: { code: -32603 } });
  expect(await call(wire, 3, retry)).toMatchObject({ error: { code: -32603 } });
  isDown = false;
  expect((await call(wire, 4, retry)).result.content[0].text).toBe("Ada");
  expect(wire.errors).toEqual([failure, failure]);
});

test("a handler that changed between the rounds is recognized by its input request: -32602, a report, and a fresh start works", async () => {
  let version = 1;
  await using wire = await serve(async (ctx) => {
    const extra =
      version === 2 ? await ctx.elicit({ message: "New?", requestedSchema: nameForm }) : undefined;
    const name = accepted(await ctx.elicit({ message: "Who?", requestedSchema: nameForm })).name;
    return `${name}${extra?.action ?? ""}`;
  });
  const { requestState } = (await call(wire, 1)).result;
  version = 2;
  const retry = await call(wire, 2, { requestState, inputResponses: { "elicitation#1": ada } });
  expect(retry.error).toEqual({
    code: -32602,
    message: expect.stringContaining("may have had effects") as string,
    data: { reason: "input-changed", delivered: "maybe" },
  });
  await call(wire, 3, { requestState, inputResponses: { "elicitation#1": ada } });
  expect(wire.errors.map(String)).toEqual([expect.stringContaining("Give it a `key`")]);

  const fresh = await call(wire, 4);
  expect(fresh.result.inputRequests["elicitation#1"]?.params).toMatchObject({ message: "New?" });
});

test("a changed handler cannot swallow the -32602 either", async () => {
  let message = "Who?";
  await using wire = await serve(async (ctx) =>
    ctx.elicit({ message, requestedSchema: nameForm }).then(
      () => "answered",
      () => "swallowed",
    ),
  );
  const { requestState } = (await call(wire, 1)).result;
  message = "How old?";
  const retry = await call(wire, 2, { requestState, inputResponses: { "elicitation#1": ada } });
  expect(retry.error.code).toBe(-32602);
});

test("with keys of its own a handler may reword and reorder its questions between the rounds", async () => {
  let version = 1;
  await using wire = await serve(async (ctx) => {
    const ask = (key: string): Promise<unknown> =>
      ctx.elicit({ message: `${key} ${version}`, requestedSchema: nameForm }, { key });
    const keys = version === 1 ? ["a", "b"] : ["b", "a"];
    for (const key of keys) {
      await ask(key);
    }
    return "done";
  });
  const first = await call(wire, 1);
  version = 2;
  const second = await call(wire, 2, {
    requestState: first.result.requestState,
    inputResponses: { a: ada },
  });
  expect(Object.keys(second.result.inputRequests)).toEqual(["b"]);
  const third = await call(wire, 3, {
    requestState: second.result.requestState,
    inputResponses: { b: ada },
  });
  expect(third.result.content[0].text).toBe("done");
});

test("an answer of the wrong shape is answered with -32602 and does not reach the handler (R-654, T-55)", async () => {
  const asks: Record<string, (ctx: RequestContext) => Promise<unknown>> = {
    elicitation: (ctx) => ctx.elicit({ message: "?", requestedSchema: nameForm }),
    sampling: (ctx) => ctx.sample({ messages: [], maxTokens: 1 }),
    roots: (ctx) => ctx.listRoots(),
  };
  for (const [kind, ask] of Object.entries(asks)) {
    await using wire = await serve(async (ctx) => ask(ctx).catch(() => "swallowed"));
    const { requestState } = (await call(wire, 1)).result;
    const odd = [
      null,
      5,
      "x",
      [],
      {},
      { action: "accept", content: { name: 1 } },
      { action: "accept" },
      { roots: [1] },
    ];
    for (const [index, answer] of odd.entries()) {
      const retry = await call(wire, 2 + index, { requestState, inputResponses: { [`${kind}#1`]: answer } });
      expect([kind, index, retry.error?.code]).toEqual([kind, index, -32602]);
    }
  }
});

test("rounds, inputs and the size of the state have limits with clear errors", async () => {
  const endless = async (ctx: RequestContext): Promise<string> => {
    for (let i = 0; ; i++) {
      await ctx.elicit({ message: `${i}`, requestedSchema: nameForm });
    }
  };
  await using rounds = await serve(endless, { limits: { maxRounds: 2 } });
  const first = await call(rounds, 1);
  const second = await call(rounds, 2, {
    requestState: first.result.requestState,
    inputResponses: { "elicitation#1": ada },
  });
  const third = await call(rounds, 3, {
    requestState: second.result.requestState,
    inputResponses: { "elicitation#2": ada },
  });
  expect(third.error).toEqual({ code: -32603, message: expect.stringContaining("maxRounds") as string });
  expect(rounds.errors).toMatchObject([{ code: "LIMIT_EXCEEDED" }]);

  await using size = await serve(
    async (ctx) => {
      await ctx.step("big", () => "x".repeat(2000));
      await ctx.elicit({ message: "?", requestedSchema: nameForm });
    },
    { limits: { maxStateBytes: 1000 } },
  );
  expect((await call(size, 1)).error).toEqual({
    code: -32603,
    message: expect.stringContaining("maxStateBytes") as string,
  });

  await using inputs = await serve(
    async (ctx) =>
      Promise.all([1, 2, 3].map((n) => ctx.elicit({ message: `${n}`, requestedSchema: nameForm }))),
    { limits: { maxInputs: 2 } },
  );
  expect((await call(inputs, 1)).result.isError).toBe(true);
  expect(inputs.errors).toMatchObject([{ code: "LIMIT_EXCEEDED" }]);
});

test("an unsealed state needs the option, and comes back unverified and apart from sealed state", async () => {
  const handler = (ctx: RequestContext): unknown =>
    ctx.unsealedState === undefined
      ? inputRequired({ requestState: "page 2", sealed: false })
      : `${ctx.unsealedState} ${String(ctx.requestState)}`;
  await using wire = await serve(handler, { interaction: { allowUnsealedState: true } });
  const first = await call(wire, 1);
  expect(first.result).toMatchObject({ resultType: "input_required", requestState: "page 2" });
  const second = await call(wire, 2, { requestState: "page 3" });
  expect(second.result.content[0].text).toBe("page 3 undefined");

  await using strict = await serve(handler);
  expect((await call(strict, 1)).error.code).toBe(-32603);
  expect((await call(strict, 2, { requestState: "page 3" })).error.code).toBe(-32602);
});

test("whatever a client sends as state and answers is answered: with a question, a result or -32602 (R-652, R-654)", async () => {
  await using wire = await serve(async (ctx) => {
    const [who, roots, sampled] = await Promise.all([
      ctx.elicit({ message: "?", requestedSchema: nameForm }, { key: "who" }),
      ctx.listRoots({ key: "roots" }),
      ctx.sample({ messages: [], maxTokens: 1 }, { key: "sampled" }),
    ]);
    return JSON.stringify([who, roots, sampled]);
  });
  const { requestState } = (await call(wire, 1)).result;
  const answers = fc.record(
    { who: fc.jsonValue(), roots: fc.jsonValue(), sampled: fc.jsonValue(), other: fc.jsonValue() },
    { requiredKeys: [] },
  );
  const states = fc.oneof(
    { weight: 4, arbitrary: fc.constant(requestState) },
    fc.jsonValue(),
    fc.string().map((text) => `t1.${text}`),
  );
  let id = 1;
  await fc.assert(
    fc.asyncProperty(
      states,
      fc.oneof({ weight: 4, arbitrary: answers }, fc.jsonValue()),
      async (state, responses) => {
        const answer = await call(wire, ++id, { requestState: state, inputResponses: responses });
        if (answer.error === undefined) {
          expect(["complete", "input_required"]).toContain(answer.result.resultType);
        } else {
          expect(answer.error.code).toBe(-32602);
        }
      },
    ),
    { numRuns: samples(300) },
  );
  const codes = wire.errors.map((error) => (error as { code?: unknown }).code);
  expect(["UNKNOWN_STATE_KEY", "STATE_REFUSED"]).toEqual(expect.arrayContaining(codes));
  expect(codes.length).toBeLessThanOrEqual(2);
});

test("who goes on with a request is told by what the transport has checked, not by what the client says of itself (R-629)", async () => {
  let checked = "ada";
  await using wire = await serve(
    async (ctx) =>
      (await ctx.elicit({ mode: "url", message: "Sign in", url: "https://bank.example/in" })).action,
    { interaction: { principal: () => checked } },
  );
  const { requestState } = (await call(wire, 1)).result;
  const answered = { requestState, inputResponses: { "elicitation#1": { action: "accept" } } };
  const claiming = (name: string): object => ({
    ...answered,
    _meta: {
      ...meta,
      "io.modelcontextprotocol/clientInfo": { name, version: "1" },
      "com.example/user": name,
    },
  });
  checked = "mallory";
  for (const [index, name] of ["ada", "mallory", "admin"].entries()) {
    expect((await call(wire, 10 + index, claiming(name))).error.code).toBe(-32_602);
  }
  checked = "ada";
  expect((await call(wire, 20, claiming("mallory"))).result.content[0].text).toBe("accept");
});

test("requests that belong together are joined by their requestState alone, not by the connection (R-150)", async () => {
  await using wire = await serve(async (ctx) => {
    const { name } = accepted(await ctx.elicit({ message: "first?", requestedSchema: nameForm }));
    return `${name} ${accepted(await ctx.elicit({ message: "second?", requestedSchema: nameForm })).name}`;
  });
  const first = await call(wire, 1);
  const one = { requestState: first.result.requestState, inputResponses: { "elicitation#1": ada } };
  const second = await call(wire, 2, one);
  expect(second.result.inputRequests).toHaveProperty("elicitation#2");
  // The last answer without the state: what the user has answered before is not known.
  const unjoined = await call(wire, 3, { inputResponses: { "elicitation#2": ada } });
  expect(unjoined.result?.content).toBeUndefined();
  const two = { requestState: second.result.requestState, inputResponses: { "elicitation#2": ada } };
  expect((await call(wire, 4, two)).result.content[0].text).toBe("Ada Ada");
});
