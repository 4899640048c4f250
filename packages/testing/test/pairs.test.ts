import { Server } from "@tenon/mcp";
import { bothEras, deferred, modernRevision } from "@tenon/test-support";
import { compiledProgram } from "@tenon/test-support/processes";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { beforeAll, describe, expect, it } from "vitest";

import { pairFetch } from "../src/http.ts";
import { pairCommand, pairHttp } from "../src/node/index.ts";
import { pair } from "../src/pair.ts";
import type { Pair, PairOptions } from "../src/pair/connect.ts";

let program = "";
beforeAll(async () => {
  program = await compiledProgram(new URL("fixtures/greeter.ts", import.meta.url));
});

function greeter(): Server {
  const server = new Server({ name: "greeter", version: "1.0.0" });
  server.addTool({ name: "greet" }, () => "Hello!");
  return server;
}

const shapes: Readonly<Record<string, (options: PairOptions) => Promise<Pair>>> = {
  memory: (options) => pair(greeter(), options),
  "memory with objects": (options) => pair(greeter(), { ...options, serialize: false }),
  "HTTP without a socket": (options) => pairFetch(greeter(), options),
  "a handler without a socket": (options) =>
    pairFetch(createStreamableHandler({ getServer: greeter }), options),
  HTTP: (options) => pairHttp(greeter(), options),
  "a child process": (options) => pairCommand({ command: process.execPath, args: [program] }, options),
};

describe.each(Object.keys(shapes))("a pair over %s", (shape) => {
  it.each(bothEras)("calls a tool, keeps every message, and closes twice (%s)", async (revision) => {
    const connected = await shapes[shape]?.({ revision });
    if (connected === undefined) {
      throw new Error(shape);
    }
    await using open = connected;
    expect(open.session.revision).toBe(revision);
    const { content } = await open.session.callTool({ name: "greet" });
    expect(content).toMatchObject([{ text: "Hello!" }]);
    expect(open.printWire()).toMatch(/→ .*tools\/call.*\n.*← .*Hello!/);
    await open.close();
    expect(open.session.isClosed).toBe(true);
  });
});

describe.each(bothEras)("a pair that is closed too early (%s)", (revision) => {
  function hanging(): Server {
    const server = new Server({ name: "slow", version: "1.0.0" }, { onError: () => {} });
    server.addTool(
      { name: "hang" },
      (_, { signal }) =>
        new Promise((_done, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
    );
    return server;
  }

  it.each([pair, pairFetch])("names the request that has no response", async (connect) => {
    const connected = await connect(hanging(), { revision });
    const call = connected.session.callTool({ name: "hang" });
    call.catch(() => {});
    await expect.poll(() => connected.printWire()).toContain("tools/call");
    await expect(connected.close()).rejects.toThrow(/missing for:\n\{.*"method":"tools\/call".*"hang"/);
    await expect(call).rejects.toThrow();
  });

  it.each([pair, pairFetch])("does not wait for a handler of the client that hangs", async (connect) => {
    const server = new Server({ name: "asking", version: "1.0.0" }, { onError: () => {} });
    server.addTool({ name: "ask" }, async (_, ctx) => {
      const form = { type: "object", properties: {} } as const;
      return (await ctx.elicit({ message: "Sure?", requestedSchema: form })).action;
    });
    const asked = deferred();
    const form = (): Promise<never> => {
      asked.resolve();
      return new Promise(() => {});
    };
    const connected = await connect(server, { revision, client: { elicitation: { form } } });
    const call = connected.session.callTool({ name: "ask" });
    call.catch(() => {});
    await asked.promise;
    await connected.close({ ignoreUnanswered: true });
    await expect(call).rejects.toThrow();
  });

  it("accepts it if the test says so", async () => {
    const connected = await pair(hanging(), { revision });
    const call = connected.session.callTool({ name: "hang" });
    call.catch(() => {});
    await connected.close({ ignoreUnanswered: true });
    await expect(call).rejects.toThrow();
  });

  it.each([pair, pairFetch])(
    "accepts calls that the client has cancelled, and subscriptions",
    async (connect) => {
      const connected = await connect(hanging(), { revision });
      const controller = new AbortController();
      const call = connected.session.callTool({ name: "hang" }, { signal: controller.signal });
      await expect.poll(() => connected.printWire()).toContain("tools/call");
      controller.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
      await connected.close();
    },
  );
});

it("names the option that does not exist", async () => {
  // @ts-expect-error -- the misuse under test
  await expect(pairHttp(greeter(), { revison: bothEras[0] })).rejects.toThrow("revison");
  const connected = await pair(greeter());
  // @ts-expect-error -- the misuse under test
  expect(() => connected.close({ ignoreUnanswerd: true })).toThrow("ignoreUnanswered");
  await connected.close();
});

it("releases the server if the connection fails", async () => {
  const [legacy] = bothEras;
  const server = new Server({ name: "modern", version: "1.0.0" }, { revisions: [modernRevision] });
  await expect(pairHttp(server, { revision: legacy })).rejects.toThrow();
});
