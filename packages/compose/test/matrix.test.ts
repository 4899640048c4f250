import { compose, type ComposedSource } from "@tenon/compose";
import { Manager } from "@tenon/host";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, type ClientOptions, type ClientSession, type Server, type ServerSession } from "@tenon/mcp";
import type { LoggingLevel, Revision } from "@tenon/protocol";
import {
  bothEras,
  deferred,
  legacyRevision,
  meeting,
  modernRevision,
  person,
  textOf,
} from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { describe, expect, onTestFinished, test } from "vitest";

import { matrixServer } from "./matrix-server.ts";

/**
 * What clients may expect of a server behind a composition: the same as without it. Kind of source
 * × protocol version of the source × protocol version of the client × feature. Each cell counts who
 * was asked what, and how often the tool ran.
 */
const features: Readonly<Record<string, (cell: Cell) => Promise<void>>> = {
  async "a tool asks once"({ connect, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("once", "t")).toBe("t: accept ann 1");
    expect(ann.asked).toEqual(["t: sure?"]);
    expect(ran("once t")).toBe(rounds(1));
  },
  async "a tool asks twice"({ connect, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("twice", "t")).toBe("accept ann 1, accept ann 2");
    expect(ann.asked).toEqual(["t: first?", "t: second?"]);
    expect(ran("twice t")).toBe(rounds(2));
  },
  async "a tool asks two questions at once"({ connect, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("both", "t")).toMatch(/^accept ann [12], accept ann [12]$/);
    expect(ann.asked.toSorted()).toEqual(["t: first?", "t: second?"]);
    expect(ran("both t")).toBe(rounds(1));
  },
  async "a tool asks the model"({ connect, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("model", "t")).toBe("model of ann");
    expect(ran("model t")).toBe(rounds(1));
  },
  async "a tool asks for the roots"({ connect, ran, rounds }) {
    const ann = await connect("ann");
    expect(await ann.call("roots", "t")).toBe("file:///ann");
    expect(ran("roots t")).toBe(rounds(1));
  },
  async "a step runs once, however often the tool asks"({ connect, effects }) {
    const ann = await connect("ann");
    expect(await ann.call("step", "t")).toBe("accept ann 1");
    expect(effects.filter((line) => line === "charge t")).toHaveLength(1);
  },
  async "progress arrives, and a cancellation reaches the tool"({ connect, effects, named }) {
    const ann = await connect("ann");
    const stop = new AbortController();
    const seen: unknown[] = [];
    const call = ann.session.callTool(
      { name: named("work"), arguments: { tag: "t" } },
      {
        signal: stop.signal,
        onProgress: ({ progress, message }) => {
          seen.push([progress, message]);
          stop.abort(new Error("enough"));
        },
      },
    );
    await expect(call).rejects.toThrow("enough");
    expect(seen).toEqual([[1, "begun"]]);
    await expect.poll(() => effects).toContain("abort work t");
  },
  async "a change of a list is announced, and the list is new"({ connect, named }) {
    const changed = deferred();
    const ann = await connect("ann", { onToolsChanged: () => changed.resolve() });
    const before = await ann.names();
    expect(await ann.call("grow")).toBe("grown");
    await changed.promise;
    const after = await ann.names();
    expect(after.filter((name) => !before.includes(name))).toEqual([expect.stringContaining(named("new-"))]);
  },
  async "an update of a resource arrives under its URI here"({ connect, uri }) {
    const ann = await connect("ann");
    const watch = ann.session.watch(uri("notes://1"));
    await watch.ready;
    const update = watch.next();
    let seen: unknown;
    // The watch of the server behind begins later than that of the client.
    while (seen === undefined) {
      const touched = ann.call("touch").then(() => undefined);
      seen = await Promise.race([update, touched]);
    }
    expect(seen).toMatchObject({ value: { uri: uri("notes://1") } });
    await watch.return?.();
  },
  async "definitions and structured results arrive whole"({ connect, named }) {
    const ann = await connect("ann");
    const { tools } = await ann.session.listTools();
    expect(tools.find(({ name }) => name === named("typed"))).toMatchObject({
      inputSchema: { properties: { tag: { type: "string" } } },
      outputSchema: { required: ["n"] },
      annotations: { readOnlyHint: true },
      icons: [{ src: "https://example.com/icon.png" }],
      _meta: { "example.com/x": 1 },
    });
    const result = await ann.session.callTool({ name: named("typed"), arguments: {} });
    expect(result.structuredContent).toEqual({ n: 7 });
  },
  async "errors keep their code and data"({ connect, named }) {
    const ann = await connect("ann", { elicitation: {} });
    const call = ann.session.callTool({ name: named("fails") });
    await expect(call).rejects.toMatchObject({ code: -32_042, data: { more: 1 } });
    await expect(ann.session.callTool({ name: named("none") })).rejects.toMatchObject({ code: -32_602 });
  },
  async "resources, templates and links have the URIs of the composition"({ connect, uri, named }) {
    const { session } = await connect("ann");
    const { resources } = await session.listResources();
    expect(resources.map((each) => each.uri)).toEqual([uri("notes://1"), "notes://other/1"]);
    const { resourceTemplates } = await session.listResourceTemplates();
    expect(resourceTemplates.map((each) => each.uriTemplate)).toEqual([uri("lines://{id}")]);
    const { contents } = await session.readResource({ uri: uri("notes://1") });
    expect(contents).toEqual([expect.objectContaining({ uri: uri("notes://1"), text: "text" })]);
    const other = await session.readResource({ uri: "notes://other/1" });
    expect(other.contents[0]).toMatchObject({ uri: "notes://other/1", text: "of the other" });
    const line = await session.readResource({ uri: uri("lines://7") });
    expect(line.contents[0]).toMatchObject({ uri: uri("lines://7"), text: "line 7" });
    const { content } = await session.callTool({ name: named("link") });
    expect(content).toEqual([expect.objectContaining({ type: "resource_link", uri: uri("notes://1") })]);
  },
  async "prompts arrive, and may ask"({ connect, named }) {
    const ann = await connect("ann");
    const { prompts } = await ann.session.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual([named("greet")]);
    const hello = await ann.session.getPrompt({ name: named("greet"), arguments: { name: "Bo" } });
    expect(hello.messages[0]?.content).toEqual({ type: "text", text: "Hello, Bo" });
    const asked = await ann.session.getPrompt({ name: named("greet"), arguments: { name: "?" } });
    expect(asked.messages[0]?.content).toEqual({ type: "text", text: "accept ann 1" });
  },
  async "completions of prompts and templates arrive"({ connect, named, uri }) {
    const { session } = await connect("ann");
    const ofPrompt = await session.complete({
      ref: { type: "ref/prompt", name: named("greet") },
      argument: { name: "name", value: "a" },
    });
    expect(ofPrompt.completion.values).toEqual(["ada"]);
    const ofTemplate = await session.complete({
      ref: { type: "ref/resource", uri: uri("lines://{id}") },
      argument: { name: "id", value: "4" },
    });
    expect(ofTemplate.completion.values).toEqual(["41"]);
  },
  async "the trace context reaches the tool"({ connect, named }) {
    const { session } = await connect("ann");
    const { content } = await session.callTool({ name: named("meta"), _meta: { traceparent: "00-1-2-01" } });
    expect(content).toEqual([{ type: "text", text: '"00-1-2-01"' }]);
  },
  async "log messages arrive at the client of the call, at its level"({ connect }) {
    const messages = { ann: [] as unknown[], bob: [] as unknown[] };
    const logging = (who: "ann" | "bob", logLevel: LoggingLevel): ClientOptions => ({
      logLevel,
      onLog: ({ level, logger, data }) => void messages[who].push([level, logger, data]),
    });
    const ann = await connect("ann", logging("ann", "debug"));
    const bob = await connect("bob", logging("bob", "warning"));
    expect(await Promise.all([ann.call("logs", "a"), bob.call("logs", "b")])).toEqual(["logged", "logged"]);
    await expect.poll(() => messages.bob).toEqual([["warning", "behind", "b high"]]);
    const both = [
      ["warning", "behind", "a high"],
      ["debug", undefined, "a low"],
    ];
    await expect.poll(() => messages.ann).toEqual(both);
  },
  async "two clients are asked at once, each for its own call"({ connect, ran, rounds }) {
    const both = meeting(2);
    const ann = await connect("ann", {}, both);
    const bob = await connect("bob", {}, both);
    const calls = [ann.call("once", "a"), bob.call("once", "b")];
    expect(await Promise.all(calls)).toEqual(["a: accept ann 1", "b: accept bob 1"]);
    expect([ann.asked, bob.asked]).toEqual([["a: sure?"], ["b: sure?"]]);
    expect([ran("once a"), ran("once b")]).toEqual([rounds(1), rounds(1)]);
  },
  async "one client is asked for two calls at once"({ connect, ran, rounds }) {
    const ann = await connect("ann", {}, meeting(2));
    const results = await Promise.all([ann.call("once", "x"), ann.call("once", "y")]);
    expect(results[0]).toMatch(/^x: accept ann [12]$/);
    expect(results[1]).toMatch(/^y: accept ann [12]$/);
    expect(ann.asked.toSorted()).toEqual(["x: sure?", "y: sure?"]);
    expect([ran("once x"), ran("once y")]).toEqual([rounds(1), rounds(1)]);
  },
  async "a client that vanishes while it is asked harms no other"({ connect, ran, rounds }) {
    const isAsked = deferred();
    const ann = await connect("ann", {}, () => {
      isAsked.resolve();
      return new Promise(() => {});
    });
    const call = ann.call("once", "a");
    await isAsked.promise;
    await ann.session.close({ drainMs: 0 });
    await call;
    expect(ran("once a")).toBe(1);
    const bob = await connect("bob");
    expect(await bob.call("once", "b")).toBe("b: accept bob 1");
    expect(bob.asked).toEqual(["b: sure?"]);
    expect(ran("once b")).toBe(rounds(1));
  },
};

/** A client of the composition. */
interface Front {
  readonly session: ClientSession;
  /** The questions that it was asked. */
  readonly asked: string[];
  /** Calls a tool of the source. @returns Its text, or the code and message of the error. */
  call(tool: string, tag?: string): Promise<string>;
  names(): Promise<readonly string[]>;
}

/** One cell of the matrix. */
interface Cell {
  /** Connects a client. @param wait - Runs before the client answers a question. */
  connect(who: string, options?: ClientOptions, wait?: () => unknown): Promise<Front>;
  readonly effects: readonly string[];
  /** How often a tool ran. */
  ran(call: string): number;
  /** How often a tool with so many rounds of input runs. */
  rounds(count: number): number;
  /** The name and the URI that clients see. */
  named(name: string): string;
  uri(uri: string): string;
}

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
    const session = await new Client({ name: "own", version: "1.0.0" }, declaring).connect(
      await transportTo(server),
    );
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
    const { server, effects } = matrixServer(back);
    const other = matrixServer().server;
    other.removeTools("grow", "touch");
    other.removePrompts("greet");
    other.removeResourceTemplates("lines://{id}");
    other.removeResources("notes://1");
    other.addResource({ uri: "notes://1", name: "one" }, () => "of the other");
    const source = await kinds[kind]?.(server);
    const composed = compose({ source: source as ComposedSource, other }, { onError: () => {} });
    onTestFinished(() => composed.close({ drainMs: 0 }));
    const name = kind === "a manager" ? "source-behind" : "source";
    const named = (tool: string): string => `mcp__${name}__${tool}`;
    await features[feature]?.({
      connect: (who, options, wait) => connect(composed, front, who, named, options, wait),
      effects,
      ran: (call) => effects.filter((line) => line === `run ${call}`).length,
      rounds: (rounds) => ((back ?? front) === modernRevision ? rounds + 1 : 1),
      named,
      uri: (uri) => uri.replace("://", `://${name}/`),
    });
  });
});

test.each(["a transport that clients share", "a session"])(
  "a log message that names no call reaches nobody who may not have caused it: %s",
  async (kind) => {
    const { server } = matrixServer(legacyRevision);
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
    const named = (tool: string): string => `mcp__source__${tool}`;
    const [ann, bob] = await Promise.all(
      ["ann", "bob"].map((who) =>
        connect(composed, legacyRevision, who, named, {
          onLog: ({ data }) => void messages[who]?.push(data),
        }),
      ),
    );
    await ann?.call("late");
    const isOwn = kind !== "a session";
    await expect.poll(() => messages["ann"]).toEqual(isOwn ? ["of ann"] : []);
    expect(await bob?.call("late")).toBe("logged");
    expect(await ann?.call("late")).toBe("logged");
    expect(messages).toEqual({ ann: isOwn ? ["of ann"] : [], bob: [] });
    expect(errors).toEqual([["source", expect.stringMatching(/they name no call.*HTTP/)]]);
  },
);

test("a level of log messages that a server did not confirm is requested again, and ends with its call", async () => {
  const { server } = matrixServer(legacyRevision);
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
  const ann = await connect(composed, legacyRevision, "ann", (tool) => `mcp__source__${tool}`, {
    logLevel: "debug",
  });
  const stop = new AbortController();
  const call = ann.session.callTool({ name: "mcp__source__meta" }, { signal: stop.signal });
  await requested.promise;
  stop.abort(new Error("enough"));
  await expect(call).rejects.toThrow("enough");
  await aborted.promise;
  expect(await ann.call("meta")).toBe("null");
  expect(await ann.call("meta")).toBe("null");
  expect(levels).toEqual(["debug", "debug"]);
});

async function transportTo(server: Server): Promise<Transport> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  return here;
}

/** Connects a client that answers by its name. @param wait - Runs before it answers a question. */
async function connect(
  server: Server,
  front: Revision,
  who: string,
  named: (tool: string) => string,
  options: ClientOptions = {},
  wait?: () => unknown,
): Promise<Front> {
  const { asked, options: answers } = person(who, wait);
  const client = new Client({ name: who, version: "1.0.0" }, { revisions: [front], ...answers, ...options });
  const session = await client.connect(await transportTo(server));
  onTestFinished(() => session.close({ drainMs: 0 }));
  return {
    session,
    asked,
    call: (tool, tag) =>
      textOf(session.callTool({ name: named(tool), arguments: tag === undefined ? {} : { tag } })),
    names: async () => (await session.listTools()).tools.map(({ name }) => name),
  };
}
