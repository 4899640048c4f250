import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";

import { deferred } from "@tenon/test-support";
import { expect, onTestFinished, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { fixture, json, program, self, temporaryFolder, tenon } from "./support.ts";

const notes = fixture("notes.ts");

async function recorded(cwd: string, ...more: string[]): Promise<string> {
  const ran = await tenon(["record", notes, "--out", "tape.jsonl", ...more], { cwd });
  expect(ran.code).toBe(0);
  return join(cwd, "tape.jsonl");
}

test("a recording is a target: it is listed and called without the server", async () => {
  const cwd = temporaryFolder();
  await recorded(cwd, "--call", "echo a=1", "--read", "notes://one");
  expect(await json(["tools", "tape.jsonl"], { cwd })).toEqual(await json(["tools", notes]));
  expect((await tenon(["call", "tape.jsonl", "echo", "a=1"], { cwd })).stdout).toBe('{"a":"1"}\n');
  expect(
    (await tenon(["read", "tape.jsonl", "notes://one"], { cwd, isTTY: true, env: { CI: "" } })).stdout,
  ).toBe("The first note.\n");
  const unrecorded = await tenon(["call", "tape.jsonl", "echo", "a=2"], { cwd });
  expect(unrecorded.code).toBe(5);
  expect(unrecorded.stderr).toContain("has no response for this request");
});

test("secrets are not written to a recording", async () => {
  const cwd = temporaryFolder();
  const file = await recorded(
    cwd,
    "--call",
    'echo {"password": "hunter2", "pin": "1234"}',
    "--redact",
    "pin",
  );
  const requests = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.includes('"dir":"write"'));
  expect(requests.join("\n")).toContain('"password":"[redacted]"');
  expect(requests.join("\n")).not.toMatch(/hunter2|"pin":"1234"/);
});

test("replay compares the responses of now, and calls read-only tools alone", async () => {
  const cwd = temporaryFolder();
  const file = await recorded(cwd, "--call", "echo a=1", "--call", "add name=two");
  const same = await tenon(["replay", "tape.jsonl", notes], { cwd });
  expect(same.code).toBe(0);
  expect(same.stdout).toContain("the tool may have effects");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("Adds a note.", "Adds a memo."));
  const drifted = await tenon(["replay", "tape.jsonl", notes], { cwd });
  expect(drifted.code).toBe(7);
  expect(drifted.stdout).toContain("≠ tools/list");
});

test("mock and serve answer over HTTP in both eras, until the interruption", async () => {
  const cwd = temporaryFolder();
  await recorded(cwd, "--call", "echo a=1");
  for (const argv of [
    ["mock", "tape.jsonl"],
    ["serve", notes],
    ["serve", notes, "tape.jsonl"],
  ]) {
    const interruption = new AbortController();
    const url = deferred<string>();
    const serving = tenon([...argv, "--http"], {
      cwd,
      signal: interruption.signal,
      onWrite: (stream, text) => {
        if (stream === "stdout") {
          url.resolve(text.trim());
        }
      },
    });
    const address = await Promise.race([
      url.promise,
      serving.then(({ stderr }) => Promise.reject(new Error(stderr))),
    ]);
    for (const revision of ["2026-07-28", "2025-06-18"]) {
      const { tools } = (await json(["tools", address, "--revision", revision])) as {
        tools: { name: string }[];
      };
      expect(tools.some(({ name }) => name.endsWith("echo"))).toBe(true);
      const name = tools.find((tool) => tool.name.endsWith("echo"))?.name ?? "";
      const called = await tenon(["call", address, name, "a=1", "--revision", revision]);
      expect(called.stdout).toBe('{"a":"1"}\n');
    }
    interruption.abort(new Interrupted());
    await serving;
  }
});

test("serve offers only the tools that are allowed", async () => {
  const interruption = new AbortController();
  const url = deferred<string>();
  const serving = tenon(["serve", notes, "--http", "--allow", "e*", "--read-only"], {
    signal: interruption.signal,
    onWrite: (stream, text) => stream === "stdout" && url.resolve(text.trim()),
  });
  const address = await url.promise;
  const { tools } = (await json(["tools", address])) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(["echo"]);
  expect((await tenon(["call", address, "escape", "--fresh"])).code).toBe(5);
  expect((await tenon(["call", address, "echo", "--fresh"])).code).toBe(0);
  interruption.abort(new Interrupted());
  await serving;
});

test("lock writes the definitions, and --check and diff find what changed", async () => {
  const cwd = temporaryFolder();
  expect((await tenon(["lock", notes], { cwd })).code).toBe(0);
  expect(await tenon(["lock", notes, "--check"], { cwd })).toMatchObject({
    code: 0,
    stdout: "No changes.\n",
  });
  const file = join(cwd, "tenon.lock.json");
  writeFileSync(file, readFileSync(file, "utf8").replace('"name": "picture"', '"name": "photo"'));
  const drifted = await tenon(["lock", notes, "--check", "--json"], { cwd });
  expect(drifted.code).toBe(7);
  expect(JSON.parse(drifted.stdout)).toMatchObject({
    same: false,
    changes: [{ effect: "breaking", name: "photo" }, { effect: "additive" }],
  });
  expect((await tenon(["diff", "tenon.lock.json", notes], { cwd })).code).toBe(7);
  writeFileSync(
    file,
    readFileSync(file, "utf8")
      .replace("Adds a note.", "Adds a memo.")
      .replace('"name": "photo"', '"name": "picture"'),
  );
  expect((await tenon(["diff", "tenon.lock.json", notes, "--fail-on", "breaking"], { cwd })).code).toBe(0);
  expect((await tenon(["lock", notes, "--check", "--file", "none.json"], { cwd })).code).toBe(2);
});

test("a recording is shown as a table, and exported as HAR, OTLP and a page", async () => {
  const cwd = temporaryFolder();
  await recorded(cwd, "--call", "echo a=<b>", "--call", "add name=one");
  const { stdout } = await tenon(["trace", "view", "tape.jsonl"], { cwd });
  expect(stdout).toMatch(/→ +tools\/call +[\d.]+ ms +echo/);
  expect(stdout).toContain("✗ isError");
  expect(stdout).toMatch(/tools\/call: 2 × p50 [\d.]+ ms/);
  const { spans } = (await json(["trace", "view", "tape.jsonl", "--slowest", "1"], { cwd })) as {
    spans: unknown[];
  };
  expect(spans).toHaveLength(1);
  const har = (await json(["trace", "export", "tape.jsonl", "--format", "har"], { cwd })) as {
    log: { version: string; entries: unknown[] };
  };
  expect(har.log.version).toBe("1.2");
  expect(har.log.entries.length).toBeGreaterThan(4);
  const otlp = await json(["trace", "export", "tape.jsonl", "--format", "otlp"], { cwd });
  expect(otlp).toMatchObject({
    resourceSpans: [
      { scopeSpans: [{ spans: expect.arrayContaining([expect.objectContaining({ kind: 3 })]) }] },
    ],
  });
  await tenon(["trace", "export", "tape.jsonl", "--format", "html", "--out", "page.html"], { cwd });
  const page = readFileSync(join(cwd, "page.html"), "utf8");
  expect(page).toContain("&lt;b&gt;");
  expect(page).not.toContain("<b>");
});

/** A host that talks to `tenon tap` over its standard input and output. */
function tapped(cwd: string, ...flags: readonly string[]) {
  const [command, ...args] = self;
  const child = spawn(command, [...args, "tap", "--out", "tap.jsonl", ...flags, ...program("loud.mjs")], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    // Over SSH no browser is opened.
    env: { ...process.env, SSH_TTY: "none" },
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const notes = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const ask = async (message: object): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const { value } = await lines.next();
    return JSON.parse(value as string);
  };
  const noteWith = async (text: string): Promise<string> => {
    for (;;) {
      const { value, done } = await notes.next();
      if (done === true || value.includes(text)) {
        return value as string;
      }
    }
  };
  const end = async (): Promise<void> => {
    const exited = once(child, "exit");
    child.stdin.end();
    await exited;
  };
  return { ask, noteWith, end };
}

const hello = {
  id: "a",
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "host", version: "1" } },
};

test("tap passes everything on unchanged, and records it", async () => {
  const cwd = temporaryFolder();
  const { ask, end } = tapped(cwd);
  expect(await ask(hello)).toMatchObject({ id: "a", result: { serverInfo: { name: "loud" } } });
  expect(await ask({ id: 7, method: "odd/method" })).toEqual({
    jsonrpc: "2.0",
    id: 7,
    error: { code: -32601, message: "no" },
  });
  await end();
  const { spans } = (await json(["trace", "view", "tap.jsonl"], { cwd })) as { spans: { method: string }[] };
  expect(spans.map(({ method }) => method)).toEqual(["initialize", "odd/method"]);
});

test("tap shows the messages in the inspector page, and sends the requests to a collector", async () => {
  const received = deferred<{ path: string | undefined; body: string }>();
  const collector = createServer((request, response) => {
    void text(request).then((body) => {
      received.resolve({ path: request.url, body });
      response.end("{}");
    });
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const { ask, noteWith, end } = tapped(temporaryFolder(), "--open", "--otlp", `http://127.0.0.1:${port}`);
  const [link = ""] = /http:\S+/.exec(await noteWith("shows the messages")) ?? [];
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=\w{64}$/);
  expect((await fetch(link)).headers.get("content-type")).toBe("text/html; charset=utf-8");
  await ask(hello);
  const sent = noteWith("requests were sent");
  await end();
  expect(await sent).toBe(`tap: 1 requests were sent to http://127.0.0.1:${port}/v1/traces`);
  const { path, body } = await received.promise;
  expect(path).toBe("/v1/traces");
  expect(JSON.parse(body)).toMatchObject({
    resourceSpans: [{ scopeSpans: [{ spans: [{ name: "initialize", kind: 3 }] }] }],
  });
});

test("tap keeps the recording if the collector refuses the requests, and refuses an address that is none", async () => {
  const collector = createServer((request, response) => {
    request.resume();
    response.writeHead(401).end("who are you?");
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const cwd = temporaryFolder();
  const { ask, noteWith, end } = tapped(cwd, "--otlp", `http://127.0.0.1:${port}/v1/traces`);
  await ask(hello);
  const warned = noteWith("not sent");
  await end();
  expect(await warned).toContain("status 401: who are you?");
  expect((await json(["trace", "view", "tap.jsonl"], { cwd })) as object).toMatchObject({ spans: [{}] });
  const refused = await tenon(["tap", notes, "--otlp", "localhost"], { cwd });
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('got "localhost"')]);
});
