import { systemClock } from "@tenon/base";
import type { Caller, Request, Response } from "@tenon/jsonrpc2";
import { latestLegacy, requestFacts } from "@tenon/protocol";
import { deferred } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Server } from "../src/entry/server.ts";
import { StatelessServing } from "../src/session/server/stateless-serving.lazy.ts";

const ping: Request = { jsonrpc: "2.0", id: 1, method: "ping" };

/** A caller that keeps what it is told, in order. */
function caller(): Caller & { readonly told: (Response | "ended")[] } {
  const told: (Response | "ended")[] = [];
  return {
    told,
    notify: () => undefined,
    answer: (response) => told.push(response),
    ended: () => told.push("ended"),
  };
}

test("messages that come while the code for them is being loaded are answered in their order", async () => {
  const server = new Server({ name: "s", version: "1.0.0" });
  const one = caller();
  const handlings = [1, 2, 3].map((id) =>
    server.handle({ ...ping, id }, one, requestFacts(ping.params, latestLegacy)),
  );
  expect(one.told).toEqual([]);
  await Promise.all(handlings.map((handling) => handling.close()));
  expect(one.told.flatMap((told) => (told === "ended" ? [] : [told.id]))).toEqual([1, 2, 3]);
});

test("a message that is cancelled while the code for it is being loaded is not handled, and ends", async () => {
  const server = new Server({ name: "s", version: "1.0.0" });
  const one = caller();
  const handling = server.handle(ping, one, requestFacts(ping.params, latestLegacy));
  handling.cancel(new Error("gone"));
  await handling.close();
  expect(one.told).toEqual(["ended"]);
});

test("the close of a server waits for messages that came while the code for them is being loaded", async () => {
  const server = new Server({ name: "s", version: "1.0.0" });
  const one = caller();
  server.handle(ping, one, requestFacts(ping.params, latestLegacy));
  await server.close();
  expect(one.told).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }, "ended"]);
});

test("a message that is cancelled while the code of the features is being loaded starts no handler (T-037)", async () => {
  const [loaded, ran] = [deferred(), deferred()];
  const started: unknown[] = [];
  const definition = { onError: () => {}, limits: { drainMs: 0 }, clock: systemClock, middleware: {} };
  const serving = new StatelessServing(
    definition as never,
    (scope) => {
      started.push(scope.id);
      ran.resolve();
    },
    () => loaded.promise,
  );
  const [gone, there] = [caller(), caller()];
  const handling = serving.handle(ping, gone, requestFacts(ping.params, latestLegacy));
  const other = serving.handle({ ...ping, id: 2 }, there, requestFacts(ping.params, latestLegacy));
  handling.cancel(new Error("gone"));
  loaded.resolve();
  await ran.promise;
  await Promise.all([handling.close(), other.close()]);
  expect(started).toEqual([2]);
  expect(gone.told).toEqual(["ended"]);
});
