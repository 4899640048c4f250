import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

const exec = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const here = createRequire(import.meta.url);
const isWindows = process.platform === "win32";

/** verdaccio needs Node 22; `undefined` where no package has it for this platform. */
const node22 = find(`node-22-${process.platform}-${process.arch}/package.json`);
const canRun = node22 !== undefined && !isWindows;

let folder = "";
let registry: ChildProcess | undefined;
let url = "";

function find(manifest: string): string | undefined {
  try {
    return join(dirname(here.resolve(manifest)), "bin/node");
  } catch {
    return undefined;
  }
}

async function startRegistry(node: string): Promise<string> {
  const { stdout } = await exec("npm", ["config", "get", "registry"], { shell: isWindows });
  const storage = join(folder, "storage");
  await mkdir(storage);
  const program = join(import.meta.dirname, "fixtures/registry.mjs");
  const child = spawn(node, [program, storage, stdout.trim()], { stdio: ["ignore", "pipe", "inherit"] });
  registry = child;
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^port (\d+)$/.exec(line)?.[1];
    if (port !== undefined) {
      child.stdout.resume();
      return `http://127.0.0.1:${port}`;
    }
  }
  throw new Error("The registry ended before it was ready.");
}

beforeAll(async () => {
  if (node22 === undefined || !canRun) {
    return;
  }
  folder = await mkdtemp(join(tmpdir(), "tenon-registry-"));
  url = await startRegistry(node22);
});

afterAll(async () => {
  if (registry !== undefined) {
    const exited = once(registry, "exit");
    registry.kill();
    await exited;
  }
  await rm(folder, { recursive: true, force: true });
});

test.skipIf(!canRun)(
  "all packages can be published, and an empty project that installs @tenon/sdk runs the README's server and client",
  { timeout: 180_000 },
  async () => {
    const userconfig = join(folder, "npmrc");
    const host = url.slice("http:".length);
    await writeFile(userconfig, `${host}/:_authToken=anyone\ncache=${join(folder, "cache")}\n`);
    const env = { ...process.env, npm_config_userconfig: userconfig };
    await publishAll(env);

    const project = join(folder, "project");
    await mkdir(project);
    await writeFile(join(project, "package.json"), '{ "type": "module", "private": true }');
    const install = ["install", "@tenon/sdk", "zod", "--no-audit", "--no-fund", "--registry", `${url}/`];
    await exec("npm", install, { cwd: project, env });
    for (const [file, code] of await readmePrograms()) {
      await writeFile(join(project, file), code);
    }
    const { stdout } = await exec(process.execPath, ["client.js"], { cwd: project });
    expect(stdout).toContain("greet");
    expect(stdout).toContain("Hello, you!");

    const named = await packagesOfReadme();
    expect(named).toContain("@tenon/codegen");
    for (const name of named) {
      const found = await fetch(`${url}/${name.replace("/", "%2f")}`);
      expect([name, found.status]).toEqual([name, 200]);
    }
  },
);

/**
 * Publishes every package as a release does, without the signature that only a workflow can give.
 */
async function publishAll(env: NodeJS.ProcessEnv): Promise<void> {
  const release = ["run", "release", "--", "--registry", `${url}/`, "--no-provenance"];
  await exec("npm", release, { cwd: root, env });
}

/** The packages that the README mentions. */
async function packagesOfReadme(): Promise<ReadonlySet<string>> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  return new Set([...readme.matchAll(/@tenon\/[\w-]+/g)].map(([name]) => name));
}

/**
 * The two programs of the README's first pages, by the names of the files that it tells its readers
 * to save them in.
 */
async function readmePrograms(): Promise<readonly (readonly [file: string, code: string])[]> {
  const readme = await readFile(join(root, "README.md"), "utf8");
  return ["server", "client"].map((name) => {
    const block = new RegExp(
      `region: examples/quickstart/src/${name}\\.ts#${name} -->\\s+\`\`\`ts\n([^]*?)\`\`\``,
    );
    const code = block.exec(readme)?.[1];
    if (code === undefined) {
      throw new Error(`README.md has no block for ${name}.js.`);
    }
    return [`${name}.js`, code];
  });
}
