import { isLocalError } from "@tenon/jsonrpc2";
import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { Client, Server } from "@tenon/mcp";
import { bothEras } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { describe, expect, it } from "vitest";

import {
  faulty,
  faultyFetch,
  randomFaults,
  shrinkFaults,
  type Fault,
  type FetchFault,
} from "../src/faults.ts";
import { damaged } from "../src/faults/damaged.ts";
import { pair } from "../src/pair.ts";
import type { Pair } from "../src/pair/connect.ts";

const call = { method: "tools/call" } as const;

describe.each(bothEras)("faults of messages (%s)", (revision) => {
  async function connect(
    faults: readonly Fault[],
    clock = createVirtualClock(),
  ): Promise<Pair & { calls: string[] }> {
    const server = new Server({ name: "echo", version: "1.0.0" }, { onError: () => {} });
    const calls: string[] = [];
    const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
    server.addTool({ name: "echo", input }, ({ text }) => {
      calls.push(text);
      return text;
    });
    const wrap = (transport: Parameters<typeof faulty>[0]) => faulty(transport, faults, { clock });
    const connected = await pair(server, { revision, clock, wrap, client: { onError: () => {} } });
    return Object.assign(connected, { calls });
  }

  function echo({ session }: Pair, text: string, timeoutMs?: number): Promise<unknown> {
    return session
      .callTool({ name: "echo", arguments: { text } }, { timeoutMs })
      .then(({ content }) => content[0]);
  }

  it("lose a request, and the call times out", async () => {
    const connected = await connect([{ kind: "drop", dir: "write", ...call }]);
    const lost = expect(echo(connected, "a", 1_000)).rejects.toSatisfy((error) =>
      isLocalError(error, "TIMEOUT"),
    );
    connected.clock.advance(1_000);
    await lost;
    expect(connected.calls).toEqual([]);
    await connected.close();
  });

  it("lose one response only, by the method of its request", async () => {
    const connected = await connect([{ kind: "drop", dir: "read", ...call, nth: 2 }]);
    expect(await echo(connected, "a")).toMatchObject({ text: "a" });
    const lost = expect(echo(connected, "b", 1_000)).rejects.toThrow();
    await expect.poll(() => connected.calls).toEqual(["a", "b"]);
    connected.clock.advance(1_000);
    await lost;
    expect(await echo(connected, "c")).toMatchObject({ text: "c" });
    await connected.close({ ignoreUnanswered: true });
  });

  it("delay a response until the clock is advanced", async () => {
    const connected = await connect([{ kind: "delay", dir: "read", ...call, delayMs: 300 }]);
    let settled = false;
    const slow = echo(connected, "a").then(() => {
      settled = true;
    });
    await expect.poll(() => connected.clock.timers).toBeGreaterThan(0);
    await expect.poll(() => connected.calls).toEqual(["a"]);
    expect(settled).toBe(false);
    await expect
      .poll(() => {
        connected.clock.advance(300);
        return settled;
      })
      .toBe(true);
    await slow;
    await connected.close();
  });

  it("double a response, which the client ignores", async () => {
    const connected = await connect([{ kind: "duplicate", dir: "read", ...call }]);
    expect(await echo(connected, "a")).toMatchObject({ text: "a" });
    expect(await echo(connected, "b")).toMatchObject({ text: "b" });
    await connected.close();
  });

  it("exchange two requests, and each call has its own response", async () => {
    const connected = await connect([{ kind: "reorder", dir: "write", ...call, nth: 1 }]);
    const both = await Promise.all([echo(connected, "a"), echo(connected, "b")]);
    expect(both).toMatchObject([{ text: "a" }, { text: "b" }]);
    expect(connected.calls).toEqual(["b", "a"]);
    await connected.close();
  });

  it.each(["corrupt", "truncate"] as const)("%s a response, and the session goes on", async (kind) => {
    const connected = await connect([{ kind, dir: "read", ...call, nth: 1 }]);
    const lost = echo(connected, "a", 1_000).then(
      () => {},
      () => {},
    );
    await expect.poll(() => connected.calls).toEqual(["a"]);
    connected.clock.advance(1_000);
    await lost;
    expect(await echo(connected, "b")).toMatchObject({ text: "b" });
    await connected.close({ ignoreUnanswered: true });
  });

  it("stall a direction until the connection is closed", async () => {
    const connected = await connect([{ kind: "stall", dir: "read", ...call }]);
    const lost = expect(echo(connected, "a")).rejects.toThrow();
    await expect.poll(() => connected.calls).toEqual(["a"]);
    await connected.close({ ignoreUnanswered: true });
    await lost;
  });

  it("break the connection, and the call fails at once", async () => {
    const connected = await connect([{ kind: "close", dir: "read", ...call }]);
    await expect(echo(connected, "a")).rejects.toSatisfy((error) => isLocalError(error, "CONNECTION_CLOSED"));
    await connected.close({ ignoreUnanswered: true });
  });

  it("of survivable kinds change no result, whatever the plan", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const faults = randomFaults(seed, 4, ["duplicate"]);
      const connected = await connect(faults);
      const results = await Promise.all(
        Array.from({ length: 5 }, (_, index) => echo(connected, `t${index}`)),
      );
      expect(results, JSON.stringify(faults)).toMatchObject(
        results.map((_, index) => ({ text: `t${index}` })),
      );
      await connected.close({ ignoreUnanswered: true });
    }
  });
});

describe("a plan of faults", () => {
  it("is the same for the same seed", () => {
    expect(randomFaults(3, 5)).toEqual(randomFaults(3, 5));
    expect(randomFaults(3, 5)).not.toEqual(randomFaults(4, 5));
  });

  it("is reduced to the faults that the failure needs", async () => {
    const faults = randomFaults(9, 12);
    const needed = [faults[2], faults[7]];
    let runs = 0;
    const fails = (plan: readonly Fault[]): Promise<boolean> => {
      runs++;
      return Promise.resolve(needed.every((one) => plan.includes(one as Fault)));
    };
    expect(await shrinkFaults(faults, fails)).toEqual(needed);
    expect(runs).toBeLessThan(100);
  });

  it("take every probability from 0 to 1", () => {
    const transport = { connect: () => Promise.reject(new Error("unused")) };
    for (const probability of [0, 0.5, 1]) {
      expect(() => faulty(transport, [{ kind: "drop", dir: "read", probability }])).not.toThrow();
    }
  });

  it.each<[Fault, string]>([
    [{ kind: "melt" as never, dir: "read" }, 'the kind "melt"'],
    [{ kind: "drop", dir: "up" as never }, 'expected dir "read" or "write"'],
    [{ kind: "corrupt", dir: "write" }, "messages are written whole"],
    [{ kind: "drop", dir: "read", nth: 0 }, "whole number from 1"],
    [{ kind: "drop", dir: "read", probability: 2 }, "from 0 to 1"],
    [{ kind: "drop", dir: "read", probability: -0.1 }, "from 0 to 1"],
  ])("with %j is refused", (fault, message) => {
    const transport = { connect: () => Promise.reject(new Error("unused")) };
    expect(() => faulty(transport, [fault])).toThrow(message);
  });
});

describe.each(bothEras)("faults of HTTP (%s)", (revision) => {
  async function greet(faults: readonly FetchFault[]): Promise<unknown> {
    const server = new Server({ name: "greeter", version: "1.0.0" });
    server.addTool({ name: "greet" }, async (_, ctx) => {
      await ctx.progress(1, 2);
      return "Hello!";
    });
    const handler = createStreamableHandler({ getServer: () => server });
    const fetch = faultyFetch((input, init) => handler.fetch(new Request(input, init)), faults);
    const transport = new StreamableClientTransport("http://localhost/mcp", {
      fetch,
      eras: false,
      reconnect: { maxRetries: 0 },
    });
    const client = new Client(
      { name: "test", version: "1.0.0" },
      { revisions: [revision], onError: () => {} },
    );
    await using session = await client.connect(transport);
    const { content } = await session.callTool({ name: "greet" }, { onProgress: () => {} });
    return content[0];
  }

  it.each<[string, FetchFault]>([
    ["in single bytes", { kind: "split", bytes: 1 }],
    ["slowly", { kind: "slow", delayMs: 1 }],
  ])("bring the body %s, and the call succeeds", async (_, fault) => {
    expect(await greet([fault])).toMatchObject({ text: "Hello!" });
  });

  it.each<[string, FetchFault]>([
    ["a refused connection", { kind: "refuse", httpMethod: "POST" }],
    ["a lost response", { kind: "lose", httpMethod: "POST" }],
    ["a status", { kind: "status", status: 500, httpMethod: "POST" }],
    ["a body that is cut", { kind: "cut", afterBytes: 5, httpMethod: "POST" }],
  ])("such as %s make the client fail with an error", async (_, fault) => {
    await expect(greet([fault])).rejects.toThrow();
  });
});

it("a write that is delayed holds up the writes behind it", async () => {
  const clock = createVirtualClock();
  const [near, far] = createInMemoryTransports();
  const faults: Fault[] = [{ kind: "delay", dir: "write", method: "a", delayMs: 300 }];
  const [sender, receiver] = await Promise.all([faulty(near, faults, { clock }).connect(), far.connect()]);
  const written = ["a", "b", "c"].map((method) => sender.write({ jsonrpc: "2.0", method }));
  await expect.poll(() => clock.timers).toBe(1);
  clock.advance(300);
  await Promise.all(written);
  const methods = [];
  for (let count = 0; count < 3; count++) {
    methods.push(Reflect.get(Object(await receiver.read()), "method"));
  }
  expect(methods).toEqual(["a", "b", "c"]);
  await sender.close();
  await receiver.close();
});

it.each([
  ["corrupt", 0, "\u0001bcd"],
  ["corrupt", 0.5, "ab\u0001d"],
  ["corrupt", 0.999, "abc\u0001"],
  ["truncate", 0.5, "ab"],
] as const)("%s text at %d leaves the other characters as they are", (kind, place, text) => {
  expect(damaged("abcd", kind, () => place)).toBe(text);
});
