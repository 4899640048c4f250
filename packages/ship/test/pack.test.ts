import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  watch,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect, promisify } from "node:util";
import { crc32, deflateRawSync } from "node:zlib";

import { readLimits } from "@tenon/base";
import { zipSync } from "fflate";
import { expect, onTestFinished, test } from "vitest";

import { pack, planPublish, readBundle, type PackOptions } from "../src/node.ts";
import { packLimits } from "../src/pack/limits.ts";
import { prepare } from "../src/pack/prepare.ts";

const notes = fileURLToPath(new URL("fixtures/notes/", import.meta.url));
const env = { NOTES_KEY: "k-1234" };
const args = { shelf: "top" };
const run = promisify(execFile);

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-ship-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The program of MCPB. */
function officialProgram(): string {
  return createRequire(import.meta.url)
    .resolve("@anthropic-ai/mcpb")
    .replace(/index\.js$/, "cli/cli.js");
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
  const result = await pack({ folder: notes, out, env, args });
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
        args: [
          "${__dirname}/server/index.mjs",
          ...["--root", "${user_config.root}", "--shelf", "${user_config.shelf}"],
        ],
        env: { NOTES_KEY: "${user_config.notes_key}", NOTES_LEVEL: "${user_config.notes_level}" },
      },
    },
    user_config: {
      notes_key: { required: true, sensitive: true },
      notes_level: { required: false, default: "info" },
      root: { required: false, default: "notes" },
      shelf: { required: true },
    },
  });
  expect(manifest).toContain('"notes_salt"');
  expect(manifest).not.toContain("salt-of-tests");
  const path = join(temporary(), "manifest.json");
  writeFileSync(path, manifest);
  const { stdout } = await run(process.execPath, [officialProgram(), "validate", path]);
  expect(stdout).toContain("passes");

  const again = join(temporary(), "again.mcpb");
  await pack({ folder: notes, out: again, env, args });
  expect(readFileSync(again).equals(bytes)).toBe(true);
});

test("a server that does not start, a tool that fails and a package without facts write nothing", async () => {
  const out = join(temporary(), "x.mcpb");
  const failing = async (options: PackOptions): Promise<unknown> => {
    const error = await pack({ out, ...options }).catch((reason: unknown) => reason);
    expect(existsSync(out)).toBe(false);
    return error;
  };
  // Nothing is started without the values that the package declares.
  expect(await failing({ folder: notes })).toMatchObject({
    code: "MISSING_VALUES",
    message: expect.stringMatching(/NOTES_KEY is missing: The key of the notes API; --shelf is missing/),
    hint: expect.stringContaining("--env and --arg"),
  });
  expect(await failing({ folder: notes, env, args: { "--shelf": "top" } })).toMatchObject({
    code: "INVALID_PACKAGE",
    message: expect.stringContaining("Its arguments are: root, shelf, team"),
  });
  expect(await failing({ folder: notes, env, args, call: "fail" })).toMatchObject({ code: "SERVER_FAILED" });
  expect(await failing({ folder: notes, env, args, call: "nothing" })).toMatchObject({
    code: "SERVER_FAILED",
  });
  expect(await failing({ folder: notes, env, args, limits: { maxListed: 1 } })).toMatchObject({
    code: "LIMIT",
  });
  expect(await failing({ folder: notes, env, args, limits: { maxFileBytes: 1000 } })).toMatchObject({
    code: "LIMIT",
  });
  expect(await failing({ folder: notes, env, args, include: ["../pack.test.ts"] })).toMatchObject({
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

test("all problems that are known before the first step are reported at once", async () => {
  const folder = small({
    description: undefined,
    version: "1/2",
    bin: "dist/main.js",
    tenon: { package: "dist/package.js" },
  });
  const error = await pack({ folder, include: ["data"], out: "none/x.mcpb" }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({
    code: "INVALID_PACKAGE",
    message: expect.stringContaining("Cannot pack, because of 6 problems:\n  package.json/description: "),
    findings: [
      { path: "package.json/description", message: "description is missing" },
      { path: "package.json/version", message: 'version must be like 1.0.0; got "1/2"' },
      {
        path: "package.json/bin",
        message: expect.stringMatching(/main\.js does not exist \(build the package/),
      },
      { path: "package.json/tenon" },
      { path: "--out", message: expect.stringMatching(/must be a file in a folder that exists$/) },
      { path: "--include" },
    ],
  });
});

test("a program that is older than its sources leads to a warning", async () => {
  const folder = small({ bin: "dist/server.mjs", license: "MIT", scripts: { build: "true" } });
  const at = (path: string, seconds: number): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "");
    utimesSync(join(folder, path), seconds, seconds);
  };
  at("dist/server.mjs", 1000);
  at("src/server.ts", 900);
  at("src/server.test.ts", 2000);
  const warnings = async (): Promise<readonly unknown[]> =>
    (await prepare({ folder }, readLimits({}, packLimits))).warnings;
  expect(await warnings()).toEqual([]);
  at("src/lib/name.ts", 1001);
  expect(await warnings()).toEqual([
    {
      path: "dist/server.mjs",
      severity: "warning",
      message: "is older than src/lib/name.ts: run `npm run build` first",
    },
  ]);
  // A build that leaves files without changes, and remembers that it ran.
  at("dist/.tsbuildinfo", 1002);
  expect(await warnings()).toEqual([]);
  rmSync(join(folder, "src"), { recursive: true });
  at("tsdown.config.ts", 3000);
  at("index.d.ts", 3000);
  expect(await warnings()).toEqual([]);
  at("server.ts", 3000);
  expect(await warnings()).toMatchObject([{ message: expect.stringContaining("server.ts") }]);
});

test("a folder that brings files with secrets along leads to warnings", async () => {
  const folder = small({ license: "MIT" });
  const files = ["data/.env.production", "data/.npmrc", "data/a/.vscode/mcp.json", "data/environment.json"];
  for (const path of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "");
  }
  const { warnings } = await prepare({ folder, include: ["data"] }, readLimits({}, packLimits));
  expect(warnings.map(({ path }) => path).toSorted()).toEqual(files.slice(0, 3));
});

test("links are not packed, and sizes are limited before anything is read", async () => {
  const folder = small({ license: "MIT" });
  writeFileSync(join(folder, "notes.txt"), "notes");
  mkdirSync(join(folder, "data"));
  const refused = (...include: readonly string[]): Promise<unknown> =>
    pack({ folder, include }).catch((error: unknown) => error);
  symlinkSync("/etc/hostname", join(folder, "data/link"));
  symlinkSync("data", join(folder, "other"));
  for (const path of ["data", "data/link", "other", "other/link"]) {
    expect(await refused(path)).toMatchObject({
      code: "INVALID_PACKAGE",
      message: expect.stringContaining("a link"),
    });
  }
  // More than Node reads at once.
  writeFileSync(join(folder, "huge"), "");
  truncateSync(join(folder, "huge"), 5_000_000_000);
  expect(await refused("huge")).toMatchObject({
    code: "LIMIT",
    message: expect.stringContaining("huge exceeds maxFileBytes"),
  });
  // A license is packed without being asked for, so a link in its place is only reported.
  symlinkSync("/etc/hostname", join(folder, "LICENSE"));
  expect(await refused("notes.txt")).toMatchObject({ code: "SERVER_FAILED" });
});

test("values of variables are in no part of an error", async () => {
  const secret = "q-0815-secret";
  for (const source of [
    "throw new TypeError(`The key ${process.env.KEY} is refused`);",
    "console.error(`${process.env.KEY} is refused`); process.exit(1);",
  ]) {
    const error = await pack({ folder: small({}, source), env: { KEY: secret } }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ code: "SERVER_FAILED" });
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
  }
});

test("the error that ends a program is the reason, without its stack", async () => {
  for (const name of ["Error", "TypeError"]) {
    await expect(pack({ folder: small({}, `throw new ${name}("no database");`) })).rejects.toThrow(
      `The bundled server cannot be used: ${name}: no database.`,
    );
  }
});

test("defaults of a declaration are not hidden in errors", async () => {
  const source = `
    import { createInterface } from "node:readline";
    if (process.env.LEVEL !== undefined) {
      throw new TypeError("LEVEL is " + process.env.LEVEL);
    }
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method, params } = JSON.parse(line);
      const answer = method === "initialize"
        ? { result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "small", version: "1.0.0" } } }
        : { error: { code: -32601, message: "not found" } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    }`;
  const folder = small({ tenon: { package: "package.mjs" } }, source);
  const library = new URL("../dist/index.js", import.meta.url).href;
  writeFileSync(
    join(folder, "package.mjs"),
    `import { defineServerPackage } from ${JSON.stringify(library)};
    export const small = defineServerPackage({ env: { LEVEL: { description: "x", default: "normal" } } });`,
  );
  // Only the packed copy gets defaults, as in a host.
  await expect(pack({ folder })).rejects.toThrow("LEVEL is normal");
});

test("names and versions that lead out of the folder are refused", async () => {
  for (const facts of [
    { name: "../../small" },
    { name: "@a/../small" },
    { name: ".." },
    { version: "1/../../2" },
  ]) {
    await expect(pack({ folder: small(facts) })).rejects.toMatchObject({ code: "INVALID_PACKAGE" });
  }
});

test("a declaration that is never loaded is given up", async () => {
  const folder = small({ tenon: { package: "waits.mjs" } });
  writeFileSync(
    join(folder, "waits.mjs"),
    'await new Promise((resolve) => process.once("tenon-ship-waited", resolve));',
  );
  // The worker of this test ends after all of its imports.
  onTestFinished(() => void process.emit("tenon-ship-waited" as "beforeExit", 0));
  const limits = { startTimeoutMs: 50 };
  const message = expect.stringContaining("waits.mjs cannot be loaded: it was not loaded within 50 ms");
  await expect(pack({ folder, limits })).rejects.toMatchObject({ code: "INVALID_PACKAGE", message });
  await expect(planPublish({ folder, limits })).rejects.toMatchObject({ code: "INVALID_PACKAGE", message });
  const ends = new AbortController();
  const planned = planPublish({ folder, signal: ends.signal });
  ends.abort(new Error("enough"));
  await expect(planned).rejects.toThrow("enough");
});

test("a server that ignores signals is gone before its folder is", async () => {
  const seen = temporary();
  const source = `
    import { writeFileSync } from "node:fs";
    process.on("SIGTERM", () => {});
    process.stdin.resume();
    setInterval(() => {}, 60_000);
    writeFileSync(${JSON.stringify(join(seen, "pid"))}, String(process.pid));`;
  const ends = new AbortController();
  const watcher = watch(seen, () => ends.abort(new Error("enough")));
  onTestFinished(() => watcher.close());
  await expect(pack({ folder: small({}, source), signal: ends.signal })).rejects.toThrow("enough");
  const pid = Number(readFileSync(join(seen, "pid"), "utf8"));
  expect(pid).toBeGreaterThan(1);
  expect(() => process.kill(pid, 0)).toThrow("ESRCH");
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

/** An archive whose only file, `a` with the content "a", has these compressed bytes. */
function withDataOf(raw: Uint8Array): Uint8Array {
  const local = Buffer.alloc(31);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(20, 4);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(crc32("a"), 14);
  local.writeUInt32LE(raw.length, 18);
  local.writeUInt32LE(1, 22);
  local.writeUInt16LE(1, 26);
  local.write("a", 30);
  const central = Buffer.alloc(47);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(20, 4);
  local.copy(central, 6, 4, 30);
  central.write("a", 46);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length + raw.length, 16);
  return Buffer.concat([local, raw, central, end]);
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
  ["bytes after the end of its data", withDataOf(Buffer.concat([deflateRawSync("a"), Buffer.from("more")]))],
  ["a file that is a folder, too", zipSync({ "A/b": text.encode("b"), a: text.encode("a") })],
  ["a folder that is a file, too", zipSync({ a: text.encode("a"), "a/b/c": text.encode("b") })],
  ["a device of Windows", zipSync({ "a/con": text.encode("a") })],
  ["a device of Windows with an extension", zipSync({ "Lpt1.tar.gz": text.encode("a") })],
  ["an extra field", zipSync({ a: [text.encode("a"), { extra: { 1: new Uint8Array(2) } }] })],
])("an archive with %s is refused", (_, bytes) => {
  expect(() => readBundle(bytes)).toThrow(/^The bundle cannot be read: /);
});

test("a bundle that was signed is refused with this reason", () => {
  expect(() => readBundle(Buffer.concat([valid, Buffer.from("MCPB_SIG_V1....MCPB_SIG_END")]))).toThrow(
    "it is signed",
  );
});

test("a bundle with the packages of a server, as mcpb packs it, is read", async () => {
  const folder = temporary();
  const manifest = {
    manifest_version: "0.3",
    name: "hello",
    version: "1.0.0",
    description: "d",
    author: { name: "A" },
    server: { type: "node", entry_point: "index.js", mcp_config: { command: "node", args: [] } },
  };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), "");
  // A server with the official SDK has about as many.
  mkdirSync(join(folder, "node_modules/a"), { recursive: true });
  for (let count = 0; count < 2400; count++) {
    writeFileSync(join(folder, `node_modules/a/${count}.js`), "");
  }
  const out = join(temporary(), "hello.mcpb");
  await run(process.execPath, [officialProgram(), "pack", folder, out], { maxBuffer: 16_000_000 });
  expect(readBundle(readFileSync(out)).size).toBe(2402);
});

test("an archive is read within its limits", () => {
  expect([...readBundle(valid).keys()]).toEqual(["a/b.txt", "c.txt"]);
  expect(crc32(readBundle(valid).get("c.txt") ?? "")).toBe(crc32("c"));
  expect([...readBundle(withDataOf(deflateRawSync("a"))).keys()]).toEqual(["a"]);
  for (const limits of [{ maxFiles: 1 }, { maxFileBytes: 5 }, { maxBundleBytes: 17 }]) {
    expect(() => readBundle(valid, { limits })).toThrow(Object.keys(limits)[0]);
  }
  // A small file that claims to be small, and is not.
  const bomb = zipSync({ a: new Uint8Array(5_000_000) }, { level: 9 });
  expect(() => readBundle(bomb, { limits: { maxFileBytes: 1_000_000 } })).toThrow("maxFileBytes");
});
