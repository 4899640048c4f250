import { isRpcError } from "@tenon/jsonrpc2";
import { Client, Server } from "@tenon/mcp";
import { limitCalls, limitSenders, tooManyRequests, type LimitSendersOptions } from "@tenon/operations";
import { createMemoryRateLimits, StoreError, type RateLimits } from "@tenon/stores";
import { bothEras, legacyRevision, modernRevision } from "@tenon/test-support";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import {
  createStreamableHandler,
  type StreamableHandlerOptions,
} from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import { connect, serve } from "./pair.ts";

const slow = { burst: 2, perSecond: 0.001 };

function createServer(): Server {
  const server = new Server({ name: "server", version: "1.0.0" }, { onError: () => {} });
  server.addTool({ name: "search" }, () => "found");
  server.addTool({ name: "read" }, () => "text");
  return server;
}

/** Serves a server over HTTP. The bearer token of a client is its principal. */
async function serveHttp(
  limits: LimitSendersOptions | undefined,
  { server = createServer(), ...options }: { server?: Server } & Partial<StreamableHandlerOptions> = {},
): Promise<string> {
  const authenticate: StreamableHandlerOptions["authenticate"] = ({ headers }) => {
    const token = headers.get("authorization")?.slice("Bearer ".length);
    return token === undefined ? "anonymous" : { principal: token };
  };
  const handler = createStreamableHandler({
    getServer: () => server,
    authenticate: limits === undefined ? authenticate : limitSenders(authenticate, limits),
    ...options,
  });
  onTestFinished(() => handler.close({ drainMs: 0 }));
  return `${await serve(handler)}/mcp`;
}

/** A legacy `tools/list` outside of sessions: one HTTP request. */
function send(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
}

const statuses = async (responses: readonly Promise<Response>[]): Promise<readonly number[]> =>
  (await Promise.all(responses)).map(({ status }) => status);

test("a principal above its limit gets 429 with Retry-After, and others are served", async () => {
  const url = await serveHttp({ rates: createMemoryRateLimits(), perPrincipal: slow });
  const ada = { authorization: "Bearer ada" };
  expect(await statuses([send(url, ada), send(url, ada)])).toEqual([200, 200]);
  const refused = await send(url, ada);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(900);
  expect(await refused.json()).toMatchObject({ id: null, error: { code: tooManyRequests } });
  expect(await statuses([send(url, { authorization: "Bearer bob" }), send(url)])).toEqual([200, 200]);
});

test("an address above its limit is refused before it is identified", async () => {
  let identified = 0;
  const server = createServer();
  const handler = createStreamableHandler({
    getServer: () => server,
    authenticate: limitSenders(
      () => {
        identified++;
        return "anonymous";
      },
      {
        rates: createMemoryRateLimits(),
        perAddress: slow,
        address: ({ headers }) => headers.get("x-real-ip"),
      },
    ),
  });
  onTestFinished(() => handler.close({ drainMs: 0 }));
  const url = `${await serve(handler)}/mcp`;
  const from = (address: string): Promise<Response> => send(url, { "x-real-ip": address });
  // One subscriber of IPv6 has a whole network of addresses.
  expect(await statuses([from("2001:db8::1"), from("2001:db8:0:0:9::2")])).toEqual([200, 200]);
  expect(await statuses([from("2001:db8::3"), from("2001:db8:0:1::1")])).toEqual([429, 200]);
  expect(await statuses([from("192.0.2.1"), from("::ffff:192.0.2.1"), from("192.0.2.1")])).toEqual([
    200, 200, 429,
  ]);
  expect(identified).toBe(5);
});

test("senders without an address are never counted together", async () => {
  const errors: unknown[] = [];
  const handler = createStreamableHandler({
    getServer: createServer,
    authenticate: limitSenders(undefined, { rates: createMemoryRateLimits(), perAddress: slow }),
    onError: (error) => errors.push(error),
  });
  const response = await handler.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json" },
    }),
  );
  expect(response.status).toBe(500);
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining("option address") })]);
});

test("the limit of two processes that share their rate limits is one", async () => {
  const rates = createMemoryRateLimits();
  const urls = [
    await serveHttp({ rates, perPrincipal: slow }),
    await serveHttp({ rates, perPrincipal: slow }),
  ];
  const headers = { authorization: "Bearer ada" };
  const answers: number[] = [];
  for (const url of [...urls, ...urls]) {
    answers.push((await send(url, headers)).status);
  }
  expect(answers).toEqual([200, 200, 429, 429]);
});

test.each(bothEras)("a client over HTTP learns when to come again, in %s", async (revision) => {
  const server = createServer();
  server.addReceivingMiddleware(limitCalls({ rates: createMemoryRateLimits(), tools: { search: slow } }));
  const url = await serveHttp(undefined, { server });
  const statusesOfPosts: number[] = [];
  const retryAfter: (string | null)[] = [];
  const client = new Client({ name: "client", version: "1.0.0" }, { revisions: [revision] });
  onTestFinished(() => client.close());
  const session = await client.connect(
    new StreamableClientTransport(url, {
      headers: { authorization: "Bearer ada" },
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        statusesOfPosts.push(response.status);
        retryAfter.push(response.headers.get("retry-after"));
        return response;
      },
    }),
  );
  await session.callTool({ name: "search" });
  await session.callTool({ name: "search" });
  const refused: unknown = await session.callTool({ name: "search" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: tooManyRequests, data: { retryAfterMs: expect.any(Number) } });
  const place = statusesOfPosts.indexOf(429);
  expect(place).toBeGreaterThan(0);
  expect(Number(retryAfter[place])).toBeGreaterThan(900);
  await session.callTool({ name: "read" });
});

test.each([legacyRevision, modernRevision])(
  "each connection in memory has its own limit of requests, in %s",
  async (revision) => {
    const server = createServer();
    server.addReceivingMiddleware(
      limitCalls({ rates: createMemoryRateLimits(), perCaller: { burst: 3, perSecond: 0.001 } }),
    );
    const [one, other] = [await connect(server, revision), await connect(server, revision)];
    const calls = async (session: typeof one): Promise<number> => {
      for (let count = 0; ; count++) {
        try {
          await session.callTool({ name: "read" });
        } catch (error) {
          expect(isRpcError(error) && error.code === tooManyRequests).toBe(true);
          return count;
        }
      }
    };
    const first = await calls(one);
    expect(first).toBeGreaterThan(0);
    expect(await calls(other)).toBe(first);
  },
);

test("while the store fails or hangs, this process counts alone, and the failure is reported once", async () => {
  const errors: unknown[] = [];
  const failing: RateLimits = {
    take: () => Promise.reject(new StoreError("STORE_FAILED", "The store is away.")),
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const hanging: RateLimits = { ...failing, take: () => new Promise(() => {}) };
  for (const rates of [failing, hanging]) {
    const url = await serveHttp({
      rates,
      perPrincipal: slow,
      limits: { storeMs: 10 },
      onError: (error) => errors.push(error),
    });
    const ada = { authorization: "Bearer ada" };
    expect(await statuses([send(url, ada)])).toEqual([200]);
    expect(await statuses([send(url, ada)])).toEqual([200]);
    expect(await statuses([send(url, ada)])).toEqual([429]);
  }
  expect(errors).toHaveLength(2);
});

test("options that make no sense are refused", () => {
  const rates = createMemoryRateLimits();
  expect(() => limitCalls({ rates })).toThrow(/perCaller, tools/);
  expect(() => limitSenders(undefined, { rates })).toThrow(/perAddress, perPrincipal/);
  expect(() => limitSenders(undefined, { rates, perAdress: slow } as never)).toThrow(/perAddress/);
  expect(() => limitCalls({ rates, perCaller: { burst: 0, perSecond: 1 } })).toThrow(RangeError);
});
