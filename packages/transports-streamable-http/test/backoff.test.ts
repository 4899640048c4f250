import { readLimits } from "@tenon/base";
import { retryAfter } from "@tenon/http/client";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import type { ListeningState, StreamableClientOptions } from "../src/client.ts";
import { reconnectLimits } from "../src/client/options.ts";
import { retryDelay } from "../src/client/retry-delay.ts";
import { badServer, json } from "./bad-server.ts";
import { initialize, peerOf } from "./raw-client.ts";

const hour = 3_600_000;
const defaults = readLimits({}, reconnectLimits);

test.each([
  ["says nothing of it", undefined, 60],
  ["asks for no delay at all", 0, 60],
  ["asks for ten seconds each time", 10_000, 60],
  ["asks for an hour", hour, 2],
  ["asks for a thousand years", 3.2e13, 2],
])(
  "T-063: a stream that is refused for an hour is asked for less than sixty times if the server %s",
  (_, asked, most) => {
    let attempts = 1;
    for (
      let now = retryDelay(0, defaults, asked);
      now < hour;
      now += retryDelay(attempts++, defaults, asked)
    ) {}
    expect(attempts).toBeLessThan(most);
  },
);

test("T-063: what Retry-After says is understood as seconds and as a date, and nothing else is", () => {
  expect(retryAfter("7")).toBe(7000);
  const date = new Date(Date.now() + 60_000).toUTCString();
  expect(retryAfter(date)).toBeGreaterThan(50_000);
  for (const odd of [undefined, "", "soon", "-1", "1.5.2", "Thu, 01 Jan 1970 00:00:00 GMT"]) {
    expect(retryAfter(odd)).toBeUndefined();
  }
});

/** The first delay of a listening stream whose GET is answered so. */
async function firstDelay(
  status: number,
  headers: Record<string, string>,
  options: StreamableClientOptions = {},
): Promise<ListeningState> {
  await using server = await badServer(({ id, method }, response, request) => {
    if (request.method === "GET") {
      response.writeHead(status, headers).end();
    } else if (method === "initialize") {
      json(response, id, { protocolVersion: legacyRevision, capabilities: {} }, { "mcp-session-id": "s" });
    } else {
      response.writeHead(202).end();
    }
  });
  let settle = (_state: ListeningState): void => {};
  const settled = new Promise<ListeningState>((resolve) => {
    settle = resolve;
  });
  await using peer = await peerOf(server.url, {
    ...options,
    onListening: (state) => {
      if (state.state === "waiting" || state.state === "unsupported") {
        settle(state);
      }
    },
  });
  await initialize(peer);
  return settled;
}

test.each([429, 503])(
  "T-063: a stream refused with %i and Retry-After is left alone for so long",
  async (status) => {
    const state = await firstDelay(status, { "retry-after": "3000" });
    expect(state).toMatchObject({ state: "waiting", attempt: 1 });
    expect("delayMs" in state && state.delayMs).toBeGreaterThanOrEqual(3_000_000);
  },
);

test("T-063: a stream that a server fails to open is asked for after a short while", async () => {
  const state = await firstDelay(500, {});
  expect(state).toMatchObject({ state: "waiting", attempt: 1 });
  expect("delayMs" in state && state.delayMs).toBeLessThanOrEqual(500);
});

test.each([400, 401, 403, 405, 406, 410])(
  "T-063: a stream refused with %i is not asked for again",
  async (status) => {
    expect(await firstDelay(status, { "retry-after": "1" })).toEqual({ state: "unsupported", status });
  },
);

test("T-063: a TLS failure is backed off from like any other", async () => {
  const failing: StreamableClientOptions["fetch"] = async (input, init) =>
    init?.method === "GET"
      ? Promise.reject(new TypeError("fetch failed", { cause: new Error("self-signed certificate") }))
      : fetch(input, init);
  const state = await firstDelay(200, {}, { fetch: failing, reconnect: { initialDelayMs: 400 } });
  expect(state).toMatchObject({ state: "waiting", attempt: 1, error: { code: "NETWORK" } });
});
