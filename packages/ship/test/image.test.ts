import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { planImage } from "../src/node.ts";

function packageFolder(facts: object = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-ship-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "notes", bin: "./dist/main.js", ...facts }),
  );
  return folder;
}

test("an image is built by the lock file of the package, and runs as nobody", async () => {
  const folder = packageFolder({ mcpName: "io.github.me/notes", scripts: { build: "tsc" } });
  writeFileSync(join(folder, "package-lock.json"), "{}");
  await planImage({ folder, port: 3000 }).apply();
  const text = readFileSync(join(folder, "Dockerfile"), "utf8");
  expect(text).toContain("RUN npm ci --ignore-scripts\n");
  expect(text).toContain("RUN npm run build && npm prune --omit=dev --ignore-scripts\n");
  expect(text).toContain('LABEL io.modelcontextprotocol.server.name="io.github.me/notes"\n');
  expect(text).toMatch(/USER 65534:65534\nEXPOSE 3000\nENTRYPOINT \["node", "dist\/main.js"\]\n$/);
  expect(readFileSync(join(folder, ".dockerignore"), "utf8")).toContain("**/.env*\n");
  // The same again is no change.
  await planImage({ folder, port: 3000 }).apply();

  await expect(planImage({ folder }).apply()).rejects.toMatchObject({ code: "EXISTS" });
  await planImage({ folder }).apply({ replaces: true });
  expect(readFileSync(join(folder, "Dockerfile"), "utf8")).not.toContain("EXPOSE");
});

test("a .dockerignore of the user stays, and what it does to the image is reported", async () => {
  const folder = packageFolder();
  const ignore = join(folder, ".dockerignore");
  const findings = (): readonly unknown[] =>
    planImage({ folder }).findings.map(({ message, severity = "error" }) => `${severity} ${message}`);
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

test.each([
  [
    "pnpm-lock.yaml",
    "lockfileVersion: '9.0'",
    /--force pnpm && pnpm install --frozen-lockfile --ignore-scripts$/m,
  ],
  ["yarn.lock", "# yarn lockfile v1", /yarn install --frozen-lockfile --ignore-scripts --production$/m],
  ["yarn.lock", "__metadata:\n  version: 8", /^RUN yarn workspaces focus --production$/m],
  ["package.json", JSON.stringify({ name: "notes", bin: "dist/main.js" }), /npm install --ignore-scripts$/m],
])("a package with a %s (%s) is installed by its own package manager", (lock, content, expected) => {
  const folder = packageFolder();
  writeFileSync(join(folder, lock), content);
  expect(planImage({ folder }).files[0]?.text).toMatch(expected);
});

test("the configuration of the package manager is there for the installation, and not in the image", () => {
  const folder = packageFolder({ packageManager: "yarn@4.9.1+sha224.0123" });
  writeFileSync(join(folder, "yarn.lock"), "__metadata:\n  version: 8");
  writeFileSync(join(folder, ".yarnrc.yml"), "npmAuthToken: secret");
  mkdirSync(join(folder, ".yarn/patches"), { recursive: true });
  expect(planImage({ folder }).files[0]?.text).toContain(
    `COPY package.json yarn.lock .yarnrc.yml ./
COPY .yarn ./.yarn
ENV YARN_ENABLE_SCRIPTS=false YARN_NODE_LINKER=node-modules
RUN npm install --global --force @yarnpkg/cli-dist@4.9.1 && yarn install --immutable
COPY . .
RUN yarn workspaces focus --production && rm -rf .yarnrc.yml .yarn
`,
  );
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
  const [image] = planImage({ folder: packageFolder({ mcpName: 'a"\nRUN evil' }) }).files;
  expect(image?.text).toBeDefined();
  expect(image?.text).not.toContain("evil");
});
