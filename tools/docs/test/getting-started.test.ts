import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { Manager } from "@tenon/sdk/host";
import { loadConfig, nodeTransports } from "@tenon/sdk/host/node";
import { afterAll, beforeAll, expect, test } from "vitest";

const exec = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "docs/getting-started.md"), "utf8");
const cli = join(root, "packages/cli/dist/bin.js");

interface Block {
  /** The text between the block before it and this block. */
  readonly intro: string;
  readonly language: string;
  readonly code: string;
}

const blocks: readonly Block[] = [...page.matchAll(/([\s\S]*?)```(\w+)\n([\s\S]*?)```/g)].map(
  ([, intro = "", language = "", code = ""]) => ({ intro, language, code }),
);

/** The files that the page asks its reader to save, put together in the order of the page. */
function projectFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const { intro, language, code } of blocks) {
    const path = [...intro.matchAll(/`((?:(?:src|test)\/)?[\w.-]+\.(?:ts|json))`/g)].at(-1)?.[1];
    if (path !== undefined && ["ts", "json"].includes(language) && !intro.includes("<!-- config")) {
      files.set(path, `${files.get(path) ?? ""}${code}`);
    }
  }
  return files;
}

/** The configurations of hosts, by their names. */
const configs = blocks.flatMap(({ intro, code }) => {
  const name = /<!-- config: (.+?) -->\s*$/.exec(intro)?.[1];
  return name === undefined ? [] : [{ name, code }];
});

/** The command lines that need nothing but the project. */
const commands = blocks
  .filter(({ language }) => language === "sh")
  .flatMap(({ code }) => code.split("\n"))
  .filter((line) => /^npx @tenon\/cli (list|call|doctor) /.test(line));

let project = "";

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "tenon-first-"));
  await symlink(join(root, "examples/clock/node_modules"), join(project, "node_modules"));
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
  for (const [path, code] of projectFiles()) {
    await mkdir(dirname(join(project, path)), { recursive: true });
    await writeFile(join(project, path), code);
  }
  const compiled = exec(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], { cwd: project });
  await compiled.catch(({ stdout }: { stdout: string }) => expect.fail(stdout));
});

afterAll(() => rm(project, { recursive: true }));

test("the page has its files, its commands and a configuration for each host", () => {
  expect([...projectFiles().keys()]).toEqual([
    "tsconfig.json",
    "src/clock.ts",
    "src/stdio.ts",
    "src/http.ts",
    "src/client.ts",
    "test/clock.test.ts",
  ]);
  expect(commands).toHaveLength(4);
  expect(configs).toHaveLength(6);
});

test.each(commands)("the command %s succeeds in the project of the page", async (line) => {
  const args = line.split(" ").slice(2);
  const { stdout } = await exec(process.execPath, [cli, ...args], { cwd: project });
  expect(stdout).toMatch(/Tokyo|time_in|\d\d:\d\d|0 failed/);
});

test("the client of the page lists the tools and prints a time", async () => {
  const { stdout } = await exec(process.execPath, ["dist/client.js"], { cwd: project });
  expect(stdout).toMatch(/time_in: Returns[\s\S]*Asia\/Tokyo/);
});

/** The time that a host gets from the server of a configuration. */
async function timeBy(config: string): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), "tenon-host-"));
  try {
    const file = join(folder, "mcp.json");
    await writeFile(file, config);
    const { servers, errors } = await loadConfig(file);
    expect([...errors]).toEqual([]);
    const specs = Object.fromEntries(servers.map(({ name, spec }) => [name, spec]));
    await using manager = new Manager({ servers: specs, transports: nodeTransports() });
    await manager.connectAll();
    const { structuredContent } = await manager.callTool("clock", "time_in", { zone: "Asia/Tokyo" });
    return structuredContent;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test.each(configs.filter(({ name }) => !name.endsWith("over HTTP")))(
  "a host that reads $name of the page gets the time",
  async ({ code }) => {
    const config = code.replaceAll("/path/to/clock", project);
    expect(config).not.toBe(code);
    expect(await timeBy(config)).toMatchObject({ zone: "Asia/Tokyo" });
  },
);

test("hosts that read the configurations for HTTP get the time from one process", async () => {
  const server = spawn(process.execPath, ["dist/http.js"], {
    cwd: project,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [url] = (await once(createInterface(server.stdout), "line")) as [string];
    const remote = configs.filter(({ name }) => name.endsWith("over HTTP"));
    expect(remote).toHaveLength(3);
    for (const { code } of remote) {
      const config = code
        .replace("http://127.0.0.1:3000/mcp", url)
        .replace('"npx"', JSON.stringify(process.execPath))
        .replace('"-y", "@tenon/cli"', JSON.stringify(cli));
      expect(await timeBy(config)).toMatchObject({ zone: "Asia/Tokyo" });
    }
  } finally {
    const exited = once(server, "exit");
    server.kill();
    await exited;
  }
});
