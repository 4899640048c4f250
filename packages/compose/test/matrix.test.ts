import { compose, type ComposedSource } from "@tenon/compose";
import { Manager } from "@tenon/host";
import type { Transport } from "@tenon/jsonrpc2";
import { connectFront, features, type FrontOptions } from "@tenon/matrix";
import { matrixServer } from "@tenon/matrix/server";
import { Client, Server, type ClientOptions, type ServerSession } from "@tenon/mcp";
import { eraOf, type Revision } from "@tenon/protocol";
import { taskClient } from "@tenon/tasks/client";
import { bothEras, deferred, legacyRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { describe, expect, onTestFinished, test } from "vitest";

/** What the client of a session declares; the composition asks its own clients. */
const declaring: ClientOptions = {
  elicitation: { form: () => ({ action: "decline" }) },
  sampling: { createMessage: () => Promise.reject(new Error("not asked")) },
  roots: [{ uri: "file:///stranger" }],
  cache: false,
  onError: () => {},
};

const kinds: Readonly<Record<string, (server: Server) => ComposedSource | Promise<ComposedSource>>> = {
  "a mounted server": (server) => server,
  "a server made when needed": (server) => ({ createServer: () => Promise.resolve(server) }),
  "a transport": (server) => () => transportTo(server),
  "a session": async (server) => {
    const client = new Client({ name: "own", version: "1.0.0" }, declaring);
    client.use(taskClient());
    const session = await client.connect(await transportTo(server));
    onTestFinished(() => session.close({ drainMs: 0 }));
    return session;
  },
  "a manager": async (server) => {
    const manager = new Manager({
      servers: {
        behind: {
          type: "custom",
          transport: () => ({ connect: async (options) => (await transportTo(server)).connect(options) }),
        },
      },
      onClient: (client) => client.use(taskClient()),
      handlers: {
        elicitation: { form: () => ({ action: "decline" }) },
        sampling: { createMessage: () => Promise.reject(new Error("not asked")) },
        roots: () => [{ uri: "file:///stranger" }],
      },
    });
    onTestFinished(() => manager.close());
    await manager.connectAll();
    return manager;
  },
};

/** A mounted server speaks the version of the client. */
const sources = Object.keys(kinds).flatMap((kind): readonly (readonly [string, Revision | undefined])[] =>
  kind.includes("server") ? [[kind, undefined]] : bothEras.map((back) => [kind, back]),
);
const cells = Object.keys(features).flatMap((feature) => bothEras.map((front) => [feature, front] as const));

describe.each(sources)("%s of %s", (kind, back) => {
  test.each(cells)("%s: client of %s", async (feature, front) => {
    const effects: string[] = [];
    const { server, ...behind } = await matrixServer((line) => void effects.push(line), back);
    onTestFinished(() => behind[Symbol.asyncDispose]());
    const other = new Server({ name: "other", version: "1.0.0" });
    other.addTool({ name: "once" }, () => "of the other");
    other.addResource({ uri: "notes://1", name: "one" }, () => "of the other");
    const source = await kinds[kind]?.(server);
    const composed = compose({ source: source as ComposedSource, other }, { onError: () => {} });
    onTestFinished(() => composed.close({ drainMs: 0 }));
    const name = kind === "a manager" ? "source-behind" : "source";
    const named = (tool: string): string => `mcp__${name}__${tool}`;
    await features[feature]?.({
      front: eraOf(front),
      back: eraOf(back ?? front),
      tag: "t",
      connect: async (...person) => connectFront(await transportTo(composed), front, { named }, person),
      effects: () => effects,
      named,
      uri: (uri) => uri.replace("://", `://${name}/`),
      others: ["notes://other/1"],
      isShared: kind === "a session" || kind === "a manager",
      isNeverFresh: true,
    });
  });
});

test.each(["a transport that clients share", "a session"])(
  "a log message that names no call reaches nobody who may not have caused it: %s",
  async (kind) => {
    const server = new Server(
      { name: "behind", version: "1.0.0" },
      { revisions: [legacyRevision], logging: true },
    );
    let first: ServerSession | undefined;
    server.addTool({ name: "late" }, async (_, { session }) => {
      first ??= session;
      await first?.log("warning", "of ann");
      return "logged";
    });
    const source = await (kind === "a session" ? kinds[kind]?.(server) : transportTo(server));
    const errors: unknown[] = [];
    const composed = compose(
      { source: source as ComposedSource },
      { onError: (error, name) => void errors.push([name, String(error)]) },
    );
    onTestFinished(() => composed.close({ drainMs: 0 }));
    const messages: Readonly<Record<string, unknown[]>> = { ann: [], bob: [] };
    const [ann, bob] = await Promise.all(
      ["ann", "bob"].map((who) =>
        connect(composed, legacyRevision, who, { onLog: ({ data }) => void messages[who]?.push(data) }),
      ),
    );
    await ann?.call("late", "");
    const isOwn = kind !== "a session";
    await expect.poll(() => messages["ann"]).toEqual(isOwn ? ["of ann"] : []);
    expect(await bob?.call("late", "")).toBe("logged");
    expect(await ann?.call("late", "")).toBe("logged");
    expect(messages).toEqual({ ann: isOwn ? ["of ann"] : [], bob: [] });
    expect(errors).toEqual([["source", expect.stringMatching(/they name no call.*HTTP/)]]);
  },
);

test("a level of log messages that a server did not confirm is requested again, and ends with its call", async () => {
  const server = new Server(
    { name: "behind", version: "1.0.0" },
    { revisions: [legacyRevision], logging: true },
  );
  server.addTool({ name: "done" }, () => "done");
  const levels: unknown[] = [];
  const requested = deferred();
  const aborted = deferred();
  server.addReceivingMiddleware((next) => async (request) => {
    if (request.method === "logging/setLevel" && levels.push(request.params["level"]) === 1) {
      request.signal.addEventListener("abort", () => aborted.resolve());
      requested.resolve();
      await aborted.promise;
    }
    return next(request);
  });
  const composed = compose({ source: () => transportTo(server) }, { onError: () => {} });
  onTestFinished(() => composed.close({ drainMs: 0 }));
  const ann = await connect(composed, legacyRevision, "ann", { logLevel: "debug" });
  const stop = new AbortController();
  const call = ann.session.callTool({ name: "mcp__source__done" }, { signal: stop.signal });
  await requested.promise;
  stop.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  await aborted.promise;
  expect(await ann.call("done", "")).toBe("done");
  expect(await ann.call("done", "")).toBe("done");
  expect(levels).toEqual(["debug", "debug"]);
});

async function transportTo(server: Server): Promise<Transport> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return here;
}

/** A client of a composition whose source has the name `source`. */
async function connect(
  composed: Server,
  revision: Revision,
  who: string,
  options?: FrontOptions,
): ReturnType<typeof connectFront> {
  const named = (tool: string): string => `mcp__source__${tool}`;
  return connectFront(await transportTo(composed), revision, { named }, [who, options]);
}
