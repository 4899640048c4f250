import { connectedSource, proxyServer, type ConnectedSource } from "@tenon/compose";
import { CallRelay } from "@tenon/host";
import { Client, Server, type ClientOptions, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { restartingSource } from "../src/serve/restarting-source.ts";

interface Restarted {
  /** Connects a client to the front. */
  connect(front: Revision, options?: ClientOptions): Promise<ClientSession>;
  /** Replaces the first version by the second. @returns Resolves when the first has ended. */
  restart(): Promise<void>;
  /** The level of log messages that a version was asked for. */
  readonly levels: readonly unknown[];
  /** Resolves when a list or a completion is in flight. */
  readonly begun: Promise<void>;
  /** Lets lists and completions end. */
  go(): void;
}

async function restarted(back: Revision): Promise<Restarted> {
  const relay = new CallRelay();
  const levels: unknown[] = [];
  const begun = deferred();
  const going = deferred();
  const version = async (name: string): Promise<ConnectedSource> => {
    const server = new Server(
      { name, version: "1" },
      { revisions: [back], logging: true, onError: () => {} },
    );
    const form = { type: "object", properties: { ok: { type: "string" } } } as const;
    server.addTool({ name: "ask" }, async (_, ctx) => {
      const { action } = await ctx.elicit({ message: "Sure?", requestedSchema: form });
      return `${name}: ${action}`;
    });
    server.addTool({ name: "logs" }, async (_, ctx) => {
      await ctx.log("debug", name);
      return name;
    });
    const complete = { who: (value: string) => [value + name] };
    server.addPrompt({ name: "greet", arguments: [{ name: "who" }], complete }, ({ who }) => `Hello, ${who}`);
    server.addReceivingMiddleware((next) => async (request) => {
      if (request.method === "logging/setLevel") {
        levels.push([name, request.params["level"]]);
      } else if (name === "one" && ["tools/list", "completion/complete"].includes(request.method)) {
        begun.resolve();
        await going.promise;
      }
      return next(request);
    });
    const source = connectedSource({
      relay,
      async connect({ options, prepare }) {
        const client = new Client({ name: "proxy", version: "1" }, options);
        prepare(client);
        const [here, there] = createInMemoryTransports();
        await server.connect(there);
        return client.connect(here);
      },
    });
    onTestFinished(async () => {
      await source.lanes.close();
      await server.close({ drainMs: 0 });
    });
    await source.start();
    return source;
  };
  const first = await version("one");
  const restarting = restartingSource(first, () => {});
  const front = proxyServer(restarting.source, { relay, onError: () => {} });
  onTestFinished(async () => {
    await front.close({ drainMs: 0 });
    await relay.close();
  });
  return {
    levels,
    begun: begun.promise,
    go: () => going.resolve(),
    async connect(revision, options = {}) {
      const client = new Client({ name: "host", version: "1" }, { revisions: [revision], ...options });
      const [here, there] = createInMemoryTransports();
      await front.connect(there);
      const session = await client.connect(here);
      onTestFinished(() => session.close({ drainMs: 0 }));
      return session;
    },
    async restart() {
      await restarting.replace(await version("two"));
      await first.lanes.close();
      restarting.forget(first);
    },
  };
}

test.each(bothEras)(
  "a round goes to the version of %s that asked, which then ends, and the next call to the new one",
  async (back) => {
    const { connect, restart } = await restarted(back);
    let ended: Promise<void> | undefined;
    const session = await connect(modernRevision, {
      elicitation: {
        async form() {
          // The version that asked would be closed within these turns.
          ended ??= restart();
          await Promise.race([ended, turns(20)]);
          return { action: "accept", content: { ok: "yes" } };
        },
      },
    });
    const text = async (): Promise<unknown> => (await session.callTool({ name: "ask" })).content[0];
    expect(await text()).toMatchObject({ text: "one: accept" });
    await ended;
    expect(await text()).toMatchObject({ text: "two: accept" });
  },
);

test.each(bothEras)("lists and completions in flight end at the version before (%s)", async (back) => {
  const { connect, restart, begun, go } = await restarted(back);
  const session = await connect(modernRevision);
  const ref = { type: "ref/prompt", name: "greet" } as const;
  const both = Promise.all([
    session.listTools(),
    session.complete({ ref, argument: { name: "who", value: "" } }),
  ]);
  await begun;
  const ended = restart();
  await Promise.race([ended, turns(20)]);
  go();
  const [{ tools }, { completion }] = await both;
  expect(tools).toHaveLength(2);
  expect(completion.values).toEqual(["one"]);
  await ended;
});

test.each(bothEras)("log messages of both versions reach a client of %s at its level", async (revision) => {
  const { connect, restart, levels } = await restarted(legacyRevision);
  const messages: unknown[] = [];
  const session = await connect(revision, {
    logLevel: "debug",
    onLog: ({ data }) => void messages.push(data),
  });
  await session.callTool({ name: "logs" });
  await restart();
  await session.callTool({ name: "logs" });
  await expect.poll(() => messages).toEqual(["one", "two"]);
  expect(levels).toEqual([
    ["one", "debug"],
    ["two", "debug"],
  ]);
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
