import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";

import { zipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";

import { pack, readBundle, type PackOptions } from "../src/node.ts";

const notes = fileURLToPath(new URL("fixtures/notes/", import.meta.url));
const env = { NOTES_KEY: "k-1234" };
const run = promisify(execFile);

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-ship-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A package whose only file is a server without imports, with other facts. */
function small(manifest: object, source = ""): string {
  const folder = temporary();
  const facts = {
    name: "small",
    version: "1.0.0",
    description: "d",
    author: "A",
    bin: "server.mjs",
    ...manifest,
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(facts));
  writeFileSync(join(folder, "server.mjs"), source);
  symlinkSync(fileURLToPath(new URL("../node_modules", import.meta.url)), join(folder, "node_modules"));
  return folder;
}

test("a server is packed into a bundle that mcpb accepts, the same bytes each time", async () => {
  const out = join(temporary(), "notes.mcpb");
  const result = await pack({ folder: notes, out, env });
  expect(result).toMatchObject({ file: out, called: "where", warnings: [] });
  const bytes = readFileSync(out);
  expect(bytes.includes("k-1234")).toBe(false);
  const files = readBundle(bytes);
  expect([...files.keys()]).toEqual(["manifest.json", "server/index.mjs"]);
  const manifest = new TextDecoder().decode(files.get("manifest.json"));
  expect(JSON.parse(manifest)).toMatchObject({
    manifest_version: "0.3",
    name: "notes",
    display_name: "Notes",
    version: "1.2.0",
    author: { name: "Ada", email: "ada@notes.example", url: "https://notes.example" },
    repository: { type: "git", url: "https://github.com/me/notes" },
    tools: [{ name: "fail" }, { name: "where" }],
    prompts_generated: true,
    server: {
      type: "node",
      mcp_config: {
        args: ["${__dirname}/server/index.mjs", "--root", "${user_config.root}"],
        env: { NOTES_KEY: "${user_config.notes_key}", NOTES_LEVEL: "${user_config.notes_level}" },
      },
    },
    user_config: {
      notes_key: { required: true, sensitive: true },
      notes_level: { required: false, default: "info" },
      root: { required: false, default: "notes" },
    },
  });
  const path = join(temporary(), "manifest.json");
  writeFileSync(path, manifest);
  const official = createRequire(import.meta.url)
    .resolve("@anthropic-ai/mcpb")
    .replace(/index\.js$/, "cli/cli.js");
  const { stdout } = await run(process.execPath, [official, "validate", path]);
  expect(stdout).toContain("passes");

  const again = join(temporary(), "again.mcpb");
  await pack({ folder: notes, out: again, env });
  expect(readFileSync(again).equals(bytes)).toBe(true);
});

test("a server that does not start, a tool that fails and a package without facts write nothing", async () => {
  const out = join(temporary(), "x.mcpb");
  const failing = async (options: PackOptions): Promise<unknown> => {
    const error = await pack({ out, ...options }).catch((reason: unknown) => reason);
    expect(existsSync(out)).toBe(false);
    return error;
  };
  // The server names its missing variable before any handshake.
  expect(await failing({ folder: notes })).toMatchObject({
    code: "SERVER_FAILED",
    message: expect.stringContaining("NOTES_KEY is missing: The key of the notes API"),
  });
  expect(await failing({ folder: notes, env, call: "fail" })).toMatchObject({ code: "SERVER_FAILED" });
  expect(await failing({ folder: notes, env, call: "nothing" })).toMatchObject({ code: "SERVER_FAILED" });
  expect(await failing({ folder: notes, env, limits: { maxListed: 1 } })).toMatchObject({ code: "LIMIT" });
  expect(await failing({ folder: notes, env, limits: { maxFileBytes: 1000 } })).toMatchObject({
    code: "LIMIT",
  });
  expect(await failing({ folder: notes, env, include: ["../pack.test.ts"] })).toMatchObject({
    code: "INVALID_PACKAGE",
  });
  expect(await failing({ folder: small({}, 'import "not-installed";') })).toMatchObject({
    code: "BUNDLE_FAILED",
    message: expect.stringContaining("not-installed"),
  });
  expect(await failing({ folder: small({}, "process.exit(3)") })).toMatchObject({ code: "SERVER_FAILED" });
  expect(await failing({ folder: small({ bin: undefined }) })).toMatchObject({ code: "INVALID_PACKAGE" });
  expect(await failing({ folder: small({ tenon: { package: "none.mjs" } }) })).toMatchObject({
    code: "INVALID_PACKAGE",
  });
  expect(await failing({ folder: temporary() })).toMatchObject({ code: "INVALID_PACKAGE" });
  const facts = small({ description: undefined, author: undefined });
  expect(await failing({ folder: facts })).toMatchObject({
    code: "INVALID_PACKAGE",
    findings: [{ path: "package.json/description" }, { path: "package.json/author" }],
  });
});

const text = new TextEncoder();
const valid = zipSync(
  { "a/b.txt": text.encode("hello hello hello"), "c.txt": text.encode("c") },
  { level: 9 },
);

/** A copy of the valid archive with other bytes. */
function changed(change: (bytes: Buffer) => Uint8Array | undefined): Uint8Array {
  const copy = Buffer.from(valid);
  return change(copy) ?? copy;
}

test.each([
  ["nothing", new Uint8Array()],
  ["bytes after its end", changed((bytes) => Buffer.concat([bytes, Buffer.from("x")]))],
  ["bytes before its start", changed((bytes) => Buffer.concat([Buffer.from("x"), bytes]))],
  ["damaged data", changed((bytes) => void bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40))],
  ["another size in one header", changed((bytes) => void bytes.writeUInt32LE(3, 22))],
  ["an encrypted file", changed((bytes) => void bytes.writeUInt16LE(1, 6))],
  ["a name that leads out", zipSync({ "../a": text.encode("a") })],
  ["an absolute name", zipSync({ "/a": text.encode("a") })],
  ["a name of Windows", zipSync({ "a\\b": text.encode("a") })],
  ["a folder", zipSync({ "a/": new Uint8Array() })],
  ["names that differ in case", zipSync({ a: text.encode("a"), A: text.encode("b") })],
  ["a link", zipSync({ a: [text.encode("/etc/passwd"), { os: 3, attrs: 0o120777 << 16 }] })],
  ["a comment", zipSync({ a: [text.encode("a"), { comment: "c" }] })],
  ["an extra field", zipSync({ a: [text.encode("a"), { extra: { 1: new Uint8Array(2) } }] })],
])("an archive with %s is refused", (_, bytes) => {
  expect(() => readBundle(bytes)).toThrow(/^The bundle cannot be read: /);
});

test("an archive is read within its limits", () => {
  expect([...readBundle(valid).keys()]).toEqual(["a/b.txt", "c.txt"]);
  expect(crc32(readBundle(valid).get("c.txt") ?? "")).toBe(crc32("c"));
  for (const limits of [{ maxFiles: 1 }, { maxFileBytes: 5 }, { maxBundleBytes: 17 }]) {
    expect(() => readBundle(valid, { limits })).toThrow(Object.keys(limits)[0]);
  }
  // A small file that claims to be small, and is not.
  const bomb = zipSync({ a: new Uint8Array(5_000_000) }, { level: 9 });
  expect(() => readBundle(bomb, { limits: { maxFileBytes: 1_000_000 } })).toThrow("maxFileBytes");
});
