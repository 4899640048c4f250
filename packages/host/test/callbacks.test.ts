import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Manager, type Approval, type CustomSpec, type ManagerOptions } from "../src/index.ts";
import { nodeTransports } from "../src/node.ts";
import { localServer, turns, until } from "./fixture.ts";

// What a user's callback returns is checked before it is trusted: types do not hold at run time.

const calls = (requests: readonly string[]): number =>
  requests.filter((method) => method === "tools/call").length;

test.each<readonly [string, unknown]>([
  ['the string "no"', "no"],
  ['the string "true"', "true"],
  ["the number 1", 1],
  ["a symbol", Symbol("yes")],
  ["an array", [true]],
  ["an object", {}],
  ['an object whose "approved" is the string "no"', { approved: "no" }],
  ['an object whose "approved" is the number 1', { approved: 1 }],
  ["a function", () => true],
  ["undefined", undefined],
  ["null", null],
  ["the number 0", 0],
])("a call is refused when approve returns %s, and the text says so (N-213)", async (what, returned) => {
  const a = localServer();
  for (const approve of [() => returned, async () => returned] as (() => Approval)[]) {
    await using manager = new Manager({ servers: { a: a.spec }, policy: { approve } });
    await expect(manager.callTool("a", "echo", { text: "hi" })).rejects.toMatchObject({
      code: "DENIED",
      phase: "policy",
      delivered: "no",
      message: expect.stringMatching(new RegExp(`must return true, false or .*; got ${what}\\.$`)),
    });
  }
  expect(calls(a.requests)).toBe(0);
});

test("a call is made when approve returns true or { approved: true }, and refused for false and { approved: false } (N-213)", async () => {
  const a = localServer();
  const returned: Approval[] = [true, { approved: true }, false, { approved: false }];
  await using manager = new Manager({
    servers: { a: a.spec },
    policy: { approve: () => returned.shift() ?? false },
  });
  await manager.callTool("a", "echo", { text: "1" });
  await manager.callTool("a", "echo", { text: "2" });
  for (let refused = 0; refused < 2; refused++) {
    await expect(manager.callTool("a", "echo", { text: "3" })).rejects.toThrow(
      "The tool echo of a is not called: the call was not approved.",
    );
  }
  expect(calls(a.requests)).toBe(2);
});

test("a caller that gives up while approve is waiting is answered at once, and approve's signal fires (N-213)", async () => {
  const a = localServer();
  let asked: AbortSignal | undefined;
  await using manager = new Manager({
    servers: { a: a.spec },
    policy: {
      approve: ({ signal }) => {
        asked = signal;
        return new Promise<boolean>(() => {});
      },
    },
  });
  await manager.connectAll();
  const controller = new AbortController();
  const call = manager.callTool("a", "echo", { text: "hi" }, { signal: controller.signal });
  await until(() => asked !== undefined);
  controller.abort(new Error("never mind"));
  await expect(call).rejects.toThrow("never mind");
  expect(asked?.aborted).toBe(true);
  expect(calls(a.requests)).toBe(0);
});

test("an approve that never settles is waited for as long as a call may take", async () => {
  const clock = createVirtualClock();
  const a = localServer();
  let asked: AbortSignal | undefined;
  await using manager = new Manager({
    servers: { a: a.spec },
    policy: {
      approve: ({ signal }) => {
        asked = signal;
        return new Promise<boolean>(() => {});
      },
      limits: { totalTimeoutMs: 5000 },
    },
    clock,
  });
  await manager.connectAll();
  let isOver = false;
  const call = manager.callTool("a", "echo", { text: "hi" }).finally(() => {
    isOver = true;
  });
  await until(() => asked !== undefined);
  clock.advance(4999);
  await turns(5);
  expect(isOver).toBe(false);
  clock.advance(1);
  await expect(call).rejects.toMatchObject({
    code: "TIMEOUT",
    phase: "policy",
    delivered: "no",
    retryable: true,
    message: "The call of the tool echo of a was not approved within 5000 ms (policy.limits.totalTimeoutMs).",
  });
  expect(asked?.aborted).toBe(true);
  expect(calls(a.requests)).toBe(0);
});

test.each<readonly [string, () => unknown]>([
  ["a promise", async () => "ann"],
  ["a promise", () => Promise.reject(new Error("late"))],
  ["a number", () => Number.NaN],
  ["an object", () => ({ id: "ann" })],
  ["undefined", () => undefined],
])(
  "a principal that is %s is refused: nobody is given what was read for another (N-212)",
  async (what, who) => {
    const a = localServer((server) => {
      server.addResource({ uri: "x://1", name: "x" }, () => "secret");
    });
    const principal = who as ManagerOptions["principal"];
    await using manager = new Manager({ servers: { a: a.spec }, principal });
    await manager.connectAll();
    await expect(manager.readResource("a", "x://1")).rejects.toMatchObject({
      code: "INVALID_OPTION",
      phase: "read",
      message: `The option principal must return a string, not a promise; got ${what}.`,
    });
    expect(a.requests).not.toContain("resources/read");
  },
);

test.each<readonly [string, () => unknown]>([
  ["a promise", () => Promise.reject(new Error("late"))],
  ["undefined", () => undefined],
  ["an object", () => ({ connect: 1 })],
])("a transport factory that returns %s fails its connection with a sentence", async (what, factory) => {
  const transport = factory as CustomSpec["transport"];
  const transports = factory as NonNullable<ManagerOptions["transports"]>;
  await using manager = new Manager({
    servers: { own: { type: "custom", transport }, far: { type: "http", url: "http://127.0.0.1:1/" } },
    transports,
  });
  const { failed } = await manager.connectAll();
  const message = expect.stringContaining(`must return a transport, an object with connect; got ${what}.`);
  expect(failed.get("own")).toMatchObject({ code: "CONNECT_FAILED", message });
  expect(failed.get("far")).toMatchObject({ code: "CONNECT_FAILED", message });
  // Whatever rejects unheard fails the whole test run.
  await turns(3);
});

test("warnings about a server name it and the cause, and closing causes none", async () => {
  const warnings: [object, string][] = [];
  const logger = {
    ...console,
    warn: (fields: object, message: string): void => void warnings.push([fields, message]),
  };
  const program = String.raw`
    process.stdin.setEncoding("utf8").on("data", (text) => {
      for (const line of text.split("\n").filter(Boolean)) {
        const { id, method } = JSON.parse(line);
        if (id === undefined || id === null) continue;
        const result = method === "tools/list" ? { tools: [] } : {
          protocolVersion: "${legacyRevision}", capabilities: { tools: {} }, serverInfo: { name: "noisy", version: "1" },
        };
        const error = { code: -32601, message: "Method not found" };
        const answer = ["initialize", "tools/list"].includes(method) ? { result } : { error };
        process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\n");
        if (method === "tools/list") process.stdout.write("Listening on port 3000\n");
      }
    });`;
  const stdio = { type: "stdio", command: process.execPath, args: ["-e", program] } as const;
  const manager = new Manager({
    servers: { noisy: stdio, quiet: stdio },
    transports: nodeTransports(),
    logger,
  });
  await manager.connectAll();
  await manager.tools();
  await until(() => warnings.length >= 2);
  await manager.close();
  expect(warnings.map(([fields]) => (fields as { server: string }).server).toSorted()).toEqual([
    "noisy",
    "quiet",
  ]);
  for (const [, message] of warnings) {
    expect(message).toMatch(/^The server (?:noisy|quiet): .*(?:JSON|message)/);
  }
});
