import { legacyRevision } from "@tenon/test-support";
import { createMemoryEventStore, createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, test } from "vitest";

import { common, modern, peerServer } from "./setup.ts";

const url = "http://localhost/mcp";
const padding = "x".repeat(1000);

function numbers(text: string, name: string): number[] {
  return [...text.matchAll(new RegExp(`"${name}":(\\d+)`, "g"))].map(([, number]) => Number(number));
}

test("whenFull: coalesce gives a client that was slow the newest progress, and the answer", async () => {
  const steps = 10_000;
  let finished = (): void => {};
  const done = new Promise<void>((resolve) => {
    finished = resolve;
  });
  const server = peerServer(async (scope) => {
    for (let progress = 1; progress <= steps; progress++) {
      await scope.notify("notifications/progress", { progressToken: "t", progress, message: padding });
    }
    finished();
    return "counted";
  });
  await using handler = createStreamableHandler({
    getServer: () => server,
    whenFull: "coalesce",
    limits: { maxBufferedBytes: 16 * 1024 },
  });
  const response = await handler.fetch(new Request(url, modern("tools/list")));
  // Nothing is read before the server has said everything.
  await done;
  const text = await response.text();
  const seen = numbers(text, "progress");
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(seen.at(-1)).toBe(steps);
  expect(seen.length).toBeLessThan(100);
  expect(text).toContain('"result":"counted"');
});

test("whenFull: close cuts a slow client off, and with an event store it comes back for all that it missed", async () => {
  const total = 500;
  const server = peerServer(() => "unused");
  const connected: Awaited<ReturnType<typeof server.connect>>[] = [];
  await using handler = createStreamableHandler({
    getServer: () => ({
      ...server,
      connect: async (transport) => {
        const peer = await server.connect(transport);
        connected.push(peer);
        return peer;
      },
    }),
    sessions: { eventStore: createMemoryEventStore() },
    whenFull: "close",
    limits: { maxBufferedBytes: 16 * 1024 },
  });
  const clientInfo = { name: "test", version: "1.0.0" };
  const params = { protocolVersion: legacyRevision, capabilities: {}, clientInfo };
  const opening = await handler.fetch(
    new Request(url, {
      method: "POST",
      headers: common,
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    }),
  );
  await opening.arrayBuffer();
  const headers = {
    accept: "text/event-stream",
    "mcp-session-id": opening.headers.get("mcp-session-id") ?? "",
  };
  const first = await handler.fetch(new Request(url, { headers }));
  const reader = first.body?.getReader();
  const text = new TextDecoder().decode((await reader?.read())?.value);
  const [lastEventId = ""] = text.match(/(?<=id: )\S+/) ?? [];
  for (let step = 0; step < total; step++) {
    await connected[0]?.notify("notifications/message", { step, data: padding });
  }
  await expect(
    (async () => {
      while ((await reader?.read())?.done === false) {
        // What had been sent before the stream was cut off.
      }
    })(),
  ).rejects.toThrow();
  const second = await handler.fetch(
    new Request(url, { headers: { ...headers, "last-event-id": lastEventId } }),
  );
  let rest = "";
  const decoder = new TextDecoder();
  const again = second.body?.getReader();
  while (numbers(rest, "step").length < total) {
    rest += decoder.decode((await again?.read())?.value, { stream: true });
  }
  expect(numbers(rest, "step")).toEqual(Array.from({ length: total }, (_, step) => step));
  await again?.cancel();
});
