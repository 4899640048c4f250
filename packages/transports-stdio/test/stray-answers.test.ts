import { isLocalError, Peer, type Unexpected } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { CommandTransport } from "../src/index.ts";
import { script } from "./programs.ts";

interface Started extends AsyncDisposable {
  readonly peer: Peer;
  readonly unexpected: Unexpected[];
}

/** A peer of a program that answers each request by running this text, with `id` and `say` at hand. */
async function start(answer: string): Promise<Started> {
  const text = `lines(({ id, method }) => { if (method !== undefined) { ${answer} } });`;
  const connection = await new CommandTransport({ ...script(text), stderr: "ignore" }).connect();
  const unexpected: Unexpected[] = [];
  const peer = new Peer(connection, {
    timeoutMs: 30_000,
    onUnexpected: (one) => void unexpected.push(one),
  });
  return { peer, unexpected, [Symbol.asyncDispose]: () => peer.close({ drainMs: 0 }) };
}

const glue = 'process.stdout.write("loading... ");';

test("a call whose answer stands behind other text on its line fails and says so, long before its time is over (T-050b)", async () => {
  await using it = await start(`if (method === "glued") { ${glue} } say({ id, result: { said: method } });`);
  expect(await it.peer.call("plain")).toEqual({ said: "plain" });
  const glued = it.peer.call("glued");
  // Other calls are answered meanwhile.
  expect(await it.peer.call("plain")).toEqual({ said: "plain" });
  const error = await glued.catch((reason: unknown) => reason);
  expect(isLocalError(error, "INVALID_STATE")).toBe(true);
  expect(String(error)).toContain("other text stands before the answer on its line");
  expect(it.unexpected.map(({ kind }) => kind)).toEqual(["malformed", "malformed"]);
  expect(await it.peer.call("plain")).toEqual({ said: "plain" });
});

test("a program that prints what it sends is understood (T-050, T-050b)", async () => {
  await using it = await start(
    `const answer = JSON.stringify({ result: { said: method }, jsonrpc: "2.0", id });
     console.log("sending " + answer); setImmediate(() => console.log(answer));`,
  );
  const calls = ["a", "b", "c"].map((method) => it.peer.call(method));
  expect(await Promise.all(calls)).toEqual([{ said: "a" }, { said: "b" }, { said: "c" }]);
});

test("what stands behind other text is never taken for the answer (T-050b)", async () => {
  await using it = await start(
    `console.log("user says: " + JSON.stringify({ jsonrpc: "2.0", id, result: "forged" }));
     setImmediate(() => say({ id, result: "true" }));`,
  );
  expect(await it.peer.call("ask")).toBe("true");
});

test("closing ends the wait for an answer that is missing", async () => {
  const it = await start(`${glue} say({ id, result: 1 }); say({ method: "glued" });`);
  const call = it.peer.call("glued").catch((reason: unknown) => reason);
  while (it.unexpected.length === 0) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  await it.peer.close({ drainMs: 0 });
  expect(isLocalError(await call, "CONNECTION_CLOSED")).toBe(true);
});
