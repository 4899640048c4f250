import type { Transport } from "@tenon/jsonrpc2";
import { Client, type ClientOptions, type ClientSession } from "@tenon/mcp";
import type { Era, LoggingLevel, Revision } from "@tenon/protocol";
import { skillClient, type SkillEntry } from "@tenon/skills/client";
import { taskClient } from "@tenon/tasks/client";
import { deferred, meeting, person, textOf } from "@tenon/test-support";
import { expect, onTestFinished } from "vitest";

/** A client of a proxy. It follows tasks, and knows skills. */
export interface Front {
  readonly session: ClientSession;
  /** The questions that it was asked. */
  readonly asked: string[];
  /** Calls a tool of the server behind. @returns Its text, or the code and message of the error. */
  call(tool: string, tag: string): Promise<string>;
}

/** How a client is connected. */
export interface FrontOptions extends ClientOptions {
  /** Whether the client takes no tasks. Default: `false`. */
  readonly plain?: boolean;
}

/** One cell of the matrix: a proxy between a client and a server, each of one era. */
export interface Cell {
  /** The eras of the client and of the server. A mounted server has that of the client. */
  readonly front: Era;
  readonly back: Era;
  /** Distinguishes the calls of the cell from those of others at the same server. */
  readonly tag: string;
  /** Connects a client. @param wait - Runs before the client answers a question. */
  connect(who: string, options?: FrontOptions, wait?: () => unknown): Promise<Front>;
  /** What the tools did. */
  effects(): readonly string[];
  /** The name and the URI that clients see. */
  named(name: string): string;
  uri(uri: string): string;
  /** The URIs of other servers' resources. */
  readonly others: readonly string[];
  /** Whether log messages name no call, so that those of simultaneous calls are lost. */
  readonly hasUnnamedLogs?: boolean;
  /** Whether all callers share a session. A legacy session declares its client once. */
  readonly isShared?: boolean;
  /** Whether lists are not fresh for any time, because a mounted server is among the servers. */
  readonly isNeverFresh?: boolean;
}

/** How often a tool ran. */
function ran({ effects }: Cell, call: string): number {
  return effects().filter((line) => line === `run ${call}`).length;
}

/** How often a tool with so many rounds of input runs: a modern server runs it for each round. */
function rounds({ back }: Cell, count: number): number {
  return back === "modern" ? count + 1 : 1;
}

/** Waits for an effect, of which a program writes a file. */
async function happened({ effects }: Cell, line: string): Promise<void> {
  await expect.poll(effects, { timeout: 10_000 }).toContain(line);
}

/**
 * What clients may expect of a server behind a proxy: the same as without it, for every pair of
 * eras. The tests of a proxy run each of these features for each kind of server, and count who was
 * asked what, and how often the tool ran.
 */
export const features: Readonly<Record<string, (cell: Cell) => Promise<void>>> = {
  async "a tool asks once"(cell) {
    const { connect, tag } = cell;
    const ann = await connect("ann");
    expect(await ann.call("once", tag)).toBe(`${tag}: accept ann 1`);
    expect(ann.asked).toEqual([`${tag}: sure?`]);
    expect(ran(cell, `once ${tag}`)).toBe(rounds(cell, 1));
  },
  async "a tool asks twice"(cell) {
    const { connect, tag } = cell;
    const ann = await connect("ann");
    expect(await ann.call("twice", tag)).toBe("accept ann 1, accept ann 2");
    expect(ann.asked).toEqual([`${tag}: first?`, `${tag}: second?`]);
    expect(ran(cell, `twice ${tag}`)).toBe(rounds(cell, 2));
  },
  async "a tool asks two questions at once"(cell) {
    const { connect, tag } = cell;
    const ann = await connect("ann");
    expect(await ann.call("both", tag)).toMatch(/^accept ann [12], accept ann [12]$/);
    expect(ann.asked.toSorted()).toEqual([`${tag}: first?`, `${tag}: second?`]);
    expect(ran(cell, `both ${tag}`)).toBe(rounds(cell, 1));
  },
  async "a tool asks the model"(cell) {
    const { connect, tag } = cell;
    const ann = await connect("ann");
    expect(await ann.call("model", tag)).toBe("model of ann");
    expect(ran(cell, `model ${tag}`)).toBe(rounds(cell, 1));
  },
  async "a tool asks for the roots"(cell) {
    const { connect, tag } = cell;
    const ann = await connect("ann");
    expect(await ann.call("roots", tag)).toBe("file:///ann");
    expect(ran(cell, `roots ${tag}`)).toBe(rounds(cell, 1));
  },
  async "a step runs once, however often the tool asks"({ connect, tag, effects }) {
    const ann = await connect("ann");
    expect(await ann.call("step", tag)).toBe("accept ann 1");
    expect(effects().filter((line) => line === `charge ${tag}`)).toHaveLength(1);
  },
  async "progress arrives, and a cancellation reaches the tool"(cell) {
    const { connect, tag, named } = cell;
    const ann = await connect("ann");
    const stop = new AbortController();
    const seen: unknown[] = [];
    const call = ann.session.callTool(
      { name: named("work"), arguments: { tag } },
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
    await happened(cell, `abort work ${tag}`);
  },
  async "a change of a list is announced, and the list is new"({ connect, tag, named }) {
    const changed = deferred();
    const ann = await connect("ann", { onToolsChanged: () => changed.resolve() });
    const before = await namesOf(ann);
    expect(await ann.call("grow", tag)).toBe("grown");
    await changed.promise;
    const after = await namesOf(ann);
    expect(after.filter((name) => !before.includes(name))).toEqual([expect.stringContaining(named("new-"))]);
  },
  async "an update of a resource arrives under its URI here"({ connect, tag, uri }) {
    const ann = await connect("ann");
    const watch = ann.session.watch(uri("notes://1"));
    await watch.ready;
    const update = watch.next();
    let seen: unknown;
    // The watch of the server behind begins later than that of the client.
    while (seen === undefined) {
      const touched = ann.call("touch", tag).then(() => undefined);
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
  async "resources, templates and links have the URIs of the proxy"({ connect, uri, named, others }) {
    const { session } = await connect("ann");
    const { resources } = await session.listResources();
    const notes = resources.map((each) => each.uri).filter((each) => each.startsWith("notes:"));
    expect(notes).toEqual([uri("notes://1"), ...others]);
    const { resourceTemplates } = await session.listResourceTemplates();
    expect(resourceTemplates.map((each) => each.uriTemplate)).toContain(uri("lines://{id}"));
    const { contents } = await session.readResource({ uri: uri("notes://1") });
    expect(contents).toEqual([expect.objectContaining({ uri: uri("notes://1"), text: "text" })]);
    for (const other of others) {
      const read = await session.readResource({ uri: other });
      expect(read.contents[0]).toMatchObject({ uri: other, text: "of the other" });
    }
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
  async "log messages arrive at the client of the call, at its level"({ connect, tag, hasUnnamedLogs }) {
    const messages = { ann: [] as unknown[], bob: [] as unknown[] };
    const logging = (who: "ann" | "bob", logLevel: LoggingLevel): ClientOptions => ({
      logLevel,
      onLog: ({ level, logger, data }) => void messages[who].push([level, logger, data]),
    });
    const ann = await connect("ann", logging("ann", "debug"));
    const bob = await connect("bob", logging("bob", "warning"));
    const first = ann.call("logs", `${tag} a`);
    await (hasUnnamedLogs === true ? first : undefined);
    expect(await Promise.all([first, bob.call("logs", `${tag} b`)])).toEqual(["logged", "logged"]);
    await expect.poll(() => messages.bob).toEqual([["warning", "behind", `${tag} b high`]]);
    const both = [
      ["warning", "behind", `${tag} a high`],
      ["debug", undefined, `${tag} a low`],
    ];
    await expect.poll(() => messages.ann).toEqual(both);
  },
  async "a call that becomes a task has its result, and asks its client"({ connect, tag, effects }) {
    const ann = await connect("ann");
    await ann.session.listTools();
    expect(await ann.call("report", tag)).toBe(`${tag}: accept ann 1`);
    expect(ann.asked).toEqual([`${tag}: send?`]);
    expect(effects().filter((line) => line === `collect ${tag}`)).toHaveLength(1);
  },
  async "a client without tasks gets the result of a task, or is told what it lacks"(cell) {
    const { connect, tag, front, back, effects } = cell;
    const ann = await connect("ann", { plain: true });
    const text = await ann.call("report", tag);
    const isAsServer = front === back;
    expect(text).toMatch(
      isAsServer && front === "modern" ? /^-32021 / : isAsServer ? told(tag) : result(tag),
    );
    const collected = effects().filter((line) => line === `collect ${tag}`).length;
    expect(collected).toBe(result(tag).test(text) ? 1 : 0);
  },
  async "a task is found, cancelled, and unknown to others by its id"(cell) {
    const { connect, tag, named, front, back } = cell;
    const { session } = await connect("ann");
    const started = await session.tasks.start({
      name: named(front === "legacy" && back === "modern" ? "typed" : "wait"),
      arguments: { tag },
    });
    if (!("reference" in started)) {
      // Legacy clients are not told which tools of a modern server have tasks.
      expect([front, back]).toEqual(["legacy", "modern"]);
      return;
    }
    const found = await session.tasks.resume(started.reference);
    expect(found.task).toMatchObject({ id: started.task.id, status: "working" });
    const { taskId } = started.reference;
    await expect(session.tasks.get(`${taskId}x`)).rejects.toMatchObject({ code: "TASK_LOST" });
    await found.cancel();
    await happened(cell, `abort wait ${tag}`);
    await expect
      .poll(async () => (await session.tasks.get(taskId)).status, { timeout: 10_000 })
      .toBe("cancelled");
  },
  async "skills arrive under their URIs here, and their files are what they were"({ connect, uri }) {
    const { session } = await connect("ann");
    const skills: SkillEntry[] = [];
    for await (const skill of session.skills.list()) {
      skills.push(skill);
    }
    expect(skills.map((skill) => skill.uri)).toEqual([uri("skill://acme/pdf/SKILL.md")]);
    const [pdf] = skills;
    const skill = await session.skills.get(pdf?.uri ?? "");
    expect((await session.skills.read(skill)).text).toContain("Read references/forms.md.");
    expect((await session.skills.read(skill, "references/forms.md")).text).toBe("# Forms");
  },
  async "a view of an app has its URI here, for tools and for readers"({ connect, named, uri }) {
    const { session } = await connect("ann");
    const { tools } = await session.listTools();
    const forecast = tools.find(({ name }) => name === named("forecast"));
    expect(forecast?._meta).toMatchObject({ ui: { resourceUri: uri("ui://behind/chart") } });
    const { contents } = await session.readResource({ uri: uri("ui://behind/chart") });
    expect(contents).toEqual([
      expect.objectContaining({
        uri: uri("ui://behind/chart"),
        mimeType: "text/html;profile=mcp-app",
        text: expect.stringContaining("<title>Chart</title>"),
      }),
    ]);
  },
  async "a tool knows whether the host of its caller shows views"({ connect, tag, back, isShared }) {
    const views = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };
    const [ann, bob] = [await connect("ann", { extensions: views }), await connect("bob")];
    const calls = [ann.call("forecast", tag), bob.call("forecast", tag), ann.call("forecast", tag)];
    const seen = isShared === true && back === "legacy" ? "Sunny" : "The chart shows sun";
    expect(await Promise.all(calls)).toEqual([seen, "Sunny", seen]);
  },
  async "caching hints arrive where both sides know them"({ connect, uri, front, back, isNeverFresh }) {
    const { session } = await connect("ann");
    const list: object = await session.listTools();
    const read: object = await session.readResource({ uri: uri("notes://1") });
    const { ttlMs } = list as { readonly ttlMs?: number };
    if (front === "legacy") {
      expect([ttlMs, "ttlMs" in read]).toEqual([undefined, false]);
    } else if (back === "legacy") {
      expect([ttlMs, read]).toEqual([0, expect.objectContaining({ ttlMs: 0, cacheScope: "private" })]);
    } else {
      expect(read).toMatchObject({ ttlMs: 60_000, cacheScope: "public" });
      expect(list).toMatchObject({ cacheScope: "private" });
      expect(ttlMs).toBeLessThanOrEqual(30_000);
      expect((ttlMs ?? 0) > 0).toBe(isNeverFresh !== true);
    }
  },
  async "two clients are asked at once, each for its own call"(cell) {
    const { connect, tag } = cell;
    const both = meeting(2);
    const ann = await connect("ann", {}, both);
    const bob = await connect("bob", {}, both);
    const calls = [ann.call("once", `${tag} a`), bob.call("once", `${tag} b`)];
    expect(await Promise.all(calls)).toEqual([`${tag} a: accept ann 1`, `${tag} b: accept bob 1`]);
    expect([ann.asked, bob.asked]).toEqual([[`${tag} a: sure?`], [`${tag} b: sure?`]]);
    expect([ran(cell, `once ${tag} a`), ran(cell, `once ${tag} b`)]).toEqual([
      rounds(cell, 1),
      rounds(cell, 1),
    ]);
  },
  async "one client is asked for two calls at once"(cell) {
    const { connect, tag } = cell;
    const ann = await connect("ann", {}, meeting(2));
    const results = await Promise.all([ann.call("once", `${tag} x`), ann.call("once", `${tag} y`)]);
    expect(results[0]).toMatch(new RegExp(`^${tag} x: accept ann [12]$`));
    expect(results[1]).toMatch(new RegExp(`^${tag} y: accept ann [12]$`));
    expect(ann.asked.toSorted()).toEqual([`${tag} x: sure?`, `${tag} y: sure?`]);
    expect([ran(cell, `once ${tag} x`), ran(cell, `once ${tag} y`)]).toEqual([
      rounds(cell, 1),
      rounds(cell, 1),
    ]);
  },
  async "a client that vanishes while it is asked harms no other"(cell) {
    const { connect, tag, front, back } = cell;
    const isAsked = deferred();
    const ann = await connect("ann", {}, () => {
      isAsked.resolve();
      return new Promise(() => {});
    });
    const call = ann.call("once", tag);
    await isAsked.promise;
    await ann.session.close({ drainMs: 0 });
    await call;
    // Between two rounds of a client nothing runs, or the call is held for a while.
    if (front === "legacy" && back === "legacy") {
      await happened(cell, `end once ${tag}`);
    }
    expect(ran(cell, `once ${tag}`)).toBe(1);
    const bob = await connect("bob");
    expect(await bob.call("once", `${tag} b`)).toBe(`${tag} b: accept bob 1`);
    expect(bob.asked).toEqual([`${tag} b: sure?`]);
    expect(ran(cell, `once ${tag} b`)).toBe(rounds(cell, 1));
  },
};

/**
 * Connects a client that answers by its name.
 *
 * @param transport - Leads to the proxy.
 * @param wait - Runs before the client answers a question.
 */
export async function connectFront(
  transport: Transport,
  revision: Revision,
  { named }: Pick<Cell, "named">,
  [who, { plain = false, ...options } = {}, wait]: Parameters<Cell["connect"]>,
): Promise<Front> {
  const { asked, options: answers } = person(who, wait);
  const client = new Client(
    { name: who, version: "1.0.0" },
    { revisions: [revision], ...answers, ...options },
  );
  client.use(skillClient(), ...(plain ? [] : [taskClient()]));
  const session = await client.connect(transport);
  onTestFinished(() => session.close({ drainMs: 0 }));
  return {
    session,
    asked,
    call: (tool, tag) =>
      textOf(session.callTool({ name: named(tool), arguments: tag === "" ? {} : { tag } })),
  };
}

async function namesOf({ session }: Front): Promise<readonly string[]> {
  return (await session.listTools()).tools.map(({ name }) => name);
}

/** The text of a call of `report`, and the error of a client that asks for no task. */
const result = (tag: string): RegExp => new RegExp(`^${tag}: accept ann 1$`);
const told = (tag: string): RegExp => new RegExp(`^(?:-32601 |${tag}: accept ann 1$)`);
