import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

import { afterAll, afterEach, expect, test } from "vitest";

import { Client } from "../src/entry/client/index.ts";
import { StdioClientTransport, type StdioServerParameters } from "../src/entry/client/stdio.ts";
import { configure } from "../src/entry/tenon.ts";
import { ElicitRequestSchema, LoggingMessageNotificationSchema } from "../src/entry/types.ts";
import { linkOf } from "../src/shared/engine.ts";
import type { Internals } from "../src/shared/internals.ts";
import { settings } from "../src/shared/settings.ts";
import { folderWith, removeFolders } from "./support/install.mjs";

afterAll(removeFolders);

const defaults = { ...settings };
afterEach(() => configure(defaults));

const program = readFileSync(new URL("fixtures/books.mjs", import.meta.url), "utf8");

function transportTo(
  sdk: "tenon" | "original",
  source = program,
  options: Partial<StdioServerParameters> = {},
): StdioClientTransport {
  const folder = folderWith(sdk, { "server.mjs": source });
  const args = [join(folder, "server.mjs")];
  return new StdioClientTransport({ command: process.execPath, args, ...options });
}

/** A program that ends when it gets a request before `initialize`. */
const fragile = program.replace(
  "const server =",
  `process.stdin.on("data", (data) => String(data).includes("server/discover") && process.exit(1));
const server =`,
);

/** What a program of the official SDK does. It cannot see the era. */
async function use(
  transport: StdioClientTransport,
): Promise<{ readonly era: string; readonly closed: number }> {
  const client = new Client({ name: "program", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  let closed = 0;
  client.onclose = () => void closed++;
  const logs: unknown[] = [];
  client.setNotificationHandler(
    LoggingMessageNotificationSchema,
    ({ params }) => void logs.push(params.data),
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => ({
    action: "accept",
    content: params.message === "Your name?" ? { name: "Ada" } : { sure: true },
  }));
  await client.connect(transport);
  expect(client.getServerVersion()).toMatchObject({ name: "books" });
  expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true }, experimental: {} });
  expect(client.getInstructions()).toBe("Ask before booking.");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("book");
  expect(await client.callTool({ name: "book", arguments: { room: "R1" } })).toMatchObject({
    content: [{ text: "R1 Ada accept" }],
  });
  const progress: number[] = [];
  await client.setLoggingLevel("info");
  await client.callTool({ name: "count", arguments: { to: 2 } }, undefined, {
    onprogress: (each) => void progress.push(each.progress),
  });
  expect(progress).toStrictEqual([1, 2]);
  await expect.poll(() => logs).toStrictEqual(["counted"]);
  await expect(client.getPrompt({ name: "none" })).rejects.toMatchObject({ code: -32602 });
  await expect(client.request({ method: "prompts/get", params: {} }, {} as never)).rejects.toThrow();
  await client.ping();
  const result = await client.callTool({ name: "add", arguments: { a: 1 } });
  expect(result).toStrictEqual({ content: [{ type: "text", text: "2" }] });
  const { session } = linkOf(client as unknown as Internals) ?? {};
  await client.close();
  return { era: session === undefined ? "legacy" : "modern", closed };
}

test("a client program of the official SDK uses the modern era where the server has it, and the legacy era elsewhere", async () => {
  configure({ probeTimeoutMs: 60_000 });
  const [tenon, original] = await Promise.all([use(transportTo("tenon")), use(transportTo("original"))]);
  expect(tenon).toStrictEqual({ era: "modern", closed: 1 });
  expect(original).toStrictEqual({ era: "legacy", closed: 1 });
});

test("a client may wait for the modern era without a limit", async () => {
  configure({ probeTimeoutMs: Infinity });
  expect(await use(transportTo("tenon"))).toStrictEqual({ era: "modern", closed: 1 });
});

test("a server that ends at a request before initialize is started again, and the program notices nothing", async () => {
  configure({ probeTimeoutMs: 60_000 });
  expect(await use(transportTo("original", fragile))).toStrictEqual({ era: "legacy", closed: 1 });
});

test("a server that starts slowly, and ends at that request, is started again, too", async () => {
  configure({ probeTimeoutMs: 60_000 });
  // Loads the code, so that the request is sent in the short time below.
  await use(transportTo("original"));
  configure({ probeTimeoutMs: 1000 });
  const slow = `import { existsSync } from "node:fs";
while (!existsSync(new URL("initialize", import.meta.url))) {}
${fragile}`;
  const folder = folderWith("original", { "server.mjs": slow });
  const args = [join(folder, "server.mjs")];
  const transport = new StdioClientTransport({ command: process.execPath, args });
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    if ("method" in message && message.method === "initialize") {
      writeFileSync(join(folder, "initialize"), "");
    }
    return send(message);
  };
  expect(await use(transport)).toStrictEqual({ era: "legacy", closed: 1 });
});

test("a program reads the standard error of a server that was started again, until its end", async () => {
  configure({ probeTimeoutMs: 60_000 });
  const writing = fragile.replace("throw new Error", 'console.error("called"); throw new Error');
  const transport = transportTo("original", writing, { stderr: "pipe" });
  const stderr = text(transport.stderr as Readable);
  const client = new Client({ name: "program", version: "1.0.0" });
  await client.connect(transport);
  await client.callTool({ name: "fail" });
  await client.close();
  expect(await stderr).toBe("called\n");
});

test("a program reads the standard error of a server that could not be started to its end", async () => {
  configure({ probeTimeoutMs: 60_000 });
  const client = new Client({ name: "program", version: "1.0.0" });
  const transport = transportTo("original", 'console.error("broken"); process.exit(1);', { stderr: "pipe" });
  const stderr = text(transport.stderr as Readable);
  await expect(client.connect(transport)).rejects.toMatchObject({ code: -32000 });
  expect(await stderr).toBe("broken\nbroken\n");
});

test("a server that is slow is used in the legacy era, and its late response does no harm", async () => {
  configure({ probeTimeoutMs: 1 });
  expect(await use(transportTo("tenon"))).toStrictEqual({ era: "legacy", closed: 1 });
});

test("a client that the program calls through a proxy works", async () => {
  configure({ probeTimeoutMs: 60_000 });
  const client = new Client({ name: "program", version: "1.0.0" });
  await client.connect(transportTo("tenon"));
  const proxy = new Proxy(client, { get: (target, name) => Reflect.get(target, name) as unknown });
  expect(await proxy.callTool({ name: "add", arguments: { a: 1 } })).toMatchObject({
    content: [{ text: "2" }],
  });
  await proxy.close();
});

/** A server that responds to nothing, and the file in which it counts its starts. */
function silent(): { readonly transport: StdioClientTransport; readonly starts: () => string } {
  const folder = folderWith("original", {
    "server.mjs": `import { appendFileSync } from "node:fs";
appendFileSync(new URL("starts", import.meta.url), "x");
process.stdin.on("end", () => process.exit()).resume();`,
  });
  const file = join(folder, "starts");
  return {
    transport: new StdioClientTransport({ command: process.execPath, args: [join(folder, "server.mjs")] }),
    starts: () => (existsSync(file) ? readFileSync(file, "utf8") : ""),
  };
}

test("a client whose server could not be started has no transport afterwards", async () => {
  configure({ probeTimeoutMs: 60_000 });
  const client = new Client({ name: "program", version: "1.0.0" });
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  const missing = new StdioClientTransport({ command: "/no/such/program" });
  await expect(client.connect(missing)).rejects.toThrow("ENOENT");
  await closed;
  await client.connect(transportTo("tenon"));
  await client.close();
});

test.for(["client", "transport"] as const)(
  "a server is not started again after the program has closed the %s during connect",
  async (closing) => {
    configure({ probeTimeoutMs: 60_000 });
    const client = new Client({ name: "program", version: "1.0.0" });
    const { transport, starts } = silent();
    let closed = 0;
    client.onclose = () => void closed++;
    const connecting = expect(client.connect(transport)).rejects.toMatchObject({ code: -32000 });
    await expect.poll(starts).toBe("x");
    await { client, transport }[closing].close();
    await connecting;
    expect({ starts: starts(), closed }).toStrictEqual({ starts: "x", closed: 1 });
    await client.connect(transportTo("tenon"));
    await client.close();
  },
);

test("the signal and the timeout of connect apply while the client tries the modern era", async () => {
  configure({ probeTimeoutMs: Infinity });
  const client = new Client({ name: "program", version: "1.0.0" });
  const late = client.connect(silent().transport, { timeout: 1 });
  await expect(late).rejects.toMatchObject({ code: -32001, data: { timeout: 1 } });
  await expect.poll(() => client.transport).toBeUndefined();
  const abort = new AbortController();
  const aborted = client.connect(silent().transport, { signal: abort.signal });
  abort.abort("enough");
  await expect(aborted).rejects.toMatchObject({ code: -32001, message: "MCP error -32001: enough" });
});

test("settings that do not exist, or are not valid, are rejected", () => {
  expect(() => configure({ maxPark: 1 } as never)).toThrow("maxPark");
  expect(() => configure({ parkedMs: 0 })).toThrow("parkedMs must be a number of 1 or more; got 0");
});
