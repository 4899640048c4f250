import { revisions } from "@tenon/protocol";
import { expect, test } from "vitest";

import { fixture, json, program, tenon } from "./support.ts";

const notes = fixture("notes.mjs");

test("list shows tools as signatures, and resources, templates and prompts", async () => {
  const { code, stdout, stderr } = await tenon(["list", notes]);
  expect(code).toBe(0);
  expect(stderr).toBe("");
  expect(stdout).toContain("Notes 1.0.0\n2026-07-28 · in memory");
  expect(stdout).toContain(
    "add(name: string, text?: string, times?: integer, tags?: string[]) → { count: integer }",
  );
  expect(stdout).toContain("      Adds a note.\n");
  expect(stdout).not.toContain("Its name must be new");
  expect(stdout).toContain("echo()  [read-only]");
  expect(stdout).toMatch(/notes:\/\/one +text\/plain +one/);
  expect(stdout).toContain("notes://{name}");
  expect(stdout).toContain("summary(name)");
});

test("list --cost shows what definitions cost in the context of a model", async () => {
  const { stdout } = await tenon(["tools", notes, "--cost"]);
  expect(stdout).toMatch(/Cost \(about \d+ tokens, \d+ bytes\)\n +add +\d+ tokens +\d+ bytes\n/);
  const { cost } = (await json(["tools", notes, "--cost"])) as {
    readonly cost: { readonly tokens: number; readonly tools: readonly { readonly tokens: number }[] };
  };
  expect(cost.tokens).toBe(cost.tools.reduce((sum, { tokens }) => sum + tokens, 0));
});

test("list --json is one value with the objects of the protocol unchanged", async () => {
  const lists = (await json(["list", notes])) as Record<string, readonly Record<string, unknown>[]>;
  expect(Object.keys(lists)).toEqual([
    "revision",
    "serverInfo",
    "capabilities",
    "instructions",
    "tools",
    "resources",
    "resourceTemplates",
    "prompts",
  ]);
  expect(lists["tools"]?.[0]).toMatchObject({
    name: "add",
    inputSchema: { required: ["name"] },
    outputSchema: { required: ["count"] },
  });
});

test.each([
  ["tools", "tools"],
  ["resources", "resources"],
  ["templates", "resourceTemplates"],
  ["prompts", "prompts"],
])("%s lists only those", async (command, key) => {
  expect(Object.keys((await json([command, notes])) as object)).toEqual([key]);
});

test("--search keeps what has all the words, --all shows whole descriptions, --schema the schemas", async () => {
  const { stdout } = await tenon(["tools", notes, "--search", "NEW name", "--all", "--schema"]);
  expect(stdout).toContain("Adds a note. Its name must be new.");
  expect(stdout).toContain('"required": [');
  expect(stdout).not.toContain("echo");
  expect((await tenon(["tools", notes, "--search", "nowhere"])).stdout).toBe("Nothing matches.\n");
});

test("--vendor shows what is changed in the tools for a vendor of models, and with --json the tools", async () => {
  const odd = fixture("odd-tools.mjs");
  const { stdout, code } = await tenon(["tools", odd, "--vendor", "anthropic"]);
  expect(code).toBe(0);
  expect(stdout).toContain(
    'Changed for anthropic (1)\n  page  renamed /properties/$top: The property "$top" is named _top.\n',
  );
  expect((await tenon(["list", odd, "--vendor", "gemini"])).stdout).toContain("Changed for gemini (2)");
  expect((await tenon(["list", odd, "--vendor", "openai"])).stdout).toContain("Changed for openai (0)");
  const { vendor } = (await json(["tools", odd, "--vendor", "anthropic"])) as {
    vendor: {
      name: string;
      tools: readonly { tool: string; converted: object; changes: readonly object[] }[];
    };
  };
  expect(vendor.name).toBe("anthropic");
  expect(vendor.tools.map(({ tool, changes }) => [tool, changes.length])).toEqual([
    ["page", 1],
    ["plain", 0],
  ]);
  expect(vendor.tools[0]?.converted).toMatchObject({
    input_schema: { properties: { _top: { type: "integer" } } },
  });
  const unknown = await tenon(["tools", odd, "--vendor", "acme"]);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain("--vendor must be one of openai, anthropic, gemini");
});

test("the same server gives the same text every time, at any width", async () => {
  const texts = await Promise.all([1, 2].map(() => tenon(["list", notes], { columns: 50 })));
  expect(texts[0]).toEqual(texts[1]);
  const lines = texts[0]?.stdout.split("\n") ?? [];
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
});

test.each(revisions)("--revision %s speaks that version", async (revision) => {
  expect(await json(["list", notes, "--revision", revision])).toMatchObject({ revision });
});

test("a program after -- is started", async () => {
  expect(await json(["list", ...program("loud.mjs")])).toMatchObject({
    revision: "2025-06-18",
    serverInfo: { name: "loud" },
    resources: [],
  });
});

test("a revision that the server does not speak is exit code 5", async () => {
  const ran = await tenon(["list", "--revision", "2026-07-28", "--json", ...program("loud.mjs")]);
  expect(ran.code).toBe(5);
  expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: "UNSUPPORTED_REVISION" } });
});

test("prompts get their arguments, and completion finishes them", async () => {
  expect((await tenon(["prompt", notes, "summary", "name=one"])).stdout).toBe(
    "Summarizes a note.\nuser: Summarize the note one.\n",
  );
  expect((await tenon(["complete", notes, "summary", "name=o"])).stdout).toBe("one\n");
  expect(await json(["complete", notes, "notes://{name}", "name="])).toMatchObject({
    completion: { values: ["one"] },
  });
});

test("a resource is read, and one that does not exist is an error with advice", async () => {
  expect((await tenon(["read", notes, "notes://one"])).stdout).toBe("The first note.\n");
  const failed = await tenon(["read", notes, "other://thing"]);
  expect(failed).toMatchObject({ code: 5, stdout: "" });
  expect(failed.stderr).toContain(`tenon resources ${notes} lists the resources`);
});

test("ping measures and names the server", async () => {
  expect((await tenon(["ping", notes, "--count", "2"])).stdout).toMatch(
    /^(notes responded in [\d.]+ ms\n){2}$/,
  );
});

test("watch prints changes of resources until there are enough", async () => {
  const watching = tenon(["watch", notes, "notes://one", "--jsonl", "--count", "2"], {
    onWrite(stream, text) {
      if (stream === "stderr" && text.startsWith("Watching")) {
        void tenon(["call", notes, "add", "name=other"]);
        void tenon(["call", notes, "change"]);
      }
    },
  });
  const { code, stdout } = await watching;
  expect(code).toBe(0);
  const methods = stdout.trimEnd().split("\n");
  expect(methods).toHaveLength(2);
  expect(methods.every((line) => /updated|list_changed/.test(JSON.parse(line).method))).toBe(true);
});

test("watch prints many values, so it has no --json", async () => {
  const { code, stdout } = await tenon(["watch", notes, "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ error: { kind: "usage", hint: "--jsonl" } });
});

test("a server that is silent is mentioned before the time is over", async () => {
  const { code, stderr } = await tenon([
    "list",
    "--timeout",
    "600ms",
    "--",
    process.execPath,
    fixture("misbehaving.mjs"),
    "mute",
  ]);
  expect(code).not.toBe(0);
  expect(stderr).toContain("has not responded yet. tenon waits 0.6 s: see --timeout.");
});

test("at a terminal, tools ends with the command that calls the first tool, without secrets", async () => {
  const words = program("loud.mjs", "--key", "s3cret");
  const [dashes = "", node = "", path = ""] = words;
  const { stderr } = await tenon(["tools", ...words], { isTTY: true, env: { NO_COLOR: "1" } });
  expect(stderr).toContain(`\nCall one: tenon call echo ${dashes} ${node} ${path} --key `);
  expect(stderr).not.toContain("s3cret");
  expect((await tenon(["tools", notes], { isTTY: true })).stderr).toContain(
    `Call one: tenon call ${notes} add name=…\n`,
  );
  expect((await tenon(["tools", notes])).stderr).toBe("");
  expect((await tenon(["tools", notes, "--json"], { isTTY: true })).stderr).not.toContain("Call one");
});
