import { errorSink } from "@tenon/base";
import { afterEach, expect, test, vi } from "vitest";

import { connectionClosed, Peer } from "../src/index.ts";
import { StatelessPeer } from "../src/stateless.ts";
import { createScriptedPeer } from "../src/testing.ts";
import { request } from "./helpers.ts";

const written = vi.spyOn(console, "error").mockImplementation(() => {});
afterEach(() => void written.mockClear());

test("an error that no caller gets is written to the console, unless the user says otherwise", async () => {
  const bug = new Error("a bug");
  const handler = (): never => {
    throw bug;
  };
  for (const [onError, calls] of [
    [undefined, [[bug]]],
    [() => {}, []],
  ] as const) {
    written.mockClear();
    const other = createScriptedPeer();
    await using peer = new Peer(other.connection, { handler, onError });
    other.send(request(1));
    expect(await other.next()).toMatchObject({ id: 1, error: { message: "Internal error" } });
    expect(written.mock.calls).toEqual(calls);
    await peer.close();
  }
});

test("a handler that fails because another connection is closed is written to the console, and which one it is", async () => {
  const cause = connectionClosed("The database is gone.");
  const other = createScriptedPeer();
  const handler = (): Promise<never> => Promise.reject(cause);
  await using _ = new Peer(other.connection, { handler });
  other.send(request(1));
  await other.next();
  const stateless = new StatelessPeer();
  const answered = new Promise((answer) => {
    stateless.handle(request(1), { notify: () => undefined, answer }, handler);
  });
  await answered;
  const message = "The handler of m failed: The database is gone.";
  const failed = expect.objectContaining({ message, cause }) as unknown;
  expect(written.mock.calls).toEqual([[failed], [failed]]);
});

test("that a peer has disconnected is not written to the console", () => {
  const report = errorSink(undefined);
  report(connectionClosed());
  expect(written).not.toHaveBeenCalled();
  report("anything else");
  expect(written.mock.calls).toEqual([["anything else"]]);
});

test("the error of a closed connection takes a message first, and then its cause", () => {
  const cause = new Error("EPIPE");
  expect(connectionClosed("The socket closed.", { cause })).toMatchObject({
    message: "The socket closed.",
    cause,
  });
  expect(connectionClosed("The socket closed.").cause).toBeUndefined();
  expect(connectionClosed(undefined, { cause }).message).toBe("The connection is closed: EPIPE");
  expect(connectionClosed().message).toBe("The connection is closed.");
});
