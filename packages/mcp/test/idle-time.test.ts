import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import type { ClientOptions } from "@tenon/mcp";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { openServerWire } from "./server-wire.ts";

/** Lets everything that is ready to run do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const form = { type: "object", properties: { name: { type: "string" } } };

test("the silence of a legacy server is no timeout while the user answers what it asks for the same call (R-240)", async () => {
  const clock = createVirtualClock();
  let finish: (result: { action: "decline" }) => void = () => {};
  const answer = new Promise<{ action: "decline" }>((resolve) => {
    finish = resolve;
  });
  const options: ClientOptions = { clock, elicitation: { form: () => answer }, limits: { timeoutMs: 1000 } };
  await using wire = await openServerWire(legacyRevision, options);
  const call = wire.session.callTool({ name: "ask" });
  const { id } = await wire.next();
  clock.advance(900);
  await wire.send({
    id: "q",
    method: "elicitation/create",
    params: { message: "Who?", requestedSchema: form },
  });
  await settle();
  clock.advance(3_000_000);
  await settle();
  finish({ action: "decline" });
  expect(await wire.next()).toMatchObject({ id: "q", result: { action: "decline" } });
  clock.advance(900);
  await wire.send({ id, result: { content: [] } });
  expect(await call).toEqual({ content: [] });
});

test("once the user has answered, silence counts again from the beginning", async () => {
  const clock = createVirtualClock();
  const elicitation: ClientOptions["elicitation"] = { form: async () => ({ action: "cancel" }) };
  await using wire = await openServerWire(legacyRevision, {
    clock,
    elicitation,
    limits: { timeoutMs: 1000 },
  });
  const call = wire.session.callTool({ name: "ask" });
  const outcome = call.catch((error: unknown) => error);
  await wire.next();
  await wire.send({
    id: "q",
    method: "elicitation/create",
    params: { message: "Who?", requestedSchema: form },
  });
  expect(await wire.next()).toMatchObject({ id: "q" });
  await settle();
  clock.advance(999);
  await settle();
  clock.advance(1);
  expect(await outcome).toMatchObject({ code: "TIMEOUT" });
});

test("a handler that goes on after its question was cancelled holds nothing up", async () => {
  const clock = createVirtualClock();
  const elicitation: ClientOptions["elicitation"] = { form: () => new Promise(() => {}) };
  await using wire = await openServerWire(legacyRevision, {
    clock,
    elicitation,
    limits: { timeoutMs: 1000 },
  });
  const outcome = wire.session.callTool({ name: "ask" }).catch((error: unknown) => error);
  await wire.next();
  await wire.send({
    id: "q",
    method: "elicitation/create",
    params: { message: "Who?", requestedSchema: form },
  });
  await settle();
  clock.advance(5000);
  await wire.send({ method: "notifications/cancelled", params: { requestId: "q" } });
  await settle();
  clock.advance(1000);
  expect(await outcome).toMatchObject({ code: "TIMEOUT" });
});
