import { isLocalError, Peer, type Unexpected } from "@tenon/jsonrpc2";
import { expect, test } from "vitest";

import { CommandTransport } from "../src/index.ts";
import { script } from "./programs.ts";

interface Started extends AsyncDisposable {
  readonly peer: Peer;
  readonly unexpected: Unexpected[];
}

/**
 * A peer of a program that answers each request by running this text, with `id` and `say` at hand.
 */
async function start(answer: string): Promise<Started> {
  const text = `lines(({ id, method }) => { if (method !== undefined) { ${answer} } });`;
  const connection = await new CommandTransport({ ...script(text), stderr: "ignore" }).connect();
  const unexpected: Unexpected[] = [];
  const peer = new Peer(connection, {
    onUnexpected: (one) => void unexpected.push(one),
    limits: { timeoutMs: 30_000 },
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
  expect(String(error)).toContain("The response follows other text on its line");
  expect(String(error)).toContain('standard output: "loading... {');
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

const named =
  'wrote text that is not JSON-RPC to standard output: "Server started [32mok". Log to standard error instead.';

test("a program that prints text and does not respond is named with its text when the call times out", async () => {
  await using it = await start(`console.log("Server started\\t\\u001b[32mok"); console.log("more");`);
  // A busy machine may start the program in more than 300 ms.
  void it.peer.call("initialize").catch(() => {});
  await expect.poll(() => it.unexpected).not.toEqual([]);
  const call = it.peer.call("initialize", {}, { timeoutMs: 300 }).catch((reason: unknown) => reason);
  expect(String(await call)).toMatch(
    /^LocalError: The call of "initialize" timed out: no response for 300 ms/,
  );
  expect(String(await call)).toContain(named);
});

test("a program that ends at once with code 0 is named, with the code", async () => {
  await using it = await start("process.stdin.destroy();");
  const error = await it.peer.call("initialize").catch((reason: unknown) => reason);
  expect(isLocalError(error, "CONNECTION_CLOSED")).toBe(true);
  expect(String(error)).toContain("ended with code 0.");
});

test.each([0, 3])("a program that prints text and ends with code %d is named with its text", async (code) => {
  await using it = await start(
    `console.log("Server started\\t\\u001b[32mok"); process.exitCode = ${code}; process.stdin.destroy();`,
  );
  const error = await it.peer.call("initialize").catch((reason: unknown) => reason);
  expect(isLocalError(error, "CONNECTION_CLOSED")).toBe(true);
  expect(String(error)).toContain(`ended with code ${code}`);
  expect(String(error)).toContain(named);
});

test("a program that ends with code 0 during a call is named, with its last words", async () => {
  await using it = await start(
    `if (id === 1) say({ id, result: 1 }); else { console.error("bye"); process.stdin.destroy(); }`,
  );
  await it.peer.call("initialize");
  const error = await it.peer.call("tools/call").catch((reason: unknown) => reason);
  expect(isLocalError(error, "CONNECTION_CLOSED")).toBe(true);
  expect(String(error)).toMatch(/The connection is closed\. The program ".*" ended with code 0\.[^]*bye/);
  // Nobody waited for anything else: the end itself is orderly.
  expect(await it.peer.closed).toEqual({});
});

test("a program that prints text and has responded ends normally with code 0", async () => {
  await using it = await start(
    `console.log("Server started"); say({ id, result: 1 }); process.stdin.destroy();`,
  );
  await it.peer.call("initialize");
  expect(await it.peer.closed).toEqual({});
});
