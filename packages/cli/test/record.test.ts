import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { deferred, legacyRevision } from "@tenon/test-support";
import { expect, test } from "vitest";

import { Interrupted } from "../src/shell.ts";
import { fixture, json, temporaryFolder, tenon } from "./support.ts";

const notes = fixture("notes.mjs");

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

test("record fails if a call or a read fails, and writes the recording all the same", async () => {
  const cwd = temporaryFolder();
  for (const [option, value, named] of [
    ["--call", "nope", "nope: "],
    ["--call", "add name=one", "add: the tool reports an error"],
    ["--read", "other://none", "other://none: "],
  ] as const) {
    const { code, stderr } = await tenon(["record", notes, "--out", "tape.jsonl", option, value], { cwd });
    expect([value, code]).toEqual([value, 1]);
    expect(stderr).toContain(`warning: ${named}`);
    expect((await tenon(["trace", "view", "tape.jsonl"], { cwd })).code).toBe(0);
  }
});

test("record checks the arguments of a call as call does", async () => {
  const cwd = temporaryFolder();
  const missing = await tenon(["record", notes, "--out", "tape.jsonl", "--call", "add text=x"], { cwd });
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain("needs name.");
  const joined = await tenon(["record", notes, "--out", "tape.jsonl", "--call", 'add={"name":"x"}'], { cwd });
  expect(joined.code).toBe(2);
  expect(joined.stderr).toContain("--call takes the name of a tool and then its arguments");
  await recorded(cwd, "--call", "add name=two times=2");
  expect(readFileSync(join(cwd, "tape.jsonl"), "utf8")).toContain('"times":2');
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
  expect(drifted.stdout).toContain(
    '≠ tools/list {}\n    /tools/0/description: "Adds a memo. Its name must be new." → "Adds a note. Its name must be new."\n',
  );
  expect(drifted.stdout).not.toContain("_meta");
  const asJson = await tenon(["replay", "tape.jsonl", notes, "--json"], { cwd });
  const { requests } = JSON.parse(asJson.stdout) as { requests: { same: boolean; differences: unknown }[] };
  expect(requests.find(({ same }) => !same)?.differences).toMatchObject([{ path: "/tools/0/description" }]);
});

test("replay --update writes the responses of now, and keeps those of calls that it does not send", async () => {
  const cwd = temporaryFolder();
  const file = await recorded(cwd, "--call", "echo a=1", "--call", "add name=two");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, before.replaceAll("Adds a note.", "Adds a memo."));
  expect((await tenon(["replay", "tape.jsonl", notes, "--update"], { cwd })).code).toBe(0);
  const after = readFileSync(file, "utf8");
  expect(after).not.toContain("Adds a memo.");
  expect(after.split("\n")).toHaveLength(before.split("\n").length);
  expect((await tenon(["replay", "tape.jsonl", notes], { cwd })).code).toBe(0);
  expect((await tenon(["call", "tape.jsonl", "add", "name=two"], { cwd })).stdout).toContain('"count": 2');
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

test("a long name that almost matches a pattern does not stop serve", async () => {
  const cwd = temporaryFolder();
  // The server is a program of few lines: names are what it likes.
  const names = ["abcd".repeat(2000), "a-b-c-d-e", "a.e", "xa-b-c-d-e"];
  const source = `
import { createInterface } from "node:readline";
const tools = ${JSON.stringify(names)}.map((name) => ({ name, inputSchema: { type: "object" } }));
const serverInfo = { name: "long", version: "1.0.0" };
const results = {
  initialize: { protocolVersion: ${JSON.stringify(legacyRevision)}, capabilities: { tools: {} }, serverInfo },
  "tools/list": { tools },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  const result = results[method];
  const error = { code: -32601, message: "Method not found" };
  if (id !== undefined) {
    console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }));
  }
}`;
  writeFileSync(join(cwd, "long.mjs"), source);
  const interruption = new AbortController();
  const url = deferred<string>();
  const serving = tenon(
    ["serve", "--http", "--allow", "a*b*c*d*e", "--allow", "a.*", "--", process.execPath, "long.mjs"],
    {
      cwd,
      signal: interruption.signal,
      onWrite: (stream, text) => stream === "stdout" && url.resolve(text.trim()),
    },
  );
  const { tools } = (await json(["tools", await url.promise])) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(["a-b-c-d-e", "a.e"]);
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
  const differs = await tenon(["diff", "tenon.lock.json", notes], { cwd });
  expect(differs.code).toBe(7);
  expect(differs.stdout).toContain("breaking  tool photo: The tool was removed.\n");
  writeFileSync(
    file,
    readFileSync(file, "utf8")
      .replace("Adds a note.", "Adds a memo.")
      .replace('"name": "photo"', '"name": "picture"'),
  );
  expect((await tenon(["diff", "tenon.lock.json", notes, "--fail-on", "breaking"], { cwd })).code).toBe(0);
  expect((await tenon(["lock", notes, "--check", "--file", "none.json"], { cwd })).code).toBe(2);
  expect((await tenon(["lock", notes, "--out", "other.json"], { cwd })).code).toBe(0);
  expect((await tenon(["lock", notes, "--check", "--file", "other.json"], { cwd })).code).toBe(0);
  const twice = await tenon(["lock", notes, "--out", "a.json", "--file", "b.json"], { cwd });
  expect(twice.code).toBe(2);
});

test("a recording is shown as a table, and exported as HAR, OTLP and a page", async () => {
  const cwd = temporaryFolder();
  const calls = ["--call", "echo a=<b>", "--call", "add name=one"];
  expect((await tenon(["record", notes, "--out", "tape.jsonl", ...calls], { cwd })).code).toBe(1);
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
  // The file was written last when its last request had ended.
  const ends = (har.log.entries as { startedDateTime: string; time: number }[]).map(
    ({ startedDateTime, time }) => Date.parse(startedDateTime) + time,
  );
  expect(Math.abs(Math.max(...ends) - statSync(join(cwd, "tape.jsonl")).mtimeMs)).toBeLessThan(2);
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
