import { Client, Server } from "@tenon/mcp";
import { expect, test } from "vitest";

const info = { name: "test", version: "1.0.0" };

test.each([
  [["2026-01-01"], '["2026-01-01"]'],
  [[], "[]"],
  ["2025-11-25", '"2025-11-25"'],
  [["2025-11-25", undefined], '["2025-11-25",null]'],
])("revisions that do not exist are refused when they are given: %o", (revisions, got) => {
  const expected = expect.objectContaining({
    code: "INVALID_DEFINITION",
    message: `revisions must be a list of some of 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28; got ${got}.`,
  }) as Error;
  const options = { revisions } as object;
  expect(() => new Server(info, options)).toThrow(expected);
  expect(() => new Client(info, options)).toThrow(expected);
});

test.each([
  [{ pagesize: 5 }, 'new Server has no option "pagesize". Did you mean limits.pageSize?'],
  [{ onerror: () => {} }, 'new Server has no option "onerror". Did you mean onError?'],
  [{ tools: [] }, 'new Server has no option "tools". It takes instructions, revisions,'],
  [{ interaction: { stateKey: "x" } }, 'interaction has no option "stateKey". Did you mean stateKeys?'],
  [
    { limits: { pageSize: -1 } },
    "limits.pageSize must be an integer of 1 or more, or Infinity for no limit; got -1.",
  ],
  [
    { interaction: { maxRounds: 5 } },
    'interaction has no option "maxRounds". It is a limit: write limits: { maxRounds: … }.',
  ],
  [{ logging: { leve: "info" } }, 'logging has no option "leve". Did you mean level?'],
  [{ cache: { ttlMS: 5 } }, 'cache has no option "ttlMS". Did you mean ttlMs?'],
  [{ keepAlive: { intervalMS: 5 } }, 'keepAlive has no option "intervalMS". Did you mean intervalMs?'],
])("options that a server does not know are refused: %o", (options, message) => {
  expect(() => new Server(info, options as object)).toThrow(message);
});

test.each([
  [{ timeout: 5 }, 'new Client has no option "timeout". Did you mean limits.timeoutMs?'],
  [{ elicit: () => {} }, 'new Client has no option "elicit". It takes '],
  [{ timeoutMs: 5 }, 'new Client has no option "timeoutMs". It is a limit: write limits: { timeoutMs: … }.'],
  [
    { sampling: { createMesage: () => {} } },
    'sampling has no option "createMesage". Did you mean createMessage?',
  ],
  [{ elicitation: { forms: () => {} } }, 'elicitation has no option "forms". Did you mean form?'],
  [{ limits: { maxRound: 5 } }, 'limits has no option "maxRound". Did you mean maxRounds?'],
  [
    { limits: { timeoutMs: 0 } },
    "limits.timeoutMs must be a number of 1 or more, or Infinity for no limit; got 0.",
  ],
  [
    { limits: { maxInFlight: "32" } },
    'limits.maxInFlight must be an integer of 1 or more, or Infinity for no limit; got "32".',
  ],
  [
    { cache: { maxEntries: NaN } },
    "cache.maxEntries must be an integer of 0 or more, or Infinity for no limit; got NaN.",
  ],
])("options that a client does not know are refused: %o", (options, message) => {
  expect(() => new Client(info, options as object)).toThrow(message);
});

test("an option that is undefined is no option", () => {
  expect(() => new Server(info, { retries: undefined } as object)).not.toThrow();
});
