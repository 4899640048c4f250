import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { canaries, canary, secretShapes } from "@tenon/samples/canaries";
import { compiledProgram } from "@tenon/test-support/processes";
import { expect, onTestFinished, test } from "vitest";

import { temporaryFolder, tenon } from "./support.ts";

const { word, hex } = canaries;
// The corpus that the server sends is TypeScript.
const leaky = await compiledProgram(new URL("fixtures/leaky.mjs", import.meta.url));
const loadable = ["--", process.execPath, leaky];
const secretUri = `x://ann:${word}@h/?api_key=${word}`;

/** Everything in a folder, also what base64 of a text hides. */
function written(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

/** A cassette as another program wrote it: with every secret. */
function foreignCassette(): string {
  const lines: object[] = [
    { tenon: 1, side: "client", target: `https://ann:${word}@h.test/mcp?api_key=${word}#${word}` },
  ];
  for (const [id, { value }] of secretShapes.entries()) {
    const entry = { at: id, connection: 0 };
    const uri = typeof value === "string" ? value : secretUri;
    lines.push({
      ...entry,
      dir: "write",
      message: { jsonrpc: "2.0", id, method: "resources/read", params: { uri, value } },
    });
    lines.push({
      ...entry,
      dir: "read",
      message: { jsonrpc: "2.0", id, error: { code: -1, message: uri, data: value } },
    });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

test("a recording of a server that leaks every secret has none of them, and stays readable", async () => {
  const cwd = temporaryFolder();
  const args = JSON.stringify({ all: secretShapes.map(({ value }) => value), city: "Oslo" });
  const ran = await tenon(
    [
      "record",
      "--out",
      "a.jsonl",
      "--call",
      `leak ${args}`,
      "--call",
      "fail",
      "--read",
      secretUri,
      ...loadable,
    ],
    { cwd },
  );
  expect(ran.code).toBe(1);
  const recorded = readFileSync(join(cwd, "a.jsonl"), "utf8");
  expect(recorded).not.toMatch(canary);
  expect(recorded).toContain("Oslo");
  expect(recorded).toContain("readable result");
  expect(ran.stdout + ran.stderr).not.toMatch(canary);
  expect(await tenon(["replay", "a.jsonl", "--update", "--all", ...loadable], { cwd })).toMatchObject({
    code: 0,
  });
  expect(written(cwd)).not.toMatch(canary);
});

test.each([["json"], ["har"], ["otlp"], ["html"]])(
  "a trace as %s of a recording with secrets has none of them",
  async (format) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "foreign.jsonl"), foreignCassette());
    const printed = await tenon(["trace", "export", "foreign.jsonl", "--format", format], { cwd });
    expect(printed.code).toBe(0);
    expect(printed.stdout).not.toMatch(canary);
    expect(printed.stdout).toContain("x.test");
    await tenon(["trace", "export", "foreign.jsonl", "--format", format, "--out", "out"], { cwd });
    expect(readFileSync(join(cwd, "out"), "utf8")).not.toMatch(canary);
  },
);

test("errors, warnings and messages of a program on standard error have no secrets", async () => {
  for (const flags of [[], ["--verbose"], ["--json"]]) {
    const { stdout, stderr, code } = await tenon(["call", "fail", ...flags, ...loadable]);
    expect(code).toBe(5);
    expect(stdout + stderr).not.toMatch(canary);
  }
  const { stderr } = await tenon([
    "list",
    "--",
    process.execPath,
    "-e",
    `console.error("password=${word}"); process.exit(1)`,
  ]);
  expect(stderr).toContain("password=[redacted]");
});

test("a result is not changed: the user has asked for it", async () => {
  const { stdout } = await tenon(["call", "leak", ...loadable]);
  expect(stdout).toContain(word);
});

test("the target of a tap, and what a tap of a remote server records and reports, have no secrets", async () => {
  const bodies: string[] = [];
  const http = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url?.startsWith("/v1/traces") === true) {
        bodies.push(body);
      }
      response.writeHead(request.url?.startsWith("/mcp") === true ? 418 : 200, {
        "content-type": "application/json",
      });
      response.end(
        JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          error: { code: -1, message: `token=${word}`, data: secretShapes },
        }),
      );
    });
  });
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void http.close());
  const origin = `127.0.0.1:${(http.address() as AddressInfo).port}`;
  const cwd = temporaryFolder();
  const end = new AbortController();
  const target = `http://ann:${word}@${origin}/mcp?api_key=${word}#${hex}`;
  let isSent = false;
  const ran = await tenon(
    ["tap", target, "--http", "--out", "tap.jsonl", "--otlp", `http://${origin}`, "--verbose"],
    {
      cwd,
      signal: end.signal,
      onWrite(stream, address) {
        if (stream === "stdout" && !isSent) {
          isSent = true;
          const body = JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name: secretUri, arguments: { secretShapes } },
          });
          void fetch(address.trim(), {
            method: "POST",
            headers: { "content-type": "application/json" },
            body,
          })
            .then((response) => response.text())
            .finally(() => end.abort());
        }
      },
    },
  );
  expect(isSent).toBe(true);
  expect(ran.stderr).not.toMatch(canary);
  const recorded = readFileSync(join(cwd, "tap.jsonl"), "utf8");
  expect(recorded).not.toMatch(canary);
  expect(recorded).toContain("tools/call");
  expect(recorded).toContain(origin);
  expect(bodies).toHaveLength(1);
  expect(bodies.join()).not.toMatch(canary);
});

test("a generated program has no secrets of its target", async () => {
  const cwd = temporaryFolder();
  const ran = await tenon(
    ["generate", "cli", "--out", "cli.mjs", ...loadable, "--token", word, `--api-key=${word}`],
    { cwd },
  );
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("seem to contain a secret") });
  expect(written(cwd)).not.toMatch(canary);
});

test("the label of a URL shows neither its user, nor its query, nor a random word of its path", async () => {
  const { stdout, stderr } = await tenon([
    "list",
    `http://ann:${word}@127.0.0.1:1/s/${hex}?token=${word}#${word}`,
    "--verbose",
  ]);
  expect(stdout + stderr).not.toMatch(canary);
});
