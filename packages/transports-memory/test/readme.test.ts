import { isRpcError, methodHandler, Peer, RpcError, type MethodHandlers } from "@tenon/jsonrpc2";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, test } from "vitest";

// #region methods
interface Calculator {
  divide: { params: { a: number; b: number }; result: number };
}

const calculator: MethodHandlers<Calculator> = {
  divide({ a, b }) {
    if (b === 0) {
      throw new RpcError(1, "Division by zero");
    }
    return a / b;
  },
};
// #endregion methods

test("the tour of the README runs", async () => {
  const log: unknown[] = [];
  const console = { log: (value: unknown) => log.push(value) };
  // #region peers
  const [left, right] = createInMemoryTransports();
  await using _server = new Peer(await right.connect(), { handler: methodHandler(calculator) });
  await using client = new Peer<Calculator>(await left.connect(), { limits: { timeoutMs: 5000 } });

  console.log(await client.call("divide", { a: 1, b: 4 })); // 0.25
  try {
    await client.call("divide", { a: 1, b: 0 });
  } catch (error) {
    if (isRpcError(error)) {
      console.log(error.message); // "Division by zero"
    }
  }
  // #endregion peers
  expect(log).toEqual([0.25, "Division by zero"]);
});

test("a call can be abandoned as in the README", async () => {
  const [left, right] = createInMemoryTransports();
  await using _server = new Peer(await right.connect(), {
    handler: () => new Promise(() => {}),
    limits: { drainMs: 0 },
  });
  await using client = new Peer(await left.connect());
  // #region cancel
  const abort = new AbortController();
  const call = client.call("slow", { of: "course" }, { signal: abort.signal, timeoutMs: 60_000 });
  abort.abort(new Error("changed my mind"));
  await call.catch((error: unknown) => error); // the error given to abort, at once
  // #endregion cancel
  await expect(call).rejects.toThrow("changed my mind");
});
