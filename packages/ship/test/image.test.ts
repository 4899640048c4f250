import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { isIgnored } from "../src/image/ignored.ts";
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
  expect(text).toContain("RUN npm run build && npm prune --omit=dev --ignore-scripts && find ");
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
  mkdirSync(join(folder, ".yarn/patches"), { recursive: true });
  const [image, ignore] = planImage({ folder }).files;
  expect(image?.text).toContain(
    `COPY package.json yarn.lock .yarnrc.yml ./
COPY .yarn ./.yarn
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
    const [image] = planImage({ folder }).files;
    const [, step = ""] = /^RUN .* && (find .*)$/m.exec(image?.text ?? "") ?? [];
    execFileSync("sh", ["-c", step], { cwd: folder });
    expect(
      readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual([
      "a",
      "a/b",
      "a/npmrc",
      "package-lock.json",
      "package.json",
      "patches",
      "patches/.yarnrc",
      "patches/main.js",
    ]);
  },
);

test("a .dockerignore of the user that lets tokens of another manager into the build is reported", () => {
  const folder = packageFolder();
  for (const name of [".npmrc", ".yarnrc.yml"]) {
    writeFileSync(join(folder, name), "");
  }
  writeFileSync(join(folder, ".dockerignore"), "**/.env*\n");
  expect(planImage({ folder }).findings).toEqual([
    {
      path: ".dockerignore",
      severity: "warning",
      message: "lets .yarnrc.yml into the build, which may contain a token: add **/.yarnrc.yml",
    },
  ]);
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
  expect(tabbed?.text).toMatch(/ENTRYPOINT \["node", "a\\tb\.js"\]\n$/);
  const [image] = planImage({ folder: packageFolder({ mcpName: 'a"\nRUN evil' }) }).files;
  expect(image?.text).toBeDefined();
  expect(image?.text).not.toContain("evil");
});
