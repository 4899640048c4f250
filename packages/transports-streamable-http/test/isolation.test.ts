import type { Handler, Transport } from "@tenon/jsonrpc2";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common, echo, modern, peerServer } from "./setup.ts";

const url = "http://localhost/mcp";

/** A server that counts its sessions. */
function counting(handle: Handler = echo): {
  readonly server: ReturnType<typeof peerServer>;
  readonly count: { opened: number; open: number };
  allClosed(): Promise<void>;
} {
  const inner = peerServer(handle);
  const count = { opened: 0, open: 0 };
  const closed: Promise<unknown>[] = [];
  return {
    count,
    allClosed: async () => void (await Promise.all(closed)),
    server: {
      connect(transport: Transport) {
        count.opened++;
        count.open++;
        const connecting = inner.connect(transport);
        closed.push(
          (async () => {
            await (
              await connecting
            ).closed;
            count.open--;
          })(),
        );
        return connecting;
      },
    },
  };
}

const legacy = (method: string): RequestInit => ({
  method: "POST",
  headers: { ...common, "mcp-protocol-version": "2025-11-25" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} }),
});

test("isolateRequests: every request has a session of its own, which ends with it", async () => {
  const { server, count, allClosed } = counting();
  await using handler = createStreamableHandler({ getServer: () => server, isolateRequests: true });
  for (let index = 1; index <= 3; index++) {
    for (const request of [modern("tools/list"), legacy("tools/list")]) {
      const response = await handler.fetch(new Request(url, request));
      expect(await response.json()).toMatchObject({ result: { method: "tools/list" } });
    }
  }
  await allClosed();
  expect(count).toEqual({ opened: 6, open: 0 });
});

test("isolateRequests: a notification is handled before its session ends", async () => {
  const seen: string[] = [];
  const { server, count, allClosed } = counting((scope) => void seen.push(scope.method));
  await using handler = createStreamableHandler({ getServer: () => server, isolateRequests: true });
  const { headers, body } = modern("notifications/anything");
  const { id: _, ...message } = JSON.parse(body) as { id: unknown };
  const response = await handler.fetch(
    new Request(url, { method: "POST", headers, body: JSON.stringify(message) }),
  );
  expect(response.status).toBe(202);
  await allClosed();
  expect(seen).toEqual(["notifications/anything"]);
  expect(count).toEqual({ opened: 1, open: 0 });
});

test("isolateRequests: there are no sessions unless they are asked for", async () => {
  const { server } = counting();
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  const opening = {
    method: "POST",
    headers: common,
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  };
  await using without = createStreamableHandler({ getServer: () => server, isolateRequests: true });
  expect((await without.fetch(new Request(url, opening))).headers.get("mcp-session-id")).toBeNull();
  await using with_ = createStreamableHandler({
    getServer: () => server,
    isolateRequests: true,
    sessions: {},
  });
  expect((await with_.fetch(new Request(url, opening))).headers.get("mcp-session-id")).not.toBeNull();
});

test.each([true, false])(
  "a client that leaves takes the session of its request with it (isolateRequests: %s)",
  async (isolateRequests) => {
    let entered = (): void => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    const { server, count, allClosed } = counting(() => {
      entered();
      return new Promise(() => {});
    });
    await using handler = createStreamableHandler({ getServer: () => server, isolateRequests });
    const controller = new AbortController();
    // Sets what later requests get, so it has a session of its own in any case.
    const call = new Request(url, { ...legacy("logging/setLevel"), signal: controller.signal });
    void handler.fetch(call);
    await inside;
    controller.abort();
    await allClosed();
    expect(count).toEqual({ opened: 1, open: 0 });
  },
);
