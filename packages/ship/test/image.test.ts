import { execFile, execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { isIgnored } from "../src/image/ignored.ts";
import { healthCheck } from "../src/image/image.ts";
import { planImage } from "../src/node.ts";

function packageFolder(facts: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-ship-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "notes", bin: "./dist/main.js", ...facts }),
  );
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist/main.js"), "");
  return folder;
}

test("an image is built by the lock file of the package, and runs as nobody", async () => {
  const folder = packageFolder({ mcpName: "io.github.me/notes", scripts: { build: "tsc" } });
  writeFileSync(join(folder, "package-lock.json"), "{}");
  await planImage({ folder, port: 3000 }).apply();
  const text = readFileSync(join(folder, "Dockerfile"), "utf8");
  expect(text).toContain("RUN npm ci --ignore-scripts\n");
  expect(text).toContain("RUN npm run build && npm prune --omit=dev --ignore-scripts && find ");
  expect(text).toContain('LABEL io.modelcontextprotocol.server.name="io.github.me/notes"\n');
  expect(text).toMatch(/USER 65534:65534\nEXPOSE 3000\nHEALTHCHECK CMD \["node", "-e", .*\]\nENTRYPOINT /);
  // Node as the first process would not end by SIGTERM.
  expect(text).toMatch(/\nENTRYPOINT \["\/sbin\/tini", "--", "node", "dist\/main.js"\]\n$/);
  expect(readFileSync(join(folder, ".dockerignore"), "utf8")).toContain("**/.env*\n");
  // The same again is no change.
  await planImage({ folder, port: 3000 }).apply();

  await expect(planImage({ folder }).apply()).rejects.toMatchObject({ code: "EXISTS" });
  await planImage({ folder }).apply({ replaces: true });
  expect(readFileSync(join(folder, "Dockerfile"), "utf8")).not.toContain("EXPOSE");
});

test("the results of npm pack stay out of the image, and archives in folders do not", async () => {
  const folder = packageFolder();
  await planImage({ folder }).apply();
  const text = readFileSync(join(folder, ".dockerignore"), "utf8");
  const paths = ["notes-1.0.0.tgz", "vendor/notes-1.0.0.tgz"];
  expect(paths.map((path) => isIgnored(text, path))).toEqual([true, false]);
});

test("a .dockerignore of the user stays, and what it does to the image is reported", async () => {
  const folder = packageFolder();
  const ignore = join(folder, ".dockerignore");
  const findings = (): readonly unknown[] =>
    planImage({ folder })
      .findings.filter(({ path }) => path === ".dockerignore")
      .map(({ message, severity = "error" }) => `${severity} ${message}`);
  writeFileSync(ignore, "# mine\n/dist\n*.json\n");
  expect(findings()).toEqual([
    "error keeps package.json out of the build, which needs it",
    "error keeps dist/main.js out of the build, which needs it",
    "warning lets files such as .env into the image: add **/.env*",
  ]);
  for (const rules of ["**/*.js", "d?st", "di[a-z]t/", "./dist/**", "src/../dist", "dist/m\\ain\\.js", "*"]) {
    writeFileSync(ignore, `${rules}\n!package.json\n`);
    expect(findings()).toContain("error keeps dist/main.js out of the build, which needs it");
  }
  // A pattern for one name, and the configuration of a host with its secrets.
  writeFileSync(join(folder, ".mcp.json"), "{}");
  writeFileSync(ignore, "**/.env\n");
  expect(findings()).toEqual([
    "warning lets files such as .env into the image: add **/.env*",
    "warning lets .mcp.json into the image, which may contain secrets: add .mcp.json*",
  ]);
  const text = "**\n!dist\n!package.json\n";
  writeFileSync(ignore, text);
  expect(findings()).toEqual([]);
  await planImage({ folder }).apply({ replaces: true });
  expect(readFileSync(ignore, "utf8")).toBe(text);
});

test("the .dockerignore of an image keeps nothing out that the image needs", () => {
  const [, ignore] = planImage({ folder: packageFolder({ bin: "coverage/report.js" }) }).files;
  expect(ignore?.text).not.toContain("coverage");
  expect(ignore?.text).not.toMatch(/^test$/m);
});

test("configurations of hosts, which may contain secrets, are not in the image", () => {
  const [, ignore] = planImage({ folder: packageFolder() }).files;
  for (const path of [
    ".mcp.json",
    ".mcp.json.bak",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    "opencode.json",
  ]) {
    expect([path, isIgnored(ignore?.text ?? "", path)]).toEqual([path, true]);
  }
});

test("problems of the package are reported: no program, no lock file, install scripts", () => {
  const folder = packageFolder();
  rmSync(join(folder, "dist"), { recursive: true });
  const findings = (): readonly string[] =>
    planImage({ folder }).findings.map(({ path, message }) => `${path} ${message}`);
  expect(findings()).toEqual([
    "dist/main.js does not exist, and package.json has no script build that makes it",
    expect.stringMatching(/^package-lock.json is missing, so the image installs the newest versions/),
  ]);
  writeFileSync(join(folder, "bun.lock"), "");
  expect(findings()[1]).toMatch(/^bun.lock is not supported/);
  const scripted = { hasInstallScript: true };
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({
      packages: {
        "": scripted,
        "node_modules/sqlite": scripted,
        "node_modules/a/node_modules/@b/c": scripted,
        "node_modules/esbuild": { ...scripted, dev: true },
        "node_modules/fsevents": { ...scripted, optional: true },
        "node_modules/swc": { ...scripted, devOptional: true },
        "node_modules/plain": {},
      },
    }),
  );
  expect(findings()[1]).toMatch(/^package-lock.json install scripts .* if sqlite, @b\/c cannot/);
});

test("a package of a workspace, and its root, are refused", () => {
  const root = packageFolder({ workspaces: ["packages/*"] });
  expect(() => planImage({ folder: root })).toThrow("has several packages");
  const folder = join(root, "packages/notes");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "notes", bin: "main.js" }));
  writeFileSync(join(folder, "main.js"), "");
  // Without a lock file above it the folder may be anything.
  planImage({ folder });
  writeFileSync(join(root, "package-lock.json"), "{}");
  expect(() => planImage({ folder })).toThrow("belongs to the workspace in ");
  writeFileSync(join(folder, "package-lock.json"), "{}");
  planImage({ folder });
  const settings = packageFolder();
  writeFileSync(join(settings, "pnpm-lock.yaml"), "lockfileVersion: '9.0'");
  writeFileSync(join(settings, "pnpm-workspace.yaml"), "ignoreScripts: true\n");
  planImage({ folder: settings });
  writeFileSync(join(settings, "pnpm-workspace.yaml"), "packages:\n  - packages/*\n");
  expect(() => planImage({ folder: settings })).toThrow("has several packages");
});

test.each([
  ["node dist/main.js", '"node", "dist/main.js"]'],
  ["node --enable-source-maps --max-old-space-size=64 ./dist/main.js", '64", "dist/main.js"]'],
  ["node dist/main.js --http --name=a", '"dist/main.js"]\nCMD ["--http", "--name=a"]'],
])("without bin, the script start is the program: %s", (start, expected) => {
  const [image] = planImage({ folder: packageFolder({ bin: undefined, scripts: { start } }) }).files;
  expect(image?.text).toContain(`${expected}\n`);
});

test.each([
  "node --import tsx dist/main.ts",
  "next start",
  "node $FILE",
  "node a.js && node b.js",
  "node ../a.js",
])("a script that does more than to run a file of the package is not understood: %s", (start) => {
  expect(() => planImage({ folder: packageFolder({ bin: undefined, scripts: { start } }) })).toThrow(
    /has no bin|below the folder/,
  );
});

test("the health check follows the port of the image", async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const check = (): Promise<number | null> =>
    new Promise((resolve) => {
      execFile(process.execPath, ["-e", healthCheck], { env: { PORT: String(port) } }).once("exit", resolve);
    });
  expect(await check()).toBe(0);
  await new Promise((resolve) => void server.close(resolve));
  expect(await check()).toBe(1);
});

test.each([
  [
    "pnpm-lock.yaml",
    "lockfileVersion: '9.0'",
    /--force pnpm && pnpm install --frozen-lockfile --ignore-scripts$/m,
  ],
  ["pnpm-lock.yaml", "lockfileVersion: '6.0'", /--force pnpm@8 && pnpm install /],
  ["pnpm-lock.yaml", "lockfileVersion: 5.4", /--force pnpm@7 && pnpm install /],
  ["yarn.lock", "# yarn lockfile v1", /yarn install --frozen-lockfile --ignore-scripts --production &&/],
  [
    "yarn.lock",
    "__metadata:\n  version: 8",
    /@yarnpkg\/cli-dist@4\.13 [^]*\nRUN yarn workspaces focus --production &&/,
  ],
  ["yarn.lock", "__metadata:\n  version: 9", /@yarnpkg\/cli-dist@4 && yarn install --immutable$/m],
  ["npm-shrinkwrap.json", "{}", /COPY package.json npm-shrinkwrap.json .*\nRUN npm ci --ignore-scripts$/m],
  ["package.json", JSON.stringify({ name: "notes", bin: "dist/main.js" }), /npm install --ignore-scripts$/m],
])("a package with a %s (%s) is installed by its own package manager", (lock, content, expected) => {
  const folder = packageFolder();
  writeFileSync(join(folder, lock), content);
  expect(planImage({ folder }).files[0]?.text).toMatch(expected);
});

test.each([
  ["pnpm@9.1.0", "pnpm-lock.yaml", "lockfileVersion: '9.0'", "pnpm@9.1.0"],
  ["yarn@4.9.1+sha224.0123", "pnpm-lock.yaml", "lockfileVersion: '9.0'", "pnpm"],
  ["pnpm@9.1.0", "yarn.lock", "__metadata:\n  version: 8", "@yarnpkg/cli-dist@4.13"],
  ["yarn@4.9.1+sha224.0123", "yarn.lock", "__metadata:\n  version: 8", "@yarnpkg/cli-dist@4.9.1"],
  ["yarn@1.22.22", "yarn.lock", "# yarn lockfile v1", "yarn@1.22.22"],
  ["yarn@4.9.1", "yarn.lock", "# yarn lockfile v1", "yarn@1"],
])("the packageManager %s counts for its own lock file only: a %s (%s) is installed by %s", (...facts) => {
  const [packageManager, lock, content, program] = facts;
  const folder = packageFolder({ packageManager });
  writeFileSync(join(folder, lock), content);
  expect(planImage({ folder }).files[0]?.text).toContain(`--force ${program} && `);
});

test.each([
  [undefined, 6],
  ["yarn@3.6.4", 6],
  ["yarn@3.6.4", 8],
])(
  "Yarn 2 and 3, which lack a command of the build, are refused (%s, lock file %i)",
  (packageManager, version) => {
    const folder = packageFolder({ packageManager });
    writeFileSync(join(folder, "yarn.lock"), `__metadata:\n  version: ${version}\n`);
    expect(() => planImage({ folder })).toThrow(/need Yarn 1, or Yarn 4 or later/);
  },
);

test("the configuration of the package manager is there for the installation, and not in the image", () => {
  const folder = packageFolder({ packageManager: "yarn@4.9.1+sha224.0123" });
  writeFileSync(join(folder, "yarn.lock"), "__metadata:\n  version: 8");
  writeFileSync(join(folder, ".yarnrc.yml"), "npmAuthToken: secret");
  // A checkout has the patches, but neither the cache nor the state.
  mkdirSync(join(folder, ".yarn/cache"), { recursive: true });
  mkdirSync(join(folder, ".yarn/patches"), { recursive: true });
  const [image, ignore] = planImage({ folder }).files;
  expect(image?.text).toContain(
    `COPY package.json yarn.lock .yarnrc.yml ./
COPY .yarn/patches ./.yarn/patches
ENV YARN_ENABLE_SCRIPTS=false YARN_NODE_LINKER=node-modules
RUN npm install --global --force @yarnpkg/cli-dist@4.9.1 && yarn install --immutable
COPY . .
RUN yarn workspaces focus --production && rm -rf .yarn && find . `,
  );
  expect(ignore?.text).toMatch(/\*\*\/\.npmrc\n\*\*\/\.yarnrc\n\*\*\/\.yarnrc\.yml\n!\.yarnrc\.yml\n$/);
});

test.runIf(process.platform !== "win32")(
  "files with tokens of all managers, in all folders, are not in the image",
  () => {
    const folder = packageFolder();
    const tokens = [".npmrc", ".yarnrc", ".yarnrc.yml", "a/.npmrc", "a/b/.yarnrc.yml"];
    mkdirSync(join(folder, "a/b"), { recursive: true });
    mkdirSync(join(folder, "patches/.yarnrc"), { recursive: true });
    for (const path of [...tokens, "package-lock.json", "patches/main.js", "a/npmrc"]) {
      writeFileSync(join(folder, path), "");
    }
    chmodSync(join(folder, "patches/main.js"), 0o600);
    const [image] = planImage({ folder }).files;
    const [, step = ""] = /^RUN .* && (find .*)$/m.exec(image?.text ?? "") ?? [];
    // The find of some images has no -delete, which POSIX does not name.
    expect(step).not.toContain("-delete");
    execFileSync("sh", ["-c", step], { cwd: folder });
    expect(
      readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual([
      "a",
      "a/b",
      "a/npmrc",
      "dist",
      "dist/main.js",
      "package-lock.json",
      "package.json",
      "patches",
      "patches/.yarnrc",
      "patches/main.js",
    ]);
    // Nobody reads it.
    expect(statSync(join(folder, "patches/main.js")).mode & 0o777).toBe(0o644);
  },
);

test("a .dockerignore of the user that lets tokens of another manager into the build is reported", () => {
  const folder = packageFolder();
  for (const name of [".npmrc", ".yarnrc.yml"]) {
    writeFileSync(join(folder, name), "");
  }
  writeFileSync(join(folder, ".dockerignore"), "**/.env*\n");
  expect(planImage({ folder }).findings).toContainEqual({
    path: ".dockerignore",
    severity: "warning",
    message: "lets .yarnrc.yml into the build, which may contain a token: add **/.yarnrc.yml",
  });
});

test("folders that pnpm and a program both read stay in the image", () => {
  const folder = packageFolder({ bin: "patches/main.js" });
  mkdirSync(join(folder, "patches"));
  for (const name of ["pnpm-lock.yaml", "patches/main.js"]) {
    writeFileSync(join(folder, name), "");
  }
  const [image] = planImage({ folder }).files;
  expect(image?.text).toContain("COPY patches ./patches\n");
  expect(image?.text).not.toContain("rm -rf");
});

test("patterns of a .dockerignore are matched in a time that does not depend on their stars", () => {
  const path = `${"a".repeat(60)}/${"b/".repeat(30)}package.json`;
  for (const [pattern, expected] of [
    [`${"*".repeat(60)}z`, false],
    ["**/".repeat(60) + "z", false],
    ["*a".repeat(50) + "z", false],
    ["**b".repeat(40), false],
    [`${"*".repeat(61)}/${"**/".repeat(60)}*.js?[nm]`, true],
    ["**/package.json", true],
    ["**", true],
    ["**/p*e.*n", true],
    ["**/b/package", false],
    ["*", true],
    ["*b*", false],
    ["a*/**/b/p[^a]*", false],
    ["a*/b/b", true],
    ["?".repeat(60), true],
    ["?".repeat(62), false],
  ] as const) {
    expect([pattern, isIgnored(pattern, path)]).toEqual([pattern, expected]);
  }
});

test.each([
  [undefined, 24],
  [">=20.19", 24],
  ["20.x", 20],
  ["^20.19 || ^22.12", 22],
  [">=18 <24", 22],
  [">=25", 26],
  ["~23.1", 23],
  ["18 - 20", 20],
  ["newest", 24],
])("the engines %s of a package give Node %i", (node, major) => {
  const [image] = planImage({ folder: packageFolder({ engines: { node } }) }).files;
  expect(image?.text.match(/^FROM node:\d+-alpine/gm)).toEqual([
    `FROM node:${major}-alpine`,
    `FROM node:${major}-alpine`,
  ]);
});

test("packages without a program, and paths and facts that would break the file, are refused", () => {
  expect(() => planImage({ folder: packageFolder({ bin: undefined }) })).toThrow(/no bin/);
  expect(() => planImage({ folder: packageFolder(), entry: "../main.js" })).toThrow(/below the folder/);
  expect(() => planImage({ folder: packageFolder(), entry: 'a"\nRUN evil' })).toThrow(/below the folder/);
  expect(() => planImage({ folder: packageFolder(), port: 0 })).toThrow(/65535/);
  // A tab is possible in a name, and JSON needs it escaped.
  const [tabbed] = planImage({ folder: packageFolder(), entry: "a\tb.js" }).files;
  expect(tabbed?.text).toMatch(/"node", "a\\tb\.js"\]\n$/);
  const folder = packageFolder();
  const [absolute] = planImage({ folder, entry: join(folder, "dist/main.js") }).files;
  expect(absolute?.text).toContain('"node", "dist/main.js"]');
  const [image] = planImage({ folder: packageFolder({ mcpName: 'a"\nRUN evil' }) }).files;
  expect(image?.text).toBeDefined();
  expect(image?.text).not.toContain("evil");
});
