import type { AuthInfo } from "@tenon/protocol";
import { createStreamableHandler, createMemoryEventStore } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common, echo, listen, modern, open, peerServer } from "./setup.ts";

/** Credentials that expired so long ago that streams end now. */
const expired: AuthInfo = { principal: "alice", expiresAt: Date.now() - 30_000 };
const lasting: AuthInfo = { principal: "alice", expiresAt: Date.now() + 3_600_000 };

/** The credentials that a request names. */
const byName = (authorization: string | undefined): { auth: AuthInfo } => ({
  auth: authorization === "expired" ? expired : lasting,
});

test("A-064: the standalone stream of a session ends cleanly after its credentials, and the session lives on", async () => {
  await using listening = await listen(echo, {}, byName);
  const session = await open(listening.url, { authorization: "lasting" });
  const read = (authorization: string): Promise<Response> =>
    fetch(listening.url, { headers: { ...common, ...session, authorization } });
  const stream = await read("expired");
  expect(stream.status).toBe(200);
  expect(await stream.text()).toBe("");
  const again = await read("lasting");
  expect(again.status).toBe(200);
  await again.body?.cancel();
});

test("A-064: a subscriptions/listen ends with a result after its credentials, and running calls go on", async () => {
  const { promise, resolve } = deferred();
  await using listening = await listen(
    (scope) => {
      if (scope.method !== "subscriptions/listen") {
        return promise;
      }
      return new Promise((end) => {
        scope.park(() => end({ ended: true }));
      });
    },
    {},
    byName,
  );
  const ask = (method: string): Promise<Response> => {
    const request = modern(method);
    return fetch(listening.url, { ...request, headers: { ...request.headers, authorization: "expired" } });
  };
  const call = ask("tools/list");
  const listened = await ask("subscriptions/listen");
  expect(await listened.json()).toMatchObject({ result: { ended: true } });
  resolve({ done: true });
  expect(await (await call).json()).toMatchObject({ result: { done: true } });
});

test("a stream that was resumed ends with the credentials of the client that reads it", async () => {
  await using listening = await listen(echo, { sessions: { eventStore: createMemoryEventStore() } }, byName);
  const session = await open(listening.url, { authorization: "lasting" });
  const first = await fetch(listening.url, { headers: { ...common, ...session } });
  const reader = first.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = (await reader?.read()) ?? {};
  const id = /id: (.+)/.exec(value)?.[1] ?? "";
  expect(id).not.toBe("");
  await reader?.cancel();
  const headers = { ...common, ...session, authorization: "expired", "last-event-id": id };
  const resumed = await fetch(listening.url, { headers });
  expect(resumed.status).toBe(200);
  await resumed.text();
});

test.each([Number.NaN, "soon", null])(
  "an expiresAt that is not a number refuses the request: %s",
  async (value) => {
    const server = peerServer(echo);
    await using handler = createStreamableHandler({ getServer: () => server, onError: () => {} });
    const auth = { principal: "alice", expiresAt: value } as unknown as AuthInfo;
    const response = await handler.serve(new Request("http://localhost/mcp", modern("tools/list")), { auth });
    expect(response.status).toBe(500);
  },
);

function deferred(): { promise: Promise<object>; resolve(value: object): void } {
  let resolve: (value: object) => void = () => {};
  const promise = new Promise<object>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
