import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { withExtra } from "@tenon/jsonrpc2";
import { memoryStore } from "@tenon/sdk/auth/client";
import { Client, wrapTransport, type ClientSession, type Transport } from "@tenon/sdk/client";
import { Manager, type CustomSpec } from "@tenon/sdk/host";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { tryCompile } from "@tenon/sdk/jsonschema";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Server } from "@tenon/sdk/server";
import { createMemoryBus, createMemorySessionStore } from "@tenon/stores";
import type { StartedTask } from "@tenon/tasks/client";
import { expect, test, vi } from "vitest";

import { createNode } from "./guide/cluster.ts";
import { startProcess } from "./guide/deployment.ts";
import { explained, mistakes } from "./guide/errors.ts";
import { add, ask, createDictionary, createReader } from "./guide/extensions.ts";
import {
  answers,
  approve,
  callTools,
  createAskingHost,
  runAgent,
  toolsFor,
  useServers,
} from "./guide/host.ts";
import { createWorker, giveUp, last, open, serve } from "./guide/lifecycle.ts";
import { observe, observeContents, observeHost, observeStores } from "./guide/observability.ts";
import { again, choose } from "./guide/revisions.ts";
import { createVault } from "./guide/security.ts";
import {
  createReader as createSkillReader,
  readSkills,
  reload,
  serveSkills,
  useServers as useSkillServers,
  useSkill,
} from "./guide/skills.ts";
import { connectByEvents, serveByEvents } from "./guide/sse.ts";
import {
  addAsking,
  call as callReport,
  continueLater,
  createHost,
  createReader as createTaskReader,
  createReports,
  openReports,
} from "./guide/tasks.ts";
import { addCountdown, alone, checked, disturbed, locked, measured, paired } from "./guide/testing.ts";
import { change, createForecasts, useForecasts } from "./guide/tools.ts";
import { broadcasted, channeled, counted, logged } from "./guide/transports.ts";

const eras = ["2025-11-25", "2026-07-28"] as const;

interface Open extends AsyncDisposable {
  readonly session: ClientSession;
}

async function connect(server: Server, revision: (typeof eras)[number], client?: Client): Promise<Open> {
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const plain = new Client({ name: "plain", version: "1.0.0" }, { revisions: [revision] });
  const session = await (client ?? plain).connect(here);
  return {
    session,
    async [Symbol.asyncDispose]() {
      await session.close({ drainMs: 0 });
      await server.close({ drainMs: 0 });
    },
  };
}

/** How a manager connects to a server in this process. */
const specOf = (server: Server): CustomSpec => ({
  type: "custom",
  transport: () => ({
    async connect(options) {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return here.connect(options);
    },
  }),
});

const textOf = (result: object): string =>
  "content" in result
    ? (result.content as { readonly text?: string }[]).map(({ text }) => text ?? "").join("\n")
    : "";

test.each(eras)("what docs/tools.md shows does what it says, in %s", async (revision) => {
  const server = createForecasts();
  await using opened = await connect(server, revision);
  const { session } = opened;
  const { untyped, size, names } = await useForecasts(session);
  expect(untyped.structuredContent).toEqual({ city: "Oslo", highs: [21, 21, 21] });
  expect(size).toBe(6);
  expect(names).toEqual(
    expect.arrayContaining(["area", "as_blocks", "book", "cities", "forecast", "history"]),
  );
  const call = (name: string, args = {}, _meta = {}): Promise<object> =>
    session.callTool({ name, arguments: args, _meta });
  expect(textOf(await call("cities", { country: "NO" }))).toBe("5 cities of NO");
  expect(await call("cities", { country: "Norway" })).toMatchObject({ isError: true });
  expect(textOf(await call("history", { from: "2026-01-01", to: "2026-01-02" }))).toBe(
    "from 2026-01-01 to 2026-01-02",
  );
  expect(textOf(await call("history", { from: "2026-01-02", to: "2026-01-01" }))).toContain(
    "must not be after",
  );
  expect(textOf(await call("as_text"))).toBe("sunny");
  expect(await call("as_blocks")).toMatchObject({
    content: [{}, { type: "image" }, { uri: "maps://today" }],
  });
  expect(await call("as_full_result")).toMatchObject({ _meta: { "com.example/source": "satellite" } });
  const user = { "com.example/user": "ada" };
  await expect(call("book", { day: "2027-01-01" })).rejects.toMatchObject({ code: 1403 });
  expect(textOf(await call("book", { day: "2025-01-01" }, user))).toContain("is in the past");
  expect(textOf(await call("book", { day: "2027-01-01" }, user))).toBe("The tool failed.");
  expect(textOf(await call("download"))).toBe(`Loaded for plain in ${revision}.`);
  change(server);
  expect((await session.listTools({}, { fresh: true })).tools.map(({ name }) => name)).not.toContain(
    "cities",
  );
});

test("what docs/lifecycle.md shows does what it says", async () => {
  const errors: unknown[] = [];
  const server = createWorker((error) => errors.push(error));
  const [here, there] = createInMemoryTransports();
  const stop = new AbortController();
  const serving = serve(server, there, stop.signal);
  const session = await open(here);
  expect(textOf(await session.callTool({ name: "quick" }))).toBe("done");
  expect(await giveUp(session)).toMatchObject({ message: "the user left" });
  stop.abort();
  await serving;
  expect(await last(session)).toBe("ended in good order");
  expect(errors).toEqual([]);
});

test.each(eras)("what docs/errors.md shows does what it says, in %s", async (revision) => {
  for (const [expected, mistake] of Object.entries(mistakes)) {
    const server = new Server({ name: "server", version: "1.0.0" });
    server.addTool({ name: "fail" }, () => ({
      content: [{ type: "text", text: "not today" }],
      isError: true,
    }));
    server.addResource({ uri: "memo://1", name: "one" }, () => "one");
    await using opened = await connect(server, revision);
    expect(await explained(() => mistake(opened.session))).toBe(expected);
    expect(await explained(async () => {})).toBe("fine");
  }
});

test("what docs/extensions.md shows does what it says", async () => {
  const words: string[] = [];
  const dictionary = createDictionary();
  const reader = createReader((word) => words.push(word));
  add(dictionary, reader);
  await using opened = await connect(dictionary, "2026-07-28", reader);
  expect(opened.session.serverCapabilities.extensions).toMatchObject({
    "com.example/spelling": { languages: ["en"] },
  });
  expect(await ask(opened.session)).toBe("the cut end of a beam");
  expect(words).toEqual(["tenon"]);
  await using without = await connect(createDictionary(), "2025-11-25");
  await expect(ask(without.session)).rejects.toMatchObject({ code: -32_601 });
});

test("what the README of the transport of 2024-11-05 shows does what it says", async () => {
  const http = serveByEvents(0);
  try {
    await once(http, "listening");
    await using session = await connectByEvents((http.address() as AddressInfo).port);
    expect(session.revision).toBe("2026-07-28");
    expect((await session.callTool({ name: "greet" })).content).toEqual([{ type: "text", text: "Hello!" }]);
  } finally {
    http.close();
  }
});

test("what docs/transports.md shows does what it says", async () => {
  const lines: string[] = [];
  const [here, there] = createInMemoryTransports();
  await createDictionary().connect(there);
  const { transport, counts } = counted(here);
  await using session = await logged(transport, lines);
  expect(session.revision).toBe("2026-07-28");
  expect(counts).toEqual({ read: 1, written: 1 });
  expect(lines.map((line) => (JSON.parse(line) as { dir: string }).dir)).toEqual(["write", "read"]);
  const client = new Client({ name: "desk", version: "1.0.0" });
  await using inThread = await channeled(client, createDictionary());
  expect(inThread.revision).toBe("2026-07-28");
  await using inTab = await broadcasted(client, createDictionary());
  expect(inTab.revision).toBe("2026-07-28");
});

test("what docs/revisions.md shows does what it says", async () => {
  const { server, client } = choose();
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  await using session = await client.connect(here);
  expect(session.revision).toBe("2025-11-25");
  const modern = new Server({ name: "modern", version: "1.0.0" });
  const sessions = await again(client, () => {
    const [own, other] = createInMemoryTransports();
    void modern.connect(other);
    return own;
  });
  expect(sessions.map(({ era }) => era)).toEqual(["modern", "modern"]);
  await client.close();
});

test("what docs/security.md shows does what it says", async () => {
  const errors: unknown[] = [];
  const server = createVault(crypto.getRandomValues(new Uint8Array(32)), (error) => errors.push(error));
  const opened = async (scopes: readonly string[]): Promise<ClientSession> => {
    const [here, there] = createInMemoryTransports();
    const checked: Transport = wrapTransport(there, {
      onRead: (message) => withExtra(message, { auth: { principal: "ada", scopes } }),
    });
    await server.connect(checked);
    return new Client({ name: "client", version: "1.0.0" }).connect(here);
  };
  await using allowed = await opened(["tools"]);
  await using refused = await opened([]);
  expect(textOf(await allowed.callTool({ name: "open" }))).toBe("opened for ada");
  expect(textOf(await allowed.callTool({ name: "break" }))).toBe("The tool failed.");
  await expect(refused.callTool({ name: "open" })).rejects.toMatchObject({ code: 1403 });
  expect(errors).toMatchObject([{ message: "at /srv/vault.ts: secret" }]);
});

test("what docs/host.md shows does what it says", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-docs-"));
  try {
    const file = join(folder, "mcp.json");
    const args = [join(import.meta.dirname, "fixtures/greeter.mjs")];
    const broken = { command: join(folder, "nothing-there") };
    const unset = { command: "a", env: { KEY: "${NOT_SET_ANYWHERE}" } };
    const mcpServers = { greeter: { command: process.execPath, args }, broken, unset };
    await writeFile(file, JSON.stringify({ mcpServers }));
    const printed: unknown[] = [];
    await useServers(file, (line) => printed.push(line));
    expect(printed).toEqual([
      "unset is not used: ${NOT_SET_ANYWHERE} must have a value.",
      "ready: greeter; still connecting: 0",
      expect.stringMatching(/^broken: HostError: .*could not be connected to/),
      "mcp__greeter__greet: Says hello",
      [{ type: "text", text: "Hello, you!" }],
      expect.stringMatching(/^broken is failed \(/),
      "greeter is ready (1.0.0)",
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the agent of docs/host.md gives its model the results of tools, and refusals in words", async () => {
  const server = new Server({ name: "local", version: "1.0.0" });
  server.addTool({ name: "look", annotations: { readOnlyHint: true } }, () => "a file");
  server.addTool({ name: "pay" }, () => "paid");
  const transport = (): Transport => ({
    async connect(options) {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return here.connect(options);
    },
  });
  await using manager = new Manager({
    servers: { files: { type: "custom", transport } },
    policy: { approve },
  });
  await manager.connectAll();
  const seen: string[] = [];
  const call = (id: string, tool: string) =>
    ({ type: "tool_use", id, name: `mcp__files__${tool}`, input: {} }) as const;
  const script = [[call("1", "look"), call("2", "pay")], [{ type: "text", text: "Done." } as const]];
  const text = await runAgent(
    manager,
    async (messages, tools) => {
      seen.push(`${tools.length} tools`, JSON.stringify(messages.at(-1)?.content));
      return script.shift() ?? [];
    },
    "Pay it",
  );
  expect(text).toBe("Done.");
  expect(seen[0]).toBe("2 tools");
  expect(seen[3]).toContain("a file");
  expect(seen[3]).toContain("The tool pay of files is not called: the user said no.");
  expect(answers).toEqual(["files wants to run pay with {}"]);
});

test("the host of docs/host.md asks the user for servers", async () => {
  const server = new Server({ name: "shop", version: "1.0.0" });
  server.addTool({ name: "paint" }, async (_, ctx) => {
    const requestedSchema = { type: "object", properties: { color: { type: "string" } } } as const;
    return JSON.stringify((await ctx.elicit({ message: "Which color?", requestedSchema })).content);
  });
  await using manager = createAskingHost({ shop: specOf(server) });
  const { content } = await manager.callTool("shop", "paint", {});
  expect(content).toEqual([{ type: "text", text: '{"color":"blue"}' }]);
  expect(answers.pop()).toBe("shop: Which color?");
});

test("the OpenAI example of docs/host.md converts tools and results, with the messages of tools first", async () => {
  const server = new Server({ name: "local", version: "1.0.0" });
  server.addTool({ name: "draw" }, () => ({
    content: [{ type: "image", data: "AAAA", mimeType: "image/png" }],
  }));
  const transport = (): Transport => ({
    async connect(options) {
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return here.connect(options);
    },
  });
  await using manager = new Manager({ servers: { art: { type: "custom", transport } } });
  await manager.connectAll();
  expect(await toolsFor(manager)).toMatchObject([{ function: { name: "mcp__art__draw", strict: false } }]);
  const call = (id: string, name: string) =>
    ({ type: "function", id, function: { name, arguments: "{}" } }) as const;
  const messages = await callTools(manager, [call("1", "mcp__art__draw"), call("2", "nothing")]);
  expect(messages.map(({ role }) => role)).toEqual(["tool", "tool", "user"]);
  expect(JSON.stringify(messages[1])).toContain("nothing");
});

test("what docs/subscriptions.md says of several machines is so", async () => {
  const listeners: ((text: string) => void)[] = [];
  const bus = {
    publish: (text: string): void => listeners.forEach((listener) => listener(text)),
    subscribe: (listener: (text: string) => void): void => void listeners.push(listener),
  };
  const [one, two] = [createNode(bus), createNode(bus)];
  two.addResource({ uri: "memo://1", name: "one" }, () => "one");
  await using opened = await connect(two, "2026-07-28");
  const watch = opened.session.watch("memo://1");
  await watch.ready;
  one.resourceUpdated("memo://1");
  expect(await watch.next()).toMatchObject({ value: { uri: "memo://1" } });
  await watch.close();
});

test("what docs/deployment.md shows does what it says", async () => {
  await using bus = createMemoryBus();
  const stores = { bus, sessions: createMemorySessionStore(), auth: memoryStore() };
  const [one, two] = [startProcess(stores), startProcess(stores)];
  one.server.addTool({ name: "greet" }, () => "Hello!");
  two.server.addTool({ name: "greet" }, () => "Hello!");
  let turn = 0;
  const url = new URL("http://127.0.0.1/mcp");
  const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    (turn++ % 2 === 0 ? one : two).handler.fetch(new Request(input, init));
  const client = new Client({ name: "reader", version: "1.0.0" }, { revisions: ["2025-11-25"] });
  const session = await client.connect(new StreamableClientTransport(url, { eras: false, fetch }));
  for (let call = 0; call < 4; call++) {
    expect(await session.callTool({ name: "greet" })).toMatchObject({ content: [{ text: "Hello!" }] });
  }
  await client.close();
  await Promise.all([one.stop(), two.stop()]);
});

test("docs/schemas.md names the dialects that are supported, and no other is (R-492)", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/schemas.md"), "utf8");
  const dialects = {
    "2020-12": "https://json-schema.org/draft/2020-12/schema",
    "2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft-07": "http://json-schema.org/draft-07/schema#",
    "draft-06": "http://json-schema.org/draft-06/schema#",
    "draft-04": "http://json-schema.org/draft-04/schema#",
  };
  const rows = page.slice(page.indexOf("| dialect |"), page.indexOf("| any other |"));
  for (const [name, $schema] of Object.entries(dialects)) {
    expect([name, tryCompile({ $schema, type: "string" }).ok]).toEqual([name, rows.includes(name)]);
  }
});

test.each(eras)("what docs/testing.md shows does what it says, in %s", async (revision) => {
  const server = new Server({ name: "server", version: "1.0.0" });
  addCountdown(server);
  expect(textOf((await paired(server, revision)) as object)).toBe("lift-off");
  expect(await alone()).toEqual({ text: "lift-off", reported: [1, 2, 3] });
});

test("the tools of docs/testing.md check, compare, disturb and measure a server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-docs-"));
  const print = vi.spyOn(console, "log").mockImplementation(() => {});
  try {
    const server = new Server({ name: "server", version: "1.0.0" });
    addCountdown(server);
    const lock = join(folder, "tenon.lock.json");
    expect(await locked(server, lock)).toEqual([]);
    server.addTool({ name: "more" }, () => "");
    expect(await locked(server, lock)).toMatchObject([{ effect: "additive", name: "more" }]);
    server.removeTools("countdown");
    expect(await locked(server, lock)).toMatchObject([{ effect: "breaking", name: "countdown" }]);
    addCountdown(server);
    await checked(server);
    expect(textOf((await disturbed(server)) as object)).toBe("lift-off");
    expect(await measured(server)).toEqual([]);
    expect(print).toHaveBeenCalledWith(expect.stringMatching(/^p50 [\d.]+ ms, p99 [\d.]+ ms$/));
  } finally {
    print.mockRestore();
    await rm(folder, { recursive: true });
  }
});

test("what docs/skills.md shows does what it says", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-docs-"));
  try {
    await mkdir(join(folder, "pdf/references"), { recursive: true });
    const manifest = "---\nname: pdf\ndescription: Fill forms\n---\n# PDF\n";
    await writeFile(join(folder, "pdf/SKILL.md"), manifest);
    await writeFile(join(folder, "pdf/references/forms.md"), "# Forms\n");
    const { server, catalog } = await serveSkills(folder);
    await using opened = await connect(server, "2026-07-28", createSkillReader());
    const shown: string[] = [];
    await readSkills(opened.session, (text) => shown.push(text));
    expect(shown).toEqual(["pdf: Fill forms", manifest]);
    const questions: string[] = [];
    const text = await useSkill(opened.session, (question) => {
      questions.push(question);
      return Promise.resolve(true);
    });
    expect(text).toBe(`${manifest}# Forms\n`);
    expect(questions).toEqual([expect.stringContaining("skill://acme/pdf/SKILL.md of office (sha256:")]);
    await writeFile(join(folder, "pdf/references/forms.md"), "# New\n");
    await reload(catalog, folder);
    expect(await useSkill(opened.session, () => Promise.resolve(true))).toContain("# New");
    const heard: string[] = [];
    const approve = (): boolean => true;
    await useSkillServers({ office: specOf(server) }, (line) => heard.push(line), approve);
    expect(heard).toEqual(["office: Fill forms", `office: ${manifest}`]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("what docs/tasks.md shows does what it says", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tenon-docs-"));
  try {
    const { server, engine } = createReports(undefined);
    await using opened = await connect(server, "2026-07-28", createTaskReader(true));
    const shown: string[] = [];
    expect(await callReport(opened.session, (text) => shown.push(text))).toMatchObject({
      content: [{ text: "Sent: 3" }],
    });
    expect(shown[0]).toMatch(/^working/);
    expect(await continueLater(opened.session, new Map())).toMatchObject({ content: [{ text: "Sent: 3" }] });
    const keeping = createHost(true);
    addAsking(server);
    await using old = await connect(server, "2025-11-25", keeping.client);
    expect(await old.session.callTool({ name: "ask" })).toMatchObject({ content: [{ text: "accept" }] });
    expect(old.session.declaredCapabilities).toHaveProperty("tasks");
    await keeping.engine.close();
    await engine.close();

    const path = join(folder, "tasks.log");
    const first = await openReports(path);
    const before = await connect(first.server, "2026-07-28", createTaskReader(true));
    const { reference } = (await before.session.tasks.start({
      name: "report",
      arguments: { of: "June" },
    })) as StartedTask;
    await before.session.close();
    await first.close();
    const second = await openReports(path);
    await using after = await connect(second.server, "2026-07-28", createTaskReader(false));
    const resumed = await after.session.tasks.resume(reference);
    expect(await resumed.result()).toMatchObject({ content: [{ text: "Kept" }] });
    await second.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("what docs/observability.md shows runs without an SDK of OpenTelemetry", async () => {
  const server = new Server({ name: "measured", version: "1.0.0" });
  server.addTool({ name: "add" }, () => "3");
  const client = new Client({ name: "measuring", version: "1.0.0" });
  observe(server, client);
  observeContents(server);
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const session = await client.connect(here);
  expect(textOf(await session.callTool({ name: "add" }))).toBe("3");
  await using manager = observeHost({ billing: { type: "custom", connect: () => here } as never });
  expect([...manager.snapshot.keys()]).toEqual(["billing"]);
  const handler = observeStores(server, { sessions: createMemorySessionStore(), bus: createMemoryBus() });
  await handler.close();
  await session.close();
  await server.close({ drainMs: 0 });
});
