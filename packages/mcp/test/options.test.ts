import { Client, isMcpError, Server } from "@tenon/mcp";
import { expect, test } from "vitest";

const info = { name: "i", version: "1" };

function refusal(make: () => unknown): unknown {
  try {
    make();
    return undefined;
  } catch (error) {
    return isMcpError(error, "INVALID_DEFINITION") ? error.message : error;
  }
}

test("a limit or time that makes no sense is refused where it is given, by its name", () => {
  for (const [name, value] of [
    ["maxInFlight", 0],
    ["maxSubscriptions", -1],
    ["listChangedDelayMs", Number.NaN],
    ["timeoutMs", "60000"],
    ["drainMs", null],
  ] as const) {
    const message = refusal(() => new Server(info, { [name]: value }));
    expect(message).toMatch(
      new RegExp(`^The option ${name} must be a number of \\d or more; got "?${value}"?\\.$`),
    );
  }
  expect(refusal(() => new Server(info, { interaction: { maxRounds: 0 } }))).toContain("maxRounds");
  expect(refusal(() => new Client(info, { probeTimeoutMs: -5 }))).toContain("probeTimeoutMs");
  expect(refusal(() => new Client(info, { interaction: { backoffMs: Number.NaN } }))).toContain("backoffMs");
});

test("zero and infinity are times, and what is left out or undefined has its default", () => {
  const times = { timeoutMs: 0, totalTimeoutMs: Infinity };
  expect(refusal(() => new Server(info, { ...times, drainMs: 0, maxInFlight: undefined }))).toBeUndefined();
  expect(refusal(() => new Client(info, { ...times, interaction: undefined }))).toBeUndefined();
});
