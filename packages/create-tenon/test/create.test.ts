import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";

import { createProject } from "../src/create.ts";
import { main } from "../src/main.ts";
import { managerOf, type Manager } from "../src/manager.ts";
import { adapters, choices, findTemplate, templates, type Template } from "../src/templates.ts";
import { versions } from "../src/versions.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tenon-create-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program without a terminal. */
async function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const texts = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      texts[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await main(args, false), out: texts.stdout, err: texts.stderr };
  } finally {
    spies.forEach((spy) => spy.mockRestore());
  }
}

test.each(templates.map((template) => [template.name, template] as const))(
  "the template %s has at most thirteen files, and leaves nothing to fill in",
  (name, template) => {
    const created = createProject(join(folder, "all", name), template);
    expect(created.files.length).toBeLessThanOrEqual(13);
    expect(created.files).toEqual(
      expect.arrayContaining([".gitignore", "AGENTS.md", "README.md", "package.json", "tsconfig.json"]),
    );
    for (const file of created.files) {
      const text = readFileSync(join(created.folder, file), "utf8");
      expect([file, /\{\{\w+\}\}/.exec(text)?.[0]]).toEqual([file, undefined]);
      expect([file, text.endsWith("\n")]).toEqual([file, true]);
    }
    const { bin, scripts } = JSON.parse(readFileSync(join(created.folder, "package.json"), "utf8")) as {
      readonly bin?: Readonly<Record<string, string>>;
      readonly scripts: Readonly<Record<string, string>>;
    };
    // npx starts the program of a server that hosts start.
    const isProgram = scripts["dev"]?.includes("tenon dev") === true || name === "app";
    expect(bin).toEqual(isProgram ? { [name]: "dist/main.js" } : undefined);
    const main = created.files.includes("src/main.ts") ? join(created.folder, "src/main.ts") : undefined;
    expect(main !== undefined && readFileSync(main, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(
      isProgram,
    );
    const readme = readFileSync(join(created.folder, "README.md"), "utf8");
    const named = [...readme.matchAll(/npm (?:run (\w+)|(test|start))/g)].map(([, a, b]) => a ?? b ?? "");
    expect(named.filter((script) => scripts[script] === undefined)).toEqual([]);
  },
);

test("a project is written although the reader of the output has ended", async () => {
  const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));
  const child = spawn(process.execPath, [bin, "piped", "--yes"], { cwd: folder });
  child.stdout.destroy();
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [code] = (await once(child, "close")) as [number];
  expect([code, errors]).toEqual([0, ""]);
  expect(existsSync(join(folder, "piped", "README.md"))).toBe(true);
});

test.skipIf(!existsSync("/dev/full"))("output that cannot be written is a failure", async () => {
  const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, [bin, "unprinted", "--yes"], {
    cwd: folder,
    stdio: ["ignore", full, "pipe"],
  });
  closeSync(full);
  let errors = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (errors += text));
  const [code] = (await once(child, "close")) as [number];
  expect([code, errors]).toEqual([2, expect.stringMatching(/^The output cannot be written: ENOSPC/)]);
});

test("no file of a project contains the folder in which it was created", () => {
  for (const template of templates) {
    const created = createProject(join(folder, "placed", template.name), template);
    const leaks = created.files.filter((file) =>
      readFileSync(join(created.folder, file), "utf8").includes(basename(folder)),
    );
    expect([template.name, leaks]).toEqual([template.name, []]);
  }
});

test("the README of a server over stdio names the package that its users start", () => {
  const created = createProject(join(folder, "published"), findTemplate("stdio", "") ?? expect.fail());
  expect(readFileSync(join(created.folder, "README.md"), "utf8")).toContain(
    '{ "mcpServers": { "published": { "command": "npx", "args": ["-y", "published"] } } }',
  );
});

test("a project that can be published is built before it is packed", () => {
  const scriptsOf = (name: string, template: Template, manager?: Manager): unknown => {
    const created = createProject(join(folder, "packed", name), template, manager);
    const { bin, scripts } = JSON.parse(readFileSync(join(created.folder, "package.json"), "utf8"));
    return [template.name, bin !== undefined, scripts.prepack];
  };
  for (const template of templates) {
    const isProgram = template.files !== undefined;
    const expected = isProgram ? "npm run build" : undefined;
    expect(scriptsOf(template.name, template)).toEqual([template.name, isProgram, expected]);
  }
  const stdio = findTemplate("stdio", "") ?? expect.fail();
  expect(scriptsOf("bun", stdio, managerOf("bun/1.4.5 x"))).toEqual(["stdio", true, "bun run build"]);
});

test("npm builds a project whose program is missing, and packs it", async () => {
  const created = createProject(join(folder, "tarball"), findTemplate("stdio", "") ?? expect.fail());
  const manifest = join(created.folder, "package.json");
  const json = JSON.parse(readFileSync(manifest, "utf8"));
  // In place of the compiler, which is not installed here.
  const build = "node -e \"fs.mkdirSync('dist'); fs.writeFileSync('dist/main.js', '')\"";
  writeFileSync(manifest, JSON.stringify({ ...json, scripts: { ...json.scripts, build } }));
  const { stdout } = await promisify(execFile)("npm", ["pack", "--json", "--dry-run"], {
    cwd: created.folder,
    shell: process.platform === "win32",
  });
  expect(stdout).toContain('"path": "dist/main.js"');
});

test("a new project has a license that grants no rights", () => {
  const created = createProject(join(folder, "licensed"), findTemplate("stdio", "") ?? expect.fail());
  expect(JSON.parse(readFileSync(join(created.folder, "package.json"), "utf8"))).toMatchObject({
    private: true,
    license: "UNLICENSED",
  });
});

test("a project asks for the versions that this repository is tested with", () => {
  const workspace = readFileSync(join(import.meta.dirname, "../../../pnpm-workspace.yaml"), "utf8");
  const catalog = new Map(
    [...workspace.matchAll(/^ {2}"?([@\w./-]+)"?: (?:npm:[\w-]+@)?(\d\S*)$/gm)].map(
      ([, name = "", version = ""]) => [name, version],
    ),
  );
  const others = new Set(["@types/react", "next", "react", "react-dom", "typescript@5"]);
  const differ = Object.entries(versions).filter(
    ([name, range]) => !others.has(name) && range !== `^${catalog.get(name)}`,
  );
  expect(differ).toEqual([]);
});

test("`next build` finds the settings and the types that it would otherwise write or install", () => {
  const template = findTemplate("http", "next") ?? expect.fail();
  const created = createProject(join(folder, "route"), template);
  const read = (file: string): string => readFileSync(join(created.folder, file), "utf8");
  // What Next.js 16 requires, and what it adds where a project has no value.
  expect(JSON.parse(read("tsconfig.json"))).toMatchObject({
    compilerOptions: {
      module: "ESNext",
      moduleResolution: "bundler",
      jsx: "react-jsx",
      allowJs: true,
      esModuleInterop: true,
      incremental: true,
      isolatedModules: true,
      noEmit: true,
      resolveJsonModule: true,
      plugins: [{ name: "next" }],
    },
    include: expect.arrayContaining([".next/types/**/*.ts", ".next/dev/types/**/*.ts"]),
    exclude: ["node_modules"],
  });
  // Its types are outside of the folder of the sources.
  expect(read("tsconfig.json")).not.toContain("rootDir");
  const { devDependencies, scripts } = JSON.parse(read("package.json"));
  expect(devDependencies).toMatchObject({ "@types/node": expect.anything(), "@types/react": "^19.0.0" });
  expect(scripts.test).toMatch(/^npm run build && /);
  expect(read(".gitignore").split("\n")).toEqual(
    expect.arrayContaining([".next", "next-env.d.ts", "*.tsbuildinfo"]),
  );
});

test("every choice and every adapter has a template", () => {
  expect(choices.filter((choice) => findTemplate(choice, "node") === undefined)).toEqual([]);
  expect(adapters.filter((adapter) => findTemplate("http", adapter) === undefined)).toEqual([]);
});

test("without a terminal nothing is asked, and the next commands are printed", async () => {
  const path = join(folder, "quiet");
  const { code, out } = await run(path, "--pm", "pnpm");
  expect(code).toBe(0);
  expect(out).toMatch(
    /a server that a host starts as a program: \d+ files\.\n\n {2}cd .*quiet\n {2}pnpm install\n/,
  );
  expect(readFileSync(join(path, "src/server.ts"), "utf8")).toContain('name: "quiet"');
});

test("what is wrong is named, with what is right", async () => {
  expect(await run("--template", "htpp")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--template must be one of stdio, http, auth"),
  });
  expect((await run("--adapter", "koa", "-t", "http")).err).toContain("node, express, fastify");
  expect((await run(join(folder, "Big Name"))).err).toContain('got "Big Name"');
  expect((await run("--adapter", "koa")).err).toContain("--adapter must be one of node, express");
  expect((await run("--adapter", "hono", "-t", "stdio")).err).toContain("--adapter is for the template http");
  for (const name of ["node_modules", "zod"]) {
    expect((await run(join(folder, name))).err).toContain(`The name "${name}" is reserved`);
  }
  writeFileSync(join(folder, "file"), "mine");
  expect((await run(join(folder, "file"))).err).toContain("is a file. Choose a new or an empty folder.");
  expect((await run("--colour")).err).toContain("--colour");
  expect((await run("a", "b")).err).toContain("Expected one folder, got a b.");
});

test("an adapter alone selects the template that has adapters", async () => {
  const path = join(folder, "adapted");
  expect(await run(path, "--adapter", "hono")).toMatchObject({
    code: 0,
    out: expect.stringContaining("a server over HTTP, in Hono"),
  });
});

test("the folder of the process can be the project, and a path with spaces is printed for a shell", async () => {
  const here = process.cwd();
  mkdirSync(join(folder, "my projects", "here"), { recursive: true });
  try {
    process.chdir(join(folder, "my projects", "here"));
    const { code, out } = await run(".", "--pm", "npm");
    expect(code).toBe(0);
    expect(out).toMatch(/\n\n {2}npm install\n {2}npm test\n/);
    expect(readFileSync("package.json", "utf8")).toContain('"name": "here"');
    process.chdir(folder);
    expect((await run("my projects/there")).out).toContain('\n  cd "my projects/there"\n');
  } finally {
    process.chdir(here);
  }
});

test("a folder with files is left alone", async () => {
  const path = join(folder, "full");
  mkdirSync(path);
  writeFileSync(join(path, "mine.txt"), "mine");
  expect((await run(path)).err).toContain("has files already");
  expect(readFileSync(join(path, "mine.txt"), "utf8")).toBe("mine");
});

test("the help names every choice", async () => {
  const { code, out } = await run("--help");
  expect(code).toBe(0);
  expect([...choices, ...adapters].filter((name) => !out.includes(name))).toEqual([]);
});

const workflow = (...steps: readonly string[]): string => `name: ci
on:
  push:
    branches: [main]
  pull_request:

permissions:
  contents: read

jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
${steps.map((step) => `      ${step}\n`).join("")}`;
const image = (copy: string, install: string, build: string): string => `FROM node:22-slim AS build
WORKDIR /app
COPY ${copy} ./
RUN ${install}
COPY . .
RUN ${build}

FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/package.json .
USER node
EXPOSE 3000
CMD ["node", "dist/main.js"]
`;
const setup = ["- uses: actions/setup-node@v5", "  with:", "    node-version: 22"];

test.each<
  [
    agent: string,
    outcome: {
      readonly steps: readonly string[];
      readonly image: readonly [copy: string, install: string, build: string];
      readonly files: Readonly<Record<string, string>>;
      readonly commands: string;
    },
  ]
>([
  [
    "npm/10.9.0 node/v22.0.0 linux x64 workspaces/false",
    {
      steps: [...setup, "    cache: npm", "- run: npm ci", "- run: npm test"],
      image: ["package*.json", "npm ci", "npm run build && npm prune --omit=dev"],
      files: {},
      commands: "npm install\nnpm test  ",
    },
  ],
  [
    "pnpm/12.21.0 npm/? node/v22.0.0 linux x64",
    {
      steps: [
        "- run: npm install --global pnpm@12",
        ...setup,
        "    cache: pnpm",
        "- run: pnpm install --frozen-lockfile",
        "- run: pnpm test",
      ],
      image: [
        "package.json pnpm-lock.yaml pnpm-workspace.yaml",
        "npm install --global pnpm@12 && pnpm install --frozen-lockfile",
        "pnpm run build && pnpm prune --prod",
      ],
      files: { "pnpm-workspace.yaml": "allowBuilds:\n  esbuild: false\n" },
      commands: "pnpm install\npnpm test  ",
    },
  ],
  [
    "pnpm/9.15.9 npm/? node/v22.0.0 linux x64",
    {
      steps: [
        "- run: npm install --global pnpm@9",
        ...setup,
        "    cache: pnpm",
        "- run: pnpm install --frozen-lockfile",
        "- run: pnpm test",
      ],
      image: [
        "package.json pnpm-lock.yaml",
        "npm install --global pnpm@9 && pnpm install --frozen-lockfile",
        "pnpm run build && pnpm prune --prod",
      ],
      files: {},
      commands: "pnpm install\npnpm test  ",
    },
  ],
  [
    "yarn/1.22.22 npm/? node/v22.0.0 linux x64",
    {
      steps: [
        "- run: npm install --global --force yarn@1",
        ...setup,
        "    cache: yarn",
        "- run: yarn install --frozen-lockfile",
        "- run: yarn test",
      ],
      image: [
        "package.json yarn.lock",
        "npm install --global --force yarn@1 && yarn install --frozen-lockfile",
        "yarn run build && yarn install --frozen-lockfile --production",
      ],
      files: {},
      commands: "yarn install\nyarn test  ",
    },
  ],
  [
    "yarn/4.13.0 npm/? node/v22.0.0 linux x64",
    {
      steps: [
        "- run: npm install --global --force @yarnpkg/cli-dist@4",
        ...setup,
        "    cache: yarn",
        "- run: yarn install --immutable",
        "- run: yarn test",
      ],
      image: [
        "package.json yarn.lock .yarnrc.yml",
        "npm install --global --force @yarnpkg/cli-dist@4 && yarn install --immutable",
        "yarn run build && yarn workspaces focus --production",
      ],
      files: {
        ".yarnrc.yml": "nodeLinker: node-modules\n",
        ".gitignore": "node_modules\ndist\n.env\n*.log\n*.mcpb\n*.tgz\n.yarn\n",
      },
      commands: "yarn install\nyarn test  ",
    },
  ],
  [
    "bun/1.4.5 npm/? node/v26.3.0 linux x64",
    {
      steps: [
        "- run: npm install --global bun@1",
        ...setup,
        "- run: bun install --frozen-lockfile",
        "- run: bun run test",
      ],
      image: [
        "package.json bun.lock",
        "npm install --global bun@1 && bun install --frozen-lockfile",
        "bun run build && rm -rf node_modules && bun install --frozen-lockfile --production",
      ],
      files: {},
      commands: "bun install\nbun run test  ",
    },
  ],
])("a project that %s creates has the commands of this manager", async (agent, outcome) => {
  vi.stubEnv("npm_config_user_agent", agent);
  onTestFinished(() => void vi.unstubAllEnvs());
  const path = join(folder, agent.replaceAll(/\W.*/g, "") + outcome.steps.length + outcome.image[1].length);
  const { out } = await run(path, "--adapter", "node");
  const text = (file: string): string => readFileSync(join(path, file), "utf8");
  expect(text(".github/workflows/ci.yml")).toBe(workflow(...outcome.steps));
  expect(text("Dockerfile")).toBe(image(...outcome.image));
  for (const [file, expected] of Object.entries(outcome.files)) {
    expect(text(file)).toBe(expected);
  }
  expect(existsSync(join(path, "pnpm-workspace.yaml"))).toBe("pnpm-workspace.yaml" in outcome.files);
  expect(text("README.md")).toContain(outcome.commands);
  const { name, test: tested } = managerOf(agent);
  expect(out).toContain(`  ${name} install\n  ${tested}\n`);
  expect(text("package.json")).toContain(`"test": "${name} run build && tsc`);
  expect(text("AGENTS.md")).toContain(`- \`${name} run call\` shows`);
});

test("the manager that --pm names has no version of another one", () => {
  expect(managerOf("npm/10.9.0 node/v22.0.0", "pnpm").program).toBe("pnpm");
  expect(managerOf("pnpm/12.21.0 npm/?", "yarn").program).toBe("yarn@1");
  expect(managerOf("cargo/1.0.0").name).toBe("npm");
  expect(managerOf(undefined).name).toBe("npm");
});

test("the README of a project names no command of npm if it has another manager", () => {
  for (const template of templates) {
    const { folder: path } = createProject(
      join(folder, "bun", template.name),
      template,
      managerOf("bun/1.4.5 x"),
    );
    for (const file of ["README.md", "AGENTS.md", "package.json"]) {
      const text = readFileSync(join(path, file), "utf8");
      expect([template.name, file, /\b(npm|npx tenon)\b.*/.exec(text)?.[0]]).toEqual([
        template.name,
        file,
        undefined,
      ]);
    }
  }
});
