import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { initialize, openWire } from "./wire.ts";

const largest = String(Number.MAX_SAFE_INTEGER);

/** Calls a tool with a number as it is written. */
async function callWith(input: object, written: string): Promise<unknown> {
  await using wire = await openWire({}, (server) => {
    server.addTool({ name: "take", input: { type: "object", properties: { id: input } } }, (args) =>
      String((args as { id: unknown }).id),
    );
  });
  await wire.ask(initialize(legacyRevision));
  const text = `{"name":"take","arguments":{"id":${written}}}`;
  const answer = await wire.ask({ jsonrpc: "2.0", id: 1, method: "tools/call", params: JSON.parse(text) });
  const { result } = answer as { result: { isError?: boolean; content: { text: string }[] } };
  return result.isError === true ? "refused" : result.content[0]?.text;
}

const safe = { type: "integer", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

test.each([
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "12345678901234567890",
  "1e400",
  "1e16",
])(
  "the bounds of safe integers refuse every integer that may have been rounded: %s (T-018)",
  async (written) => {
    expect(await callWith(safe, written)).toBe("refused");
  },
);

test.each([largest, `-${largest}`, "0", "-1", "1e3"])(
  "an integer that passes the bounds of safe integers is the one that was written: %s (T-018)",
  async (written) => {
    expect(await callWith(safe, written)).toBe(String(Number(written)));
  },
);

test("without bounds an integer beyond 2^53 is rounded, as JavaScript reads it (T-018)", async () => {
  expect(await callWith({ type: "integer" }, "9007199254740993")).toBe("9007199254740992");
});

test("an identifier of any length goes through as text (T-018)", async () => {
  const digits = { type: "string", pattern: "^[0-9]+$" };
  expect(await callWith(digits, '"123456789012345678901234567890"')).toBe("123456789012345678901234567890");
});
