import type { ClientRequest } from "@tenon/mcp/client";
import { expect, test } from "vitest";

import { createInputs } from "../src/inputs.ts";

test("the input request after 32 that wait is cancelled", async () => {
  const { handlers, list } = createInputs(["form"], () => {});
  const ending = new AbortController();
  const ask = (signal = new AbortController().signal): unknown =>
    handlers?.form?.({ message: "Who are you?", requestedSchema: { type: "object", properties: {} } }, {
      signal,
    } as ClientRequest);
  const waiting = Array.from({ length: 32 }, () => ask());
  expect(await ask()).toEqual({ action: "cancel" });
  list()[0]?.decline();
  expect(await waiting[0]).toEqual({ action: "decline" });
  const next = ask(ending.signal);
  expect(list()).toHaveLength(32);
  ending.abort();
  expect(await next).toEqual({ action: "cancel" });
  expect(list()).toHaveLength(31);
});

test("only the kinds that the page shows have handlers, and others are refused", () => {
  const wrong = ["from"] as unknown as ["form"];
  expect(() => createInputs(wrong, () => {})).toThrow(
    'Expected "form" or "url" in the option inputs of useServer; got "from".',
  );
  expect(createInputs([], () => {}).handlers).toBeUndefined();
  expect(Object.keys(createInputs(["url"], () => {}).handlers ?? {})).toEqual(["url"]);
});
