import type { AnyMethods } from "../../methods.ts";
import type { Handler } from "../../peer/handler.ts";
import { methodHandler } from "../../peer/method-handler.ts";
import type { PeerOptions } from "../../peer/options.ts";
import { Peer } from "../../peer/peer.ts";
import type { Check, PairFactory } from "../conformance.ts";
import { expect, expectEqual, expectLocalError, rejection, turn, upTo, withPair } from "./assert.ts";

const echo: Handler = ({ params }) => params;

/** The guarantees of `Peer` hold over the transport. */
export const peers: readonly Check[] = [
  {
    name: "a call over the transport is answered",
    run: (factory) =>
      withPeers(factory, {}, { handler: echo }, async (left) => {
        expectEqual(await left.call("echo", { a: [1, "é"] }), { a: [1, "é"] }, "The answer");
      }),
  },
  {
    name: "a thousand calls at the same time get each its own answer",
    run: (factory) =>
      withPeers(factory, {}, { handler: echo }, async (left) => {
        const answers = await Promise.all(upTo(1000).map((n) => left.call("echo", { n })));
        expectEqual(
          answers,
          upTo(1000).map((n) => ({ n })),
          "The answers",
        );
      }),
  },
  {
    name: "both sides call each other at the same time",
    run: (factory) =>
      withPeers(factory, { handler: echo }, { handler: echo }, async (left, right) => {
        const calls = upTo(200).map(async (n) => {
          expectEqual(await (n % 2 === 0 ? left : right).call("echo", { n }), { n }, "The answer");
        });
        await Promise.all(calls);
      }),
  },
  {
    name: "handlers that call back do not wait for themselves",
    run: (factory) =>
      withPeers(
        factory,
        { handler: echo },
        { handler: (scope) => scope.call("echo", scope.params), limits: { maxInFlight: 4 } },
        async (left) => {
          const answers = await Promise.all(upTo(50).map((n) => left.call("relay", { n })));
          expectEqual(
            answers,
            upTo(50).map((n) => ({ n })),
            "The answers",
          );
        },
      ),
  },
  {
    name: "notifications arrive before the answer that follows them",
    run: (factory) => {
      const seen: unknown[] = [];
      const progress: Handler = (scope) => {
        for (const n of upTo(20)) {
          void scope.notify("progress", { n });
        }
        return "done";
      };
      const left = { handler: methodHandler<AnyMethods>({ progress: (params) => seen.push(params) }) };
      return withPeers(factory, left, { handler: progress }, async (peer) => {
        await peer.call("work");
        expectEqual(seen.length, 20, "The notifications seen before the answer");
      });
    },
  },
  {
    name: "the end of one peer rejects the calls of the other",
    run: (factory) =>
      withPeers(factory, {}, { handler: () => new Promise(() => {}) }, async (left, right) => {
        const calls = upTo(10).map((n) => left.call("never", { n }));
        const failed = Promise.all(
          calls.map((call) =>
            expectLocalError(call, "CONNECTION_CLOSED", "a call must reject when the other peer ends"),
          ),
        );
        await turn();
        await right.close({ drainMs: 0 });
        await failed;
        await left.closed;
      }),
  },
  {
    name: "an aborted call rejects at once and the connection lives on",
    run: (factory) => {
      const handler: Handler = ({ method, params }) => (method === "never" ? new Promise(() => {}) : params);
      return withPeers(factory, {}, { handler, limits: { drainMs: 0 } }, async (left) => {
        const abort = new AbortController();
        const call = left.call("never", {}, { signal: abort.signal });
        abort.abort(new Error("enough"));
        const aborted = "an aborted call must reject with the reason";
        const error = await rejection(call, aborted);
        expect(error === abort.signal.reason, `${aborted}; it rejected with ${String(error)}.`);
        expectEqual(await left.call("echo", { a: 1 }), { a: 1 }, "The next answer");
      });
    },
  },
  {
    name: "a flood of notifications reaches a slow handler completely and in order",
    run: (factory) => {
      const seen: number[] = [];
      const handler: Handler = async ({ method, params }) => {
        if (method === "flood") {
          seen.push((params as { n: number }).n);
          await turn();
        }
        return seen.length;
      };
      return withPeers(factory, {}, { handler, limits: { maxInFlight: 8, maxBacklog: 8 } }, async (left) => {
        await Promise.all(upTo(500).map((n) => left.notify("flood", { n })));
        await left.call("count");
        expectEqual(seen, upTo(500), "The notifications");
      });
    },
  },
];

async function withPeers(
  factory: PairFactory,
  leftOptions: PeerOptions,
  rightOptions: PeerOptions,
  run: (left: Peer, right: Peer) => Promise<void>,
): Promise<void> {
  await withPair(factory, async (pair) => {
    const left = new Peer(pair.left, leftOptions);
    const right = new Peer(pair.right, rightOptions);
    try {
      await run(left, right);
    } finally {
      await Promise.all([left.close({ drainMs: 0 }), right.close({ drainMs: 0 })]);
    }
  });
}
