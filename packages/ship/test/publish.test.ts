import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, onTestFinished, test } from "vitest";

import { checkServerJson, planPublish } from "../src/node.ts";

const notes = fileURLToPath(new URL("fixtures/notes/", import.meta.url));

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "tenon-ship-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("server.json is made from the package and its declaration, and keeps other properties", async () => {
  const plan = await planPublish({ folder: notes });
  expect(plan).toMatchObject({ exists: false, changes: true });
  expect(plan.findings).toEqual([
    { path: "package.json/private", message: "a private package cannot be published" },
  ]);
  expect(plan.server).toEqual({
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: "io.github.me/notes",
    description: "Notes of a team",
    repository: { url: "https://github.com/me/notes", source: "github" },
    version: "1.2.0",
    packages: [
      {
        registryType: "npm",
        identifier: "@me/notes",
        version: "1.2.0",
        transport: { type: "stdio" },
        packageArguments: [
          {
            type: "named",
            name: "--root",
            description: "The folder of the notes",
            isRequired: false,
            default: "notes",
          },
          { type: "named", name: "--shelf", description: "Where the notes are", isRequired: true },
          { type: "positional", valueHint: "team", description: "The team", isRequired: false },
        ],
        environmentVariables: [
          { name: "NOTES_KEY", description: "The key of the notes API", isRequired: true, isSecret: true },
          // Its default is not public.
          {
            name: "NOTES_SALT",
            description: "The salt of anonymous names",
            isRequired: false,
            isSecret: true,
          },
          {
            name: "NOTES_LEVEL",
            description: "How much is logged",
            isRequired: false,
            default: "info",
            choices: ["info", "debug"],
          },
        ],
      },
    ],
  });

  const folder = temporary();
  const facts = {
    ...(JSON.parse(readFileSync(join(notes, "package.json"), "utf8")) as object),
    tenon: undefined,
    private: undefined,
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...facts, version: "2.0.0" }));
  const remote = { type: "streamable-http", url: "https://notes.example/mcp" };
  const old = { ...plan.server, title: "Notes", remotes: [remote], description: "Shared notes" };
  writeFileSync(join(folder, "server.json"), JSON.stringify(old));
  const next = await planPublish({ folder });
  expect(next).toMatchObject({ exists: true, changes: true, findings: [] });
  expect(next.server).toMatchObject({
    title: "Notes",
    description: "Shared notes",
    version: "2.0.0",
    remotes: [remote],
  });
  expect(next.server.packages).toMatchObject([{ version: "2.0.0" }]);
  writeFileSync(join(folder, "server.json"), next.text);
  expect(await planPublish({ folder })).toMatchObject({ changes: false });
});

test("the package wins over an old server.json, and packages of other registries stay", async () => {
  const folder = temporary();
  const facts = {
    name: "notes",
    version: "2.0.0",
    description: "Notes",
    license: "MIT",
    mcpName: "io.github.me/notes",
    repository: "github:me/new",
    homepage: "https://new.example",
    tenon: { package: "package.mjs" },
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(facts));
  const library = new URL("../dist/index.js", import.meta.url).href;
  writeFileSync(
    join(folder, "package.mjs"),
    `import { defineServerPackage } from ${JSON.stringify(library)};
    export const notes = defineServerPackage({ env: { KEY: { description: "The key" } } });`,
  );
  const pypi = {
    registryType: "pypi",
    identifier: "notes",
    version: "1.0.0",
    runtimeHint: "uvx",
    transport: { type: "stdio" },
    environmentVariables: [{ name: "PY" }],
  };
  const old = {
    ...valid,
    repository: { url: "https://github.com/me/old", source: "github", id: "17" },
    websiteUrl: "https://old.example",
    packages: [
      pypi,
      { ...npm, runtimeHint: "npx", environmentVariables: [{ name: "REMOVED" }], packageArguments: [] },
    ],
  };
  writeFileSync(join(folder, "server.json"), JSON.stringify(old));
  const { findings, server } = await planPublish({ folder });
  expect(findings).toEqual([]);
  expect(server).toMatchObject({ version: "2.0.0", websiteUrl: "https://new.example" });
  expect(server["repository"]).toEqual({ url: "https://github.com/me/new", source: "github" });
  expect(server.packages).toEqual([
    pypi,
    {
      ...npm,
      version: "2.0.0",
      runtimeHint: "npx",
      environmentVariables: [{ name: "KEY", description: "The key", isRequired: true }],
    },
  ]);
  // A value that is no package is reported, and does not end the command.
  writeFileSync(join(folder, "server.json"), JSON.stringify({ ...old, packages: [null] }));
  const odd = await planPublish({ folder });
  expect(odd.findings.map(({ path }) => path)).toContain("server.json/packages/1");
});

test("addresses of a package that the registry refuses are not in its server.json", async () => {
  const folder = temporary();
  const facts = {
    name: "notes",
    version: "1.0.0",
    description: "Notes",
    license: "MIT",
    mcpName: "io.github.me/notes",
    homepage: "http://notes.example",
    bin: "server.mjs",
  };
  const plan = async (repository: unknown) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...facts, repository }));
    const { findings, server } = await planPublish({ folder });
    expect(findings.filter(({ severity }) => severity !== "warning")).toEqual([]);
    expect(server).not.toHaveProperty("websiteUrl");
    return server["repository"];
  };
  expect(await plan("https://github.com/me/notes/tree/main/server")).toBeUndefined();
  expect(await plan("git+https://github.com/me/notes.git#main")).toEqual({
    url: "https://github.com/me/notes",
    source: "github",
  });
});

test("a public package without rights for its users is a warning, and a private package is none", async () => {
  const folder = temporary();
  const license = {
    path: "package.json/license",
    message: "UNLICENSED gives users no rights: choose a license, such as MIT",
    severity: "warning",
  };
  const facts = {
    name: "notes",
    version: "1.0.0",
    description: "Notes",
    license: "UNLICENSED",
    mcpName: "io.github.me/notes",
    repository: "github:me/notes",
  };
  for (const [isPrivate, expected] of [
    [false, [license]],
    [true, [{ path: "package.json/private", message: "a private package cannot be published" }]],
  ] as const) {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ ...facts, private: isPrivate }));
    expect((await planPublish({ folder })).findings).toEqual(expected);
  }
});

test("the order of a server.json is the user's: of properties, and of packages", async () => {
  const folder = temporary();
  const facts = {
    name: "notes",
    version: "1.0.0",
    description: "Notes",
    license: "MIT",
    mcpName: "io.github.me/notes",
    repository: "github:me/notes",
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify(facts));
  const oci = { registryType: "oci", identifier: "ghcr.io/me/notes:1.0.0", transport: { type: "stdio" } };
  const { identifier, ...rest } = npm;
  const { version, ...others } = valid;
  const old = {
    version,
    packages: [oci, { identifier, ...rest }],
    repository: { source: "github", url: "https://github.com/me/notes" },
    ...others,
  };
  const text = JSON.stringify(old);
  writeFileSync(join(folder, "server.json"), text);
  expect(await planPublish({ folder })).toMatchObject({ changes: false, findings: [], text });

  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...facts, version: "1.1.0" }));
  const next = await planPublish({ folder });
  expect(next.changes).toBe(true);
  expect(JSON.stringify(next.server)).toBe(text.replaceAll('"version":"1.0.0"', '"version":"1.1.0"'));
});

test("a server.json without a package is checked alone, and a bad file is refused", async () => {
  const folder = temporary();
  await expect(planPublish({ folder })).rejects.toMatchObject({ code: "INVALID_PACKAGE" });
  writeFileSync(join(folder, "server.json"), "{");
  await expect(planPublish({ folder })).rejects.toMatchObject({ code: "MALFORMED" });
  cpSync(notes, folder, { recursive: true });
  await expect(planPublish({ folder })).rejects.toMatchObject({ code: "MALFORMED" });
  rmSync(join(folder, "package.json"));
  writeFileSync(join(folder, "server.json"), '{ "name": "a" }');
  const { findings } = await planPublish({ folder });
  expect(findings.map(({ path }) => path)).toContain("server.json/name");
});

const valid = {
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: "io.github.me/notes",
  description: "Notes",
  version: "1.0.0",
};
const npm = { registryType: "npm", identifier: "notes", version: "1.0.0", transport: { type: "stdio" } };

function findingsOf(changes: object): readonly string[] {
  return checkServerJson({ ...valid, packages: [npm], ...changes }).map(
    ({ path, severity = "error" }) => `${severity} ${path}`,
  );
}

test.each([
  ["nothing else", {}, []],
  ["another schema", { $schema: "https://example.com" }, ["error /$schema"]],
  ["a name without a name space", { name: "notes" }, ["error /name"]],
  ["a reserved name", { name: "io.modelcontextprotocol/x" }, ["error /name"]],
  ["a long description", { description: "x".repeat(101) }, ["error /description"]],
  ["a range", { version: "^1.0.0" }, ["error /version"]],
  ["an odd version", { version: "2026a" }, ["warning /version"]],
  ["a status", { status: "active" }, ["error /status"]],
  [
    "a path that leads out",
    { repository: { url: "https://github.com/me/b", source: "github", subfolder: "../a" } },
    ["error /repository/subfolder"],
  ],
  [
    "a subfolder with a space",
    { repository: { url: "https://gitlab.com/us/team/b", source: "gitlab", subfolder: "a b" } },
    ["error /repository/subfolder"],
  ],
  [
    "a page of a repository",
    { repository: { url: "https://github.com/me/b/tree/main/a", source: "github" } },
    ["error /repository/url"],
  ],
  [
    "a repository elsewhere",
    { repository: { url: "https://codeberg.org/me/b", source: "codeberg" } },
    ["error /repository/url"],
  ],
  ["a short name", { name: "io.github.me/x" }, ["error /name"]],
  ["a name that ends with a dash", { name: "io.github.me/notes-" }, ["error /name"]],
  ["an empty title", { title: " " }, ["error /title"]],
  [
    "addresses without encryption",
    {
      websiteUrl: "http://notes.example",
      icons: [{ src: "data:image/png;base64,AA==" }],
      remotes: [{ type: "sse", url: "http://notes.example/sse" }],
    },
    ["error /websiteUrl", "error /icons/0/src", "error /remotes/0/url"],
  ],
  [
    "a host whose name begins like this machine",
    { remotes: [{ type: "sse", url: "https://localhost-tools.example/sse" }] },
    [],
  ],
  [
    "arguments that contain more than their names",
    {
      packages: [
        {
          ...npm,
          packageArguments: [
            { type: "named", name: "--root <folder>" },
            { type: "named", name: "--level", default: "--level=info" },
          ],
        },
      ],
    },
    ["error /packages/0/packageArguments/0/name", "error /packages/0/packageArguments/1/default"],
  ],
  ["nothing to install", { packages: [] }, ["warning "]],
  [
    "an unknown registry",
    { packages: [{ ...npm, registryType: "cargo" }] },
    ["error /packages/0/registryType"],
  ],
  [
    "a mirror",
    { packages: [{ ...npm, registryBaseUrl: "https://mirror.example" }] },
    ["error /packages/0/registryBaseUrl"],
  ],
  ["the version latest", { packages: [{ ...npm, version: "latest" }] }, ["error /packages/0/version"]],
  ["an unknown property of a package", { packages: [{ ...npm, url: "x" }] }, ["error /packages/0/url"]],
  [
    "a bundle without a hash, elsewhere",
    {
      packages: [
        { registryType: "mcpb", identifier: "https://a.example/x.mcpb", transport: { type: "stdio" } },
      ],
    },
    ["error /packages/0/identifier", "error /packages/0/fileSha256"],
  ],
  [
    "an image with a version apart",
    {
      packages: [
        { registryType: "oci", identifier: "me/notes", version: "1.0.0", transport: { type: "stdio" } },
      ],
    },
    ["error /packages/0/identifier", "error /packages/0/version"],
  ],
  [
    "an address that is missing",
    { packages: [{ ...npm, transport: { type: "sse" } }] },
    ["error /packages/0/transport/url"],
  ],
  [
    "runtime arguments without a hint",
    { packages: [{ ...npm, runtimeArguments: [{ type: "positional", value: "-y" }] }] },
    ["error /packages/0/runtimeHint"],
  ],
  [
    "a positional argument without a label",
    { packages: [{ ...npm, packageArguments: [{ type: "positional" }] }] },
    ["error /packages/0/packageArguments/0"],
  ],
  [
    "a secret with a value, and a default that is no choice",
    {
      packages: [
        {
          ...npm,
          environmentVariables: [
            { name: "A", isSecret: true, value: "x" },
            { name: "B-C", default: "z", choices: ["y"] },
          ],
        },
      ],
    },
    [
      "error /packages/0/environmentVariables/0/value",
      "error /packages/0/environmentVariables/1/name",
      "error /packages/0/environmentVariables/1/default",
    ],
  ],
  [
    "a remote on this machine",
    { remotes: [{ type: "sse", url: "http://127.0.0.1:3000/sse" }] },
    ["error /remotes/0/url"],
  ],
  [
    "an unknown variable",
    { remotes: [{ type: "sse", url: "https://{tenant}.example/sse" }] },
    ["error /remotes/0/url"],
  ],
  ["foreign metadata", { _meta: { "com.example/x": 1 } }, ["warning /_meta/com.example~1x"]],
  [
    "too much metadata",
    { _meta: { "io.modelcontextprotocol.registry/publisher-provided": { a: "x".repeat(4096) } } },
    ["error /_meta/io.modelcontextprotocol.registry~1publisher-provided"],
  ],
])("a server.json with %s is reported by paths", (_, changes, expected) => {
  const found = findingsOf(changes);
  expect(found.filter((each) => !expected.includes(each as never))).toEqual([]);
  expect(expected.filter((each) => !found.includes(each))).toEqual([]);
});

test("all problems are reported at once, and a value that is not an object does not throw", () => {
  expect(checkServerJson({}).filter(({ severity }) => severity === undefined)).toHaveLength(4);
  for (const value of [null, 1, [], "x"]) {
    expect(checkServerJson(value)).toHaveLength(1);
  }
});
