import {
  createMemoryEventStore,
  StreamableClientTransport,
  StreamableServerTransport,
} from "@tenon/transports-streamable-http";
import { expect, test } from "vitest";

test.each([
  [{ header: {} }, 'new StreamableClientTransport has no option "header". Did you mean headers?'],
  [{ maxQueued: 5 }, "It is a limit: write limits: { maxQueued: … }."],
  [{ limits: { maxQueue: 5 } }, 'limits has no option "maxQueue". Did you mean maxQueued?'],
  [{ limits: { maxDepth: 2001 } }, "limits.maxDepth must be an integer from 1 to 2000; got 2001."],
  [{ reconnect: { maxTries: 5 } }, 'reconnect has no option "maxTries".'],
  [
    { reconnect: { maxSilenceMs: 0 } },
    "reconnect.maxSilenceMs must be a number of 1 or more, or Infinity for no limit; got 0.",
  ],
])("options that a client transport does not know are rejected: %o", (options, message) => {
  expect(() => new StreamableClientTransport("http://localhost/mcp", options as object)).toThrow(message);
});

test.each([
  [{ session: "x" }, 'new StreamableServerTransport has no option "session".'],
  [{ limits: { retryMs: Infinity } }, "limits.retryMs must be a number from 0 to 2147483647; got Infinity."],
])("options that a server transport does not know are rejected: %o", (options, message) => {
  expect(() => new StreamableServerTransport(options as object)).toThrow(message);
});

test("options that a store of events does not know are rejected", () => {
  expect(() => createMemoryEventStore({ maxEvents: 5 } as object)).toThrow(
    "It is a limit: write limits: { maxEvents: … }.",
  );
});
