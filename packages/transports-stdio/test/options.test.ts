import { CommandTransport, StdioTransport, type CommandOptions } from "@tenon/transports-stdio";
import { expect, test } from "vitest";

test.each([
  [{ arg: [] }, 'new CommandTransport has no option "arg". Did you mean args?'],
  [{ maxBufferedBytes: 5 }, "It is a limit: write limits: { maxBufferedBytes: … }."],
  [{ limits: { maxMessageByte: 5 } }, 'limits has no option "maxMessageByte". Did you mean maxMessageBytes?'],
  [{ limits: { maxBufferedBytes: NaN } }, "limits.maxBufferedBytes must be an integer of 0 or more"],
])("options that a command transport does not know are rejected: %o", (options, message) => {
  expect(() => new CommandTransport({ command: "node", ...options } as CommandOptions)).toThrow(message);
});

test.each([
  [{ stdinn: process.stdin }, 'new StdioTransport has no option "stdinn". Did you mean stdin?'],
  [
    { limits: { exitAfterMs: -1 } },
    "limits.exitAfterMs must be a number of 0 or more, or Infinity for no limit; got -1.",
  ],
])("options that a stdio transport does not know are rejected: %o", (options, message) => {
  expect(() => new StdioTransport(options as object)).toThrow(message);
});
