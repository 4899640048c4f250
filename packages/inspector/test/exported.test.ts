import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { Server } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { bothEras, modernRevision } from "@tenon/test-support";
import { parseCassette } from "@tenon/testing";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { CommandTransport } from "@tenon/transports-stdio";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { beforeAll, expect, test } from "vitest";

import type { LiveSource } from "../src/index.ts";
import { askingServer } from "./support/asking-server.ts";
import { logIn, type FakeBrowser } from "./support/browser.ts";
import { programCommand, serve } from "./support/serve.ts";

const packageFolder = fileURLToPath(new URL("../", import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly output: string;
}

/** Runs test files by one vitest, as their user would, with the built packages. */
async function run(texts: readonly string[]): Promise<readonly Counts[]> {
  const folder = await mkdtemp(join(packageFolder, "node_modules/.exported-"));
  const files = texts.map((_, index) => join(folder, `${index}.test.ts`));
  await Promise.all(files.map((file, index) => writeFile(file, texts[index] ?? "")));
  await writeFile(
    join(folder, "vitest.config.mjs"),
    `export default { test: { include: ["*.test.ts"], exclude: [], reporters: ["json"], testTimeout: 60_000 } };`,
  );
  const ran = await promisify(execFile)(process.execPath, [vitest, "run", "--root", folder], {
    env: { ...process.env, NODE_OPTIONS: "" },
  }).catch((error: unknown) => error as { stdout: string; stderr: string });
  const json = /\{"numTotalTestSuites".*\}/s.exec(ran.stdout)?.[0] ?? "{}";
  const { testResults = [] } = JSON.parse(json) as {
    testResults?: { name: string; assertionResults: { status: string }[] }[];
  };
  const output = ran.stdout + ran.stderr;
  await rm(folder, { recursive: true, force: true });
  return files.map((file): Counts => {
    const results = testResults.find(({ name }) => name === file)?.assertionResults ?? [];
    const count = (wanted: string): number => results.filter(({ status }) => status === wanted).length;
    return { passed: count("passed"), failed: count("failed"), output };
  });
}

/** Calls the tools of the server as a person would, and exports the session as tests. */
async function record(source: LiveSource, sampled: string): Promise<{ browser: FakeBrowser; text: string }> {
  const browser = await logIn({ source });
  await browser.state(({ source: { phase } }) => phase === "open");
  const call = async (id: string, params: object, method = "tools/call"): Promise<void> => {
    await browser.act({ do: "call", call: id, method, params });
  };
  const ended = (id: string): Promise<unknown> =>
    browser.state(({ calls }) => calls.some((one) => one.call === id && one.phase !== "running"));
  await call("c1", { name: "translate" });
  const { inputRequests } = await browser.state(({ inputRequests: all }) => all.length > 0);
  const content = { role: "assistant", model: "person", content: { type: "text", text: sampled } };
  await browser.act({ do: "answer", question: inputRequests[0]?.id, answer: { action: "accept", content } });
  await ended("c1");
  await call("c2", { name: "edit", arguments: { text: "second" } });
  await ended("c2");
  await call("c3", { uri: "notes://fixed" }, "resources/read");
  await ended("c3");
  await call("c4", { name: "no such tool" });
  await ended("c4");
  const response = await browser.send("export?format=test");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="session.test.ts"');
  return { browser, text: await response.text() };
}

/** Test files that one test of this file is about. They can run until `close` is called. */
interface Exported {
  readonly texts: readonly string[];
  close(): Promise<void>;
}

async function overStdio(revision: Revision): Promise<Exported> {
  const ends: (() => Promise<void>)[] = [];
  const command = await programCommand("asking-program.ts", (end) => ends.push(end));
  const source: LiveSource = {
    kind: "live",
    label: "asking\nserver",
    address: command,
    transport: new CommandTransport(command),
    client: { revisions: [revision] },
  };
  const { browser, text } = await record(source, "Hei!");
  await browser.inspector.close();
  return {
    texts: [text, text.replaceAll("translated: Hei!", "translated: Hola!")],
    async close() {
      await Promise.all(ends.map((end) => end()));
    },
  };
}

async function overHttp(): Promise<Exported> {
  const served = await serve(askingServer());
  const { url } = served;
  const { browser, text } = await record(
    {
      kind: "live",
      label: url,
      address: { url },
      transport: ({ fetch }) => new StreamableClientTransport(url, { fetch, eras: false }),
    },
    "Hei!",
  );
  const lines = await browser.lines();
  const last = lines.findLast(({ subject, kind }) => subject === "translate" && kind === "response");
  const one = await browser.send(`export?format=test&seq=${last?.seq}`);
  expect(one.headers.get("content-disposition")).toBe('attachment; filename="translate.test.ts"');
  return {
    texts: [text, await one.text()],
    async close() {
      await browser.inspector.close();
      await served[Symbol.asyncDispose]();
    },
  };
}

async function ofRecording(): Promise<Exported> {
  const [here, there] = createInMemoryTransports();
  await askingServer().connect(there);
  const live = {
    kind: "live",
    label: "memory",
    transport: here,
    client: { revisions: [modernRevision] },
  } as const;
  const { browser, text } = await record(live, "Bearer abcdefghijklmnop");
  expect(text).not.toContain("abcdefghijklmnop");
  const cassette = parseCassette(await (await browser.send("export?format=jsonl")).text());
  await browser.inspector.close();
  const shown = await logIn({ source: { kind: "recording", label: "*/ x", cassette } });
  const again = await (await shown.send("export?format=test")).text();
  return { texts: [again], close: () => shown.inspector.close() };
}

/** What the runs of each test's files came to; rejected if there are no files. */
const ran = new Map<string, Promise<readonly Counts[]>>();

// One vitest runs the files of all tests: it takes longer to start than to run them.
beforeAll(async () => {
  const exporting: Record<string, () => Promise<Exported>> = {
    ...Object.fromEntries(bothEras.map((revision) => [revision, () => overStdio(revision)])),
    http: overHttp,
    recording: ofRecording,
  };
  const all: (readonly [name: string, Exported])[] = [];
  for (const [name, exported] of Object.entries(exporting)) {
    await exported().then(
      (files) => all.push([name, files]),
      (error: unknown) => {
        const failed = Promise.reject(error);
        failed.catch(() => {});
        ran.set(name, failed);
      },
    );
  }
  const counts = [...(await run(all.flatMap(([, { texts }]) => texts)))];
  for (const [name, { texts, close }] of all) {
    ran.set(name, Promise.resolve(counts.splice(0, texts.length)));
    await close();
  }
});

test.each(bothEras)(
  "a session over stdio becomes tests that pass, and fail when the server has changed (%s)",
  async (revision) => {
    const [same, changed] = (await ran.get(revision)) ?? [];
    expect([same?.passed, same?.failed, same?.output]).toEqual([4, 0, expect.anything()]);
    expect([changed?.passed, changed?.failed]).toEqual([3, 1]);
  },
);

test("a session over HTTP becomes tests, and one chosen call becomes one test", async () => {
  const [session, single] = (await ran.get("http")) ?? [];
  expect([session?.passed, session?.failed, session?.output]).toEqual([4, 0, expect.anything()]);
  expect([single?.passed, single?.failed]).toEqual([1, 0]);
});

test("a recording becomes tests that replay it, with its secrets removed", async () => {
  const [replayed] = (await ran.get("recording")) ?? [];
  expect([replayed?.passed, replayed?.failed, replayed?.output]).toEqual([4, 0, expect.anything()]);
});

test("a session without calls becomes no test, and a secret that a call needs is to be filled in", async () => {
  const server = new Server({ name: "real", version: "1.0.0" });
  server.addTool({ name: "login" }, () => "welcome");
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const browser = await logIn({
    source: { kind: "live", label: "memory", transport: here, address: { command: "node", args: ["x.js"] } },
  });
  await browser.state(({ source }) => source.phase === "open");
  expect((await browser.send("export?format=test")).status).toBe(404);
  const params = { name: "login", arguments: { password: "hunter2" } };
  await browser.act({ do: "call", call: "c1", method: "tools/call", params });
  await browser.state(({ calls }) => calls.some(({ phase }) => phase !== "running"));
  const text = await (await browser.send("export?format=test")).text();
  expect(text).toContain("test.skip(");
  expect(text).not.toContain("hunter2");
  await browser.inspector.close();
});
