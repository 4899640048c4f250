import { execFile } from "node:child_process";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { revisions } from "@tenon/protocol";
import { expect, test } from "vitest";

import { gen, rules } from "../src/generate.ts";
import { checkout, root, run } from "./support.ts";

const newest = revisions.at(-1) ?? "";
const later = "2099-01-01";
const packages = [
  "base",
  "http",
  "jsonrpc2",
  "jsonschema",
  "mcp",
  "protocol",
  "transports-memory",
  "transports-stdio",
  "transports-streamable-http",
  "uri-template",
];
/** What the packages take from the registry: by package, name. */
const foreign = [
  ["http", "undici"],
  ["transports-stdio", "cross-spawn"],
] as const;

interface Definition {
  [keyword: string]: unknown;
}

/** Copies the packages with what they import, so that a script in the copy runs against them. */
async function copyPackages(folder: string): Promise<void> {
  const scope = join(folder, "node_modules", "@tenon");
  await mkdir(scope, { recursive: true });
  for (const name of packages) {
    const copy = join(folder, "packages", name);
    for (const part of ["src", "package.json"]) {
      await cp(join(root, "packages", name, part), join(copy, part), { recursive: true });
    }
    await symlink(copy, join(scope, name), "junction");
  }
  for (const [name, dependency] of foreign) {
    const installed = join(root, "packages", name, "node_modules", dependency);
    await symlink(installed, join(folder, "node_modules", dependency), "junction");
  }
}

/**
 * The newest schema with a member of tools, a method that older revisions have, and one that none
 * has.
 */
async function laterSchema(): Promise<string> {
  const schema = JSON.parse(await readFile(join(root, "schema", newest, "schema.json"), "utf8")) as {
    $defs: { [name: string]: Definition };
  };
  const definitions = schema.$defs;
  const tool = definitions["Tool"] as { properties: { [name: string]: Definition } };
  tool.properties["glyph"] = { description: "One character that stands for the tool.", type: "string" };
  const union = definitions["ClientRequest"] as { anyOf: Definition[] };
  for (const [name, method] of [
    ["PingRequest", "ping"],
    ["CountRequest", "notes/count"],
  ] as const) {
    const request = definitions["DiscoverRequest"] as { properties: { [name: string]: Definition } };
    definitions[name] = {
      ...request,
      description: "A method of a made-up revision.",
      properties: { ...request.properties, method: { type: "string", const: method } },
    };
    union.anyOf.push({ $ref: `#/$defs/${name}` });
  }
  return JSON.stringify(schema, null, 2);
}

const ownName = later.replaceAll("-", "");
const rulesModule = `import { memberTables, methodTables } from "@tenon/protocol";

import { rules${newest.replaceAll("-", "")} } from "./${newest}.ts";
import type { RevisionRules } from "./rules.ts";

export const rules${ownName}: RevisionRules = {
  ...rules${newest.replaceAll("-", "")},
  revision: "${later}",
  methods: methodTables["${later}"],
  members: memberTables["${later}"],
};
`;

interface Talk {
  readonly revision: string;
  readonly era: string;
  readonly tool: readonly string[];
  readonly ping: unknown;
  readonly count: unknown;
}

/** Runs the script in the copy. */
async function talkIn(folder: string): Promise<{ readonly [meeting: string]: Talk }> {
  const script = join(folder, "talk.ts");
  await cp(join(import.meta.dirname, "fixtures", "talk.ts"), script);
  await writeFile(join(folder, "package.json"), `{ "type": "module" }`);
  const tsx = pathToFileURL(join(root, "node_modules/tsx/dist/loader.mjs")).href;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--conditions=@tenon/source",
    "--import",
    tsx,
    script,
  ]);
  return JSON.parse(stdout) as { [meeting: string]: Talk };
}

const transports = ["memory", "stdio", "streamable-http"];

test("a revision is added by a schema and a module of rules, works over every transport, and changes no other", async () => {
  await using copy = await checkout();
  await copyPackages(copy.root);
  const before = await talkIn(copy.root);
  await mkdir(join(copy.root, "schema", later));
  await writeFile(join(copy.root, "schema", later, "schema.json"), await laterSchema());
  await writeFile(join(copy.root, rules, "..", `${later}.ts`), rulesModule);
  const generated = await run(["generate"], copy.root);
  expect(generated.code).toBe(0);
  // Of the older revisions nothing is written again.
  const written = generated.out.match(/(?<=^wrote ).+$/gm) ?? [];
  expect(
    written.filter((path) => revisions.some((revision) => path.startsWith(`${gen}/${revision}/`))),
  ).toEqual([]);

  const after = await talkIn(copy.root);
  for (const revision of revisions) {
    expect(after[`bare ${revision}`]).toEqual(before[`bare ${revision}`]);
  }
  expect(after[`bare ${later}`]).toEqual(before[`bare ${newest}`]);
  for (const transport of transports) {
    for (const revision of revisions) {
      expect(after[`${transport} ${revision}`]).toEqual(before[`${transport} ${revision}`]);
    }
    const old = before[`${transport} ${newest}`];
    expect(old).toMatchObject({ revision: newest, ping: "NOT_IN_REVISION", count: "NOT_IN_REVISION" });
    expect(after[`${transport} ${later}`]).toEqual({
      ...old,
      revision: later,
      tool: [...(old?.tool ?? []), "glyph"].toSorted(),
      ping: "object",
      // Nobody has written what it does: the request goes out, and the server says that it does not
      // serve it.
      count: -32601,
    });
    expect(before[`${transport} any`]).toEqual(old);
    expect(after[`${transport} any`]).toEqual(after[`${transport} ${later}`]);
  }
});
