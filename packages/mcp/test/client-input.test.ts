import type { ClientOptions } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { legacyRevision, modernRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { openServerWire, type ServerWire } from "./server-wire.ts";

const form = { type: "object", properties: { name: { type: "string" } } };
const elicit = { method: "elicitation/create", params: { message: "Who?", requestedSchema: form } };
const complete = { resultType: "complete", content: [] };

const answering: ClientOptions = {
  roots: [{ uri: "file:///w" }],
  elicitation: { form: ({ message }) => ({ action: "accept", content: { name: message } }) },
  limits: { repeatDelayMs: 0 },
};

function needs(inputRequests?: object, requestState?: string): object {
  return {
    resultType: "input_required",
    ...(inputRequests === undefined ? {} : { inputRequests }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

test("a round is answered under a new id with the same params and the state byte for byte (R-649, R-650, R-651, T-56, T-86)", async () => {
  await using wire = await openServerWire(modernRevision, answering);
  const call = wire.session.callTool({ name: "t", arguments: { x: 1 } });
  const state = ' {"odd": "state\\u0000 ☃"}\n';
  const roots = { method: "roots/list", id: "ignored" };
  const first = await wire.answer(needs({ a: elicit, b: roots }, state));
  const second = await wire.answer(needs({ c: roots }));
  const third = await wire.answer(complete);
  expect(await call).toEqual(complete);
  expect(first.params).not.toHaveProperty("inputResponses");
  expect(second.params).toEqual({
    ...first.params,
    inputResponses: {
      a: { action: "accept", content: { name: "Who?" } },
      b: { roots: [{ uri: "file:///w" }] },
    },
    requestState: state,
  });
  expect(third.params).toEqual({ ...first.params, inputResponses: { c: { roots: [{ uri: "file:///w" }] } } });
  expect(new Set([first.id, second.id, third.id]).size).toBe(3);
});

test("a result with state alone is come back to without answers (R-657)", async () => {
  await using wire = await openServerWire(modernRevision, answering);
  const call = wire.session.callTool({ name: "t" });
  const first = await wire.answer(needs(undefined, "later"));
  const second = await wire.answer(needs({}, "later still"));
  const third = await wire.answer(complete);
  await call;
  expect(second.params).toEqual({ ...first.params, requestState: "later" });
  expect(third.params).toEqual({ ...first.params, requestState: "later still" });
});

test("rounds and inputs have limits", async () => {
  await using wire = await openServerWire(modernRevision, {
    ...answering,
    limits: { maxRounds: 2, maxInputs: 2, repeatDelayMs: 0 },
  });
  const call = wire.session.callTool({ name: "t" });
  const failed = expect(call).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  for (let round = 0; round < 3; round++) {
    await wire.answer(needs({ a: elicit }));
  }
  await failed;

  const many = wire.session.callTool({ name: "t" });
  const refused = expect(many).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  await wire.answer(needs({ a: elicit, b: elicit, c: elicit }));
  await refused;
});

test("a server that asks for what was not declared is refused before anyone is asked (T-57)", async () => {
  let asked = 0;
  await using wire = await openServerWire(modernRevision, {
    elicitation: {
      form: () => {
        asked++;
        return { action: "cancel" };
      },
    },
  });
  const undeclared = [
    { method: "roots/list" },
    { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } },
    { method: "elicitation/create", params: { mode: "url", message: "", url: "https://example.com" } },
  ];
  for (const input of undeclared) {
    const call = wire.session.callTool({ name: "t" });
    const refused = expect(call).rejects.toMatchObject({
      code: "INVALID_RESULT",
      message: expect.stringContaining("has not declared") as string,
    });
    await wire.answer(needs({ ok: elicit, bad: input }));
    await refused;
  }
  expect(asked).toBe(0);
});

test("malformed questions, and questions where none are allowed, are INVALID_RESULT (R-112, R-645, R-646)", async () => {
  await using wire = await openServerWire(modernRevision, answering);
  const malformed: object[] = [
    needs(),
    { ...needs(), inputRequests: [] },
    { ...needs(), requestState: 5 },
    needs({ a: null }),
    needs({ a: { method: "tools/list" } }),
    needs({ a: { method: "ping" } }),
    needs({ a: { method: "elicitation/create", params: [] } }),
    { resultType: "task" },
    { resultType: 5 },
  ];
  for (const result of malformed) {
    const call = wire.session.callTool({ name: "t" });
    const refused = expect(call).rejects.toMatchObject({ code: "INVALID_RESULT" });
    await wire.answer(result);
    await refused;
  }
  const list = wire.session.listTools();
  const refused = expect(list).rejects.toMatchObject({ code: "INVALID_RESULT" });
  await wire.answer(needs({ a: elicit }));
  await refused;
});

test("the caller may answer the rounds itself", async () => {
  await using wire = await openServerWire(modernRevision);
  const rounds: unknown[] = [];
  const call = wire.session.callTool(
    { name: "t" },
    {
      onInputRequired: ({ inputRequests }, { number }) => {
        rounds.push([number, Object.keys(inputRequests ?? {})]);
        return { a: { action: "decline" } };
      },
    },
  );
  const refused = expect(call).rejects.toMatchObject({ code: "INVALID_RESULT" });
  await wire.answer(needs({ a: elicit }));
  await refused;

  await using declared = await openServerWire(modernRevision, { elicitation: "cancel" });
  const again = declared.session.callTool(
    { name: "t" },
    {
      onInputRequired: ({ inputRequests }, { number }) => {
        rounds.push([number, Object.keys(inputRequests ?? {})]);
        return { a: { action: "decline" } };
      },
    },
  );
  await declared.answer(needs({ a: elicit }, "s"));
  const retry = await declared.answer(complete);
  await again;
  expect(retry.params).toMatchObject({ inputResponses: { a: { action: "decline" } }, requestState: "s" });
  expect(rounds).toEqual([[1, ["a"]]]);
});

test("autoFulfil: false returns the question, and the caller goes on by sending the request again", async () => {
  await using wire = await openServerWire(modernRevision, answering);
  const call = wire.session.callTool({ name: "t" }, { autoFulfil: false });
  await wire.answer(needs({ a: elicit }, "s"));
  const result = await call;
  expect(result).toEqual(needs({ a: elicit }, "s"));
  const retry = wire.session.callTool({
    name: "t",
    inputResponses: { a: { action: "cancel" } },
    requestState: "s",
  });
  const sent = await wire.answer(needs({ b: elicit }));
  expect(sent.params).toMatchObject({ inputResponses: { a: { action: "cancel" } }, requestState: "s" });
  // What belonged to the round before goes nowhere else.
  const last = await wire.answer(complete);
  await retry;
  expect(last.params).not.toHaveProperty("requestState");
  expect(last.params).toMatchObject({ inputResponses: { b: { action: "accept" } } });
});

test("when one input fails the others are called off, and the server is not asked again (R-616)", async () => {
  let calledOff: unknown;
  const hung = new Promise<void>((resolve) => {
    void run(resolve);
  });
  async function run(done: () => void): Promise<void> {
    await using wire = await openServerWire(modernRevision, {
      sampling: {
        createMessage: () => {
          throw new Error("no model");
        },
      },
      elicitation: {
        form: (_, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              calledOff = signal.reason;
              reject(new Error("called off"));
            });
          }),
      },
    });
    const call = wire.session.callTool({ name: "t" });
    const failed = expect(call).rejects.toMatchObject({
      code: "INPUT_FAILED",
      message: expect.stringContaining("no model") as string,
    });
    const sample = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };
    await wire.answer(needs({ a: elicit, b: sample }));
    await failed;
    const listing = wire.session.listTools();
    expect(await wire.answer({ ...complete, tools: [] })).toMatchObject({ method: "tools/list" });
    await listing;
    done();
  }
  await hung;
  expect(calledOff).toMatchObject({ name: "AbortError" });
});

test("a modern server that sends a request of its own is not answered (T-33)", async () => {
  await using wire = await openServerWire(modernRevision, answering);
  await wire.send({ id: 1, ...elicit });
  const listing = wire.session.listTools();
  expect(await wire.answer({ ...complete, tools: [] })).toMatchObject({ method: "tools/list" });
  await listing;
});

test("an embedded question passes the client's middleware like any other", async () => {
  await using wire = await openServerWire(modernRevision, answering);
  const seen: unknown[] = [];
  wire.client.addReceivingMiddleware((next) => (request) => {
    seen.push([request.id, request.method]);
    return next(request.with({ params: { ...request.params, message: "changed" } }));
  });
  const call = wire.session.callTool({ name: "t" });
  await wire.answer(needs({ a: elicit }));
  const retry = await wire.answer(complete);
  await call;
  expect(seen).toEqual([["a", "elicitation/create"]]);
  expect(retry.params).toMatchObject({ inputResponses: { a: { content: { name: "changed" } } } });
});

async function ask(wire: ServerWire, method: string, params: object): Promise<object> {
  await wire.send({ id: 1, method, params });
  return wire.next();
}

test("capabilities follow from the handlers, as each revision knows them (T-46, R-604, R-617)", async () => {
  const all: ClientOptions = {
    roots: [],
    sampling: {
      createMessage: () => ({ role: "user", model: "m", content: [] }),
      tools: true,
      context: true,
    },
    elicitation: "cancel",
  };
  const declared = async (revision: Revision, options: ClientOptions): Promise<unknown> => {
    await using wire = await openServerWire(revision, options);
    const { params = {} } = wire.opening;
    const meta = params["_meta"] as Record<string, unknown> | undefined;
    return params["capabilities"] ?? meta?.["io.modelcontextprotocol/clientCapabilities"];
  };
  const legacyRoots = { roots: { listChanged: true } };
  expect(await declared("2024-11-05", all)).toEqual({ ...legacyRoots, sampling: {} });
  expect(await declared("2025-06-18", all)).toEqual({ ...legacyRoots, sampling: {}, elicitation: {} });
  const latest = { sampling: { tools: {}, context: {} }, elicitation: { form: {}, url: {} } };
  expect(await declared("2025-11-25", all)).toEqual({ ...legacyRoots, ...latest });
  expect(await declared("2026-07-28", all)).toEqual({ roots: {}, ...latest });
  expect(await declared("2026-07-28", {})).toEqual({});
  expect(await declared("2025-11-25", {})).toEqual({});
  const urlOnly: ClientOptions = { elicitation: { url: () => ({ action: "cancel" }) } };
  expect(await declared("2025-06-18", urlOnly)).toEqual({});
  expect(await declared("2025-11-25", urlOnly)).toEqual({ elicitation: { url: {} } });
});

test("a legacy server that asks for what was not declared is told -32601, or -32602 for a part (R-603, R-605, R-618)", async () => {
  await using none = await openServerWire(legacyRevision);
  for (const method of ["roots/list", "sampling/createMessage", "elicitation/create"]) {
    expect(await ask(none, method, {})).toMatchObject({ error: { code: -32601 } });
  }
  await using some = await openServerWire(legacyRevision, {
    elicitation: { form: () => ({ action: "cancel" }) },
    sampling: {
      createMessage: () => ({ role: "assistant", model: "m", content: { type: "text", text: "" } }),
    },
  });
  const url = { mode: "url", message: "", url: "https://example.com" };
  expect(await ask(some, "elicitation/create", url)).toMatchObject({ error: { code: -32602 } });
  const tools = { messages: [], maxTokens: 1, tools: [] };
  expect(await ask(some, "sampling/createMessage", tools)).toMatchObject({ error: { code: -32602 } });
});

test("answers and state belong to the retry of their own request, not to one that runs beside it (R-651)", async () => {
  await using wire = await openServerWire(modernRevision, answering);
  const calls = [1, 2].map((x) => wire.session.callTool({ name: "t", arguments: { x } }));
  const asked = [await wire.next(), await wire.next()];
  for (const { id, params } of asked) {
    const { x } = (params ?? {})["arguments"] as { x: number };
    await wire.send({ id, result: needs({ [`key${x}`]: { method: "roots/list" } }, `state ${x}`) });
  }
  const retries = [await wire.next(), await wire.next()];
  for (const { id, params } of retries) {
    const { x } = (params ?? {})["arguments"] as { x: number };
    expect(params).toMatchObject({ requestState: `state ${x}` });
    expect(Object.keys(params?.["inputResponses"] as object)).toEqual([`key${x}`]);
    await wire.send({ id, result: { ...complete, content: [{ type: "text", text: `done ${x}` }] } });
  }
  expect(await Promise.all(calls)).toMatchObject([
    { content: [{ text: "done 1" }] },
    { content: [{ text: "done 2" }] },
  ]);
});
