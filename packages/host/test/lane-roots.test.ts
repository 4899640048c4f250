import { Client, type Server } from "@tenon/mcp";
import { deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { answering, proxied, type Answer } from "./lanes-fixture.ts";
import { forever } from "./open-lanes.ts";

const tools = { plain: () => "done" } as const;
const own = [{ uri: "file:///bob" }];
const textOf = ({ result }: Answer): unknown => result?.content?.[0]?.text;
const asked = ({ result }: Answer): readonly string[] =>
  Object.values(result?.inputRequests ?? {}).map(({ method }) => method);

/** A server that requests the roots after the handshake, and does not limit its wait. */
function requestRoots(server: Server, got: (roots: unknown) => void): void {
  server.addReceivingMiddleware((next) => (request) => {
    const { session } = request;
    if (request.method === "notifications/initialized") {
      session?.listRoots({ timeoutMs: Infinity }).then(got, got);
    }
    return next(request);
  });
}

test("a call whose user does not send the roots gives way, and the next call of the user sends them", async () => {
  const roots = deferred<unknown>();
  const { send, runs } = await proxied(
    {
      back: legacyRevision,
      limits: { maxPerCaller: 1, rootsWaitMs: 60_000, giveWayMs: 20 },
      prepare: (server) => requestRoots(server, roots.resolve),
    },
    tools,
  );
  expect(asked(await send("bob", "plain"))).toEqual(["roots/list"]);
  const second = await send("bob", "plain");
  expect(asked(second)).toEqual(["roots/list"]);
  expect(textOf(await send("bob", "plain", answering(second, { roots: own })))).toBe("done");
  expect(await roots.promise).toEqual(own);
  expect(runs).toEqual(["plain"]);
});

test("all requests for roots that wait for a call are sent with it", async () => {
  const [roots, asking] = [deferred<unknown>(), deferred()];
  const { send } = await proxied(
    {
      back: legacyRevision,
      limits: { rootsWaitMs: 0 },
      prepare: (server) =>
        server.addReceivingMiddleware((next) => async (request) => {
          const result = await next(request);
          const { session, params } = request;
          if (params["name"] === "first") {
            setImmediate(() => {
              const all = [1, 2].map(async () => session?.listRoots({ timeoutMs: Infinity }));
              Promise.all(all).then(roots.resolve, roots.resolve);
              // The response to a ping comes after the requests have been received.
              session?.request("ping", {}).then(() => asking.resolve(), roots.resolve);
            });
          }
          return result;
        }),
    },
    { first: () => "done", plain: () => roots.promise.then(() => "done") },
  );
  expect(textOf(await send("bob", "first"))).toBe("done");
  await asking.promise;
  const next = await send("bob", "plain");
  expect(asked(next)).toEqual(["roots/list", "roots/list"]);
  expect(textOf(await send("bob", "plain", answering(next, { roots: own })))).toBe("done");
  expect(await roots.promise).toEqual([own, own]);
});

test("a server that got the roots before the first call gets the call", async () => {
  const roots = deferred<unknown>();
  const { front, relay, lanes } = await proxied(
    { back: legacyRevision, prepare: (server) => requestRoots(server, roots.resolve) },
    tools,
  );
  const [here, there] = createInMemoryTransports();
  const session = front.connect(there);
  const bob = await new Client(
    { name: "bob", version: "1.0.0" },
    { revisions: [legacyRevision], roots: own },
  ).connect(here);
  onTestFinished(() => bob.close());
  // As a list does, which clients request first.
  await lanes.view(relay.callerOfSession(await session), forever);
  expect(await roots.promise).toEqual(own);
  const { content } = await bob.callTool({ name: "plain", arguments: {} });
  expect(content).toMatchObject([{ text: "done" }]);
});
