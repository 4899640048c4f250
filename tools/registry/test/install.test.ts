import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { copyBuilt, copyRepository } from "@tenon/release/copy";
import { raiseVersion } from "@tenon/release/raise";
import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { afterAll, beforeAll, expect, test } from "vitest";

import { isThere, managers } from "./support/managers.ts";
import {
  buildTemplates,
  loadRoute,
  loadWorker,
  starts,
  tenon,
  testTemplate,
  whileServing,
} from "./support/templates.ts";

const exec = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const here = createRequire(import.meta.url);
const isWindows = process.platform === "win32";

/** verdaccio needs Node 22; `undefined` where no package has it for this platform. */
const node22 = find(`node-22-${process.platform}-${process.arch}/package.json`);
const canRun = node22 !== undefined && !isWindows;

/** Every version of Node that is supported, as far as this platform has it. */
const nodes = [
  process.execPath,
  node22,
  find(`node-24-${process.platform}-${process.arch}/package.json`),
  find(`node-26-${process.platform}-${process.arch}/package.json`),
].filter((node) => node !== undefined);

/** A program that prints the version of the SDK, as an import finds it. */
const versionOfSdk = `JSON.parse(require("fs").readFileSync(require.resolve("@tenon/sdk/package.json"))).version`;

let folder = "";
let copy = "";
/** The version that was published first. */
let first = "";
let registry: ChildProcess | undefined;
let url = "";

function find(manifest: string, program = "bin/node"): string | undefined {
  try {
    return join(dirname(here.resolve(manifest)), program);
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
  await rm(copy, { recursive: true, force: true });
});

test.skipIf(!canRun)(
  "the next release is published, and an empty project that installs @tenon/sdk runs the README's server and client",
  async () => {
    await writeFile(join(folder, "npmrc"), `${url.slice("http:".length)}/:_authToken=anyone\n`);
    copy = copyRepository();
    copyBuilt(copy);
    await dropChangesets(copy);
    first = await release("minor");

    const project = await createProject("npm");
    // S-008: no script runs.
    await exec("npm", ["install", "@tenon/sdk", "zod", "--no-audit", "--no-fund", "--ignore-scripts"], {
      cwd: project,
      env: env(),
    });
    expect(await installedVersion(project)).toBe(first);
    for (const node of nodes) {
      await runReadme(project, node);
    }

    const named = await packagesOfReadme();
    expect(named).toContain("@tenon/codegen");
    for (const name of named) {
      const found = await fetch(`${url}/${name.replace("/", "%2f")}`);
      expect([name, found.status]).toEqual([name, 200]);
    }
  },
);

test.skipIf(!canRun)("S-008: nothing that comes with @tenon/sdk is native code", async () => {
  const files = await readdir(join(folder, "npm/node_modules"), { recursive: true });
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((path) => /\.node$|binding\.gyp$/.test(path))).toEqual([]);
});

for (const { name, add, files, node = [] } of managers) {
  test.skipIf(!canRun || !isThere(add[0]))(
    `${name} installs it, too (skipped where there is none)`,
    async () => {
      const project = await createProject(name);
      for (const [file, text] of Object.entries(files?.(url) ?? {})) {
        await writeFile(join(project, file), text);
      }
      const [program, ...args] = add;
      await exec(program, [...args, "@tenon/sdk", "zod"], { cwd: project, env: env() });
      const { stdout } = await exec(process.execPath, [...node, "-p", versionOfSdk], { cwd: project });
      expect(stdout.trim()).toBe(first);
      await runReadme(project, process.execPath, node);
    },
  );
}

/** One folder with every template, and with the packages that they use. */
const templatesFolder = (): string => join(folder, "templates");
const packagesOfTemplates = [
  ...[
    "@tenon/cli",
    "@tenon/express",
    "@tenon/fastify",
    "@tenon/hono",
    "@tenon/lambda",
    "@tenon/operations",
    "@tenon/sdk",
  ],
  ...["@tenon/testing", "@hono/node-server", "create-tenon", "jose", "zod"],
];

test.skipIf(!canRun)(
  "`npm create tenon` creates a server without a question, and every template is created and compiles",
  async () => {
    const project = await createProject("templates");
    const quick = await exec("npm", ["create", "--yes", "tenon@latest", "quick", "--", "--yes"], {
      cwd: project,
      env: env(),
    });
    expect(quick.stdout).toContain("npm test");
    await rm(join(project, "quick"), { recursive: true });
    // What npm has in its cache is that of the registry: nothing was published since.
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"];
    await exec("npm", ["install", ...packagesOfTemplates, ...flags], { cwd: project, env: env() });
    await buildTemplates(project);
  },
);

test.skipIf(!canRun).each(["stdio", "auth", "tasks", "app", "skills", "client", "host"])(
  "the tests of the template %s pass",
  async (name) => {
    expect(await testTemplate(templatesFolder(), name)).toMatch(/^# fail 0$/m);
  },
);

test.skipIf(!canRun).each([
  ["stdio", ["call", "time_in", "zone=Asia/Tokyo"], "Asia/Tokyo"],
  ["tasks", ["call", "report", "topic=joints", "--elicit", "accept"], "The future of joints."],
  ["skills", ["skills"], "write-minutes"],
])("`tenon` calls the server of the template %s", async (name, args, expected) => {
  const program = ["--", process.execPath, `built/${name}/src/main.js`];
  if (name === "skills") {
    program.push("skills/skills");
  }
  expect(await tenon(templatesFolder(), [...args, ...program])).toContain(expected);
});

for (const [name, command] of Object.entries(starts)) {
  test.skipIf(!canRun || command === undefined)(
    `the server of the template ${name} starts, is called by \`tenon\`, and ends when it is told to (skipped where its runtime is missing)`,
    async () => {
      const code = await whileServing(templatesFolder(), command ?? [], async (url) => {
        expect(await tenon(templatesFolder(), ["call", url, "time_in", "zone=Asia/Tokyo"])).toContain(
          "Asia/Tokyo",
        );
      });
      expect(code).toBe(0);
    },
  );
}

test.skipIf(!canRun)("a Worker and a route of Next.js serve both eras", async () => {
  const serveWorker = await loadWorker(templatesFolder());
  const serveRoute = await loadRoute(templatesFolder());
  const env = { ALLOWED_HOSTS: "mcp.example.com" };
  for (const serve of [(request: Request) => serveWorker(request, env), serveRoute]) {
    for (const revision of ["2025-11-25", "2026-07-28"] as const) {
      const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
      const transport = new StreamableClientTransport("http://localhost/mcp", {
        fetch: (input, init) => serve(new Request(input, init)),
      });
      await using session = await client.connect(transport);
      const result = await session.callTool({ name: "add", arguments: { numbers: [1, 2] } });
      expect(result.content).toEqual([{ type: "text", text: "3" }]);
    }
  }
});

test.skipIf(!canRun)(
  "the release after it is published for the packages of a program, and `npm update` takes it there",
  async () => {
    // The other packages were published by the same command before.
    const second = await release("patch", "@tenon/sdk...");
    expect(second).not.toBe(first);
    const project = join(folder, "npm");
    await exec("npm", ["update", "--no-audit", "--no-fund", "--ignore-scripts"], {
      cwd: project,
      env: env(),
    });
    expect(await installedVersion(project)).toBe(second);
    // No package stays behind, so there are no two copies of a class.
    const tree = await exec("npm", ["ls", "--all", "--json"], { cwd: project, env: env() });
    expect(tree.stdout).toContain(`"version": "${second}"`);
    expect(tree.stdout).not.toContain(`"version": "${first}"`);
    await runReadme(project, process.execPath);
  },
);

/** What npm, pnpm, yarn and bun read to install from the registry of this test. */
function env(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // npm believes this before it looks at itself.
    npm_config_user_agent: undefined,
    npm_config_userconfig: join(folder, "npmrc"),
    // `npm test` sets it, and the variable counts more than the file.
    npm_config_cache: join(folder, "cache"),
    npm_config_store_dir: join(folder, "pnpm"),
    YARN_CACHE_FOLDER: join(folder, "yarn"),
    // By default Yarn 4 keeps addresses of the last run, whose port is closed.
    YARN_GLOBAL_FOLDER: join(folder, "yarn-4"),
    BUN_INSTALL_CACHE_DIR: join(folder, "bun"),
  };
}

/**
 * Raises the version in the copy, and publishes every package as a release does, without the
 * signature that only a workflow can give.
 *
 * @param selected - The packages to publish, as pnpm filters them. Default: all.
 * @returns The version.
 */
async function release(bump: "minor" | "patch", selected?: string): Promise<string> {
  const changeset = `---\n"@tenon/mcp": ${bump}\n---\n\nA made-up change for the rehearsal.\n`;
  await writeFile(join(copy, ".changeset/rehearsal.md"), changeset);
  const { version } = raiseVersion(copy);
  const target = ["--registry", `${url}/`, "--no-provenance"];
  if (selected === undefined) {
    await exec("npm", ["run", "release", "--", ...target], { cwd: copy, env: env() });
  } else {
    const command = ["pnpm@12.21.0", "--recursive", "--filter", selected, "publish", "--no-git-checks"];
    await exec("npx", ["-y", ...command, ...target], { cwd: copy, env: env() });
  }
  return version;
}

/**
 * Leaves the changesets of the repository out: `tools/release/test/version.test.ts` proves that
 * they become a release, and starts git for each of them.
 */
async function dropChangesets(repository: string): Promise<void> {
  const changesets = join(repository, ".changeset");
  const files = (await readdir(changesets)).filter((file) => file.endsWith(".md") && file !== "README.md");
  await Promise.all(files.map((file) => rm(join(changesets, file))));
}

async function createProject(name: string): Promise<string> {
  const project = join(folder, name);
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "type": "module", "private": true }');
  await writeFile(join(project, ".npmrc"), `registry=${url}/\n`);
  for (const [file, code] of await readmePrograms()) {
    await writeFile(join(project, file), code);
  }
  return project;
}

async function runReadme(project: string, node: string, options: readonly string[] = []): Promise<void> {
  const { stdout } = await exec(node, [...options, "client.js"], { cwd: project });
  expect(stdout).toContain("greet");
  expect(stdout).toContain("Hello, you!");
}

async function installedVersion(project: string): Promise<string> {
  const manifest = await readFile(join(project, "node_modules/@tenon/sdk/package.json"), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
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
