import { LoggingTransport, Peer, type Connection } from "@tenon/jsonrpc2";
import { createDecoder } from "@tenon/jsonrpc2/decode";
import { StatelessPeer } from "@tenon/jsonrpc2/stateless";
import { ndjsonConnection } from "@tenon/jsonrpc2/stream";
import { createScriptedPeer } from "@tenon/jsonrpc2/testing";
import { expect, test } from "vitest";

test.each([
  [{ timeoutMs: 5000 }, 'new Peer has no option "timeoutMs". It is a limit: write limits: { timeoutMs: … }.'],
  [{ handlr: () => 1 }, 'new Peer has no option "handlr". Did you mean handler?'],
])("a peer refuses the options %j", (options, message) => {
  const { connection } = createScriptedPeer();
  expect(() => new Peer(connection, options as object)).toThrow(message);
});

const connection: Connection = createScriptedPeer().connection;

test.each([
  ["Peer", (limits: object): unknown => new Peer(connection, { limits })],
  ["StatelessPeer", (limits: object): unknown => new StatelessPeer({ limits })],
  ["createDecoder", (limits: object): unknown => createDecoder(limits)],
  ["ndjsonConnection", (limits: object): unknown => ndjsonConnection(null as never, limits)],
  [
    "LoggingTransport",
    (limits: object): unknown => new LoggingTransport(null as never, { write: () => true }, { limits }),
  ],
])("%s rejects limits that do not exist", (_, make) => {
  expect(() => make({ nonsense: 1 })).toThrow('limits has no option "nonsense". It takes ');
});

test.each([
  ["StatelessPeer", "drainMs", (options: object): unknown => new StatelessPeer(options)],
  [
    "LoggingTransport",
    "maxQueued",
    (options: object): unknown => new LoggingTransport(null as never, { write: () => true }, options),
  ],
])("%s rejects a limit that is not in limits", (name, limit, make) => {
  expect(() => make({ [limit]: 1 })).toThrow(
    `new ${name} has no option "${limit}". It is a limit: write limits: { ${limit}: … }.`,
  );
});

test.each([0, -1, NaN, "100"])("a call with a timeout of %j rejects and sends nothing", async (value) => {
  const other = createScriptedPeer();
  await using peer = new Peer(other.connection);
  for (const name of ["timeoutMs", "totalTimeoutMs"]) {
    await expect(peer.call("work", {}, { [name]: value })).rejects.toThrow(
      `${name} must be a number of 1 or more, or Infinity for no limit; got ${String(value)}.`,
    );
  }
  expect(peer.idle).toBe(true);
});
