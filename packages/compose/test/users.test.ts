import type { CallRelay, LaneCaller } from "@tenon/host";
import { Client, Server, type ClientSession, type ServerRequest } from "@tenon/mcp";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { expect, onTestFinished, test } from "vitest";

import { connectedSource, type ConnectedSource } from "../src/source/connected-source.ts";

type Told = ConstructorParameters<typeof Server>[1] & { readonly version?: string };

/** A source whose server tells each connection something else. */
async function sourceOf(...told: readonly Told[]): Promise<{
  readonly source: ConnectedSource;
  readonly sessions: readonly ClientSession[];
  readonly connect: (user: string) => Promise<unknown>;
}> {
  const left = [...told];
  const sessions: ClientSession[] = [];
  const source = connectedSource({
    relay: {} as CallRelay,
    name: "far",
    connect: async () => {
      const { version = "1.0.0", ...options } = left.shift() ?? {};
      const server = new Server({ name: "far", version }, options);
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      const session = await new Client({ name: "proxy", version: "1.0.0" }).connect(here);
      sessions.push(session);
      return session;
    },
  });
  onTestFinished(() => source[Symbol.asyncDispose]());
  await source.start();
  return {
    source,
    sessions,
    connect: (key) => {
      const caller: LaneCaller = { key, session: undefined, inputs: {}, asks: "requests" };
      return source.lanes.acquire(caller, new AbortController().signal, undefined);
    },
  };
}

const legacy = { revisions: [legacyRevision] } as const;

test("what a server tells one user replaces nothing of the users whose connections are open", async () => {
  const all = { ...legacy, instructions: "For all." };
  const { source, connect } = await sourceOf(all, { ...legacy, instructions: "For the last user." });
  await connect("one");
  await connect("two");
  expect(source.instructions).toBe("For all.");
});

test.each<[string, Told]>([
  ["of another version", { ...legacy, version: "2.0.0" }],
  ["of the other era", { revisions: [modernRevision] }],
])("a server %s takes the place of a server although its connections are open", async (_, next) => {
  const before = { ...legacy, instructions: "Before." };
  const { source, connect } = await sourceOf(before, { ...next, instructions: "After." });
  await connect("one");
  await connect("two");
  expect(source.instructions).toBe("After.");
});

test("the server of the sessions that are left is told when all earlier sessions have ended", async () => {
  const before = { ...legacy, instructions: "Before." };
  const after = { ...legacy, instructions: "After." };
  const { source, sessions, connect } = await sourceOf(before, before, after, after);
  await connect("one");
  await connect("two");
  await sessions[0]?.close();
  await connect("one");
  await sessions[1]?.close();
  await connect("two");
  expect(source.instructions).toBe("After.");
});

test("a modern server that was restarted takes the place of the server before", async () => {
  const modern = { revisions: [modernRevision] } as const;
  const { source } = await sourceOf(
    { ...modern, instructions: "Before." },
    { ...modern, instructions: "After." },
  );
  await source.start();
  expect(source.instructions).toBe("After.");
});

test("a list that was requested before its server is replaced has its items", async () => {
  const [asked, mayList] = [deferred(), deferred()];
  const server = new Server({ name: "far", version: "1.0.0" });
  server.addTool({ name: "look" }, () => "seen");
  server.addReceivingMiddleware((next) => async (request) => {
    if (request.method === "tools/list") {
      asked.resolve();
      await mayList.promise;
    }
    return next(request);
  });
  const caller: LaneCaller = { key: "ann", session: undefined, inputs: {}, asks: "results" };
  const source = connectedSource({
    relay: { callerOf: () => caller } as unknown as CallRelay,
    name: "far",
    async connect() {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return new Client({ name: "proxy", version: "1.0.0" }).connect(here);
    },
  });
  onTestFinished(() => source[Symbol.asyncDispose]());
  await source.start();
  const listing = source.list("tools", {} as ServerRequest);
  await asked.promise;
  await source.lanes.start();
  mayList.resolve();
  expect((await listing).map(({ name }) => name)).toEqual(["look"]);
});
