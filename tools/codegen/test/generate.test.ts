import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { methodTables } from "@tenon/protocol";
import { expect, test } from "vitest";

import { gen, generate } from "../src/generate.ts";
import { hoist } from "../src/hoist.ts";
import { emitMembers, memberRows } from "../src/members.ts";
import { methodTable } from "../src/methods.ts";
import { prepare } from "../src/prepare.ts";
import { openRepository } from "../src/repository.ts";
import { mapChildren } from "../src/schema.ts";
import type { Schema } from "../src/schema.ts";
import { staleFiles } from "../src/write.ts";
import { checkout, root, run } from "./support.ts";

const repository = openRepository(root);
const files = await generate(repository);

test("S-045 the committed files are exactly what the generator makes", () => {
  expect(staleFiles(files, root)).toEqual([]);
});

test("generate --check tells stale files from fresh ones, and generate repairs them", async () => {
  await using copy = await checkout();
  await writeFile(join(copy.root, gen, "revisions.ts"), "// edited\n");
  await writeFile(join(copy.root, gen, "stray.ts"), "// not generated\n");
  const stale = await run(["generate", "--check"], copy.root);
  expect(stale.code).toBe(1);
  expect(stale.out.match(/^stale .+$/gm)).toEqual([
    "stale packages/protocol/src/gen/revisions.ts",
    "stale packages/protocol/src/gen/stray.ts",
  ]);
  expect(stale.out).toContain("  the generator does not write this file\n");
  expect((await run(["generate"], copy.root)).code).toBe(0);
  expect(await run(["generate", "--check"], copy.root)).toEqual({
    code: 0,
    out: expect.stringMatching(/^up to date: \d+ generated files\n$/) as string,
    err: "",
  });
});

test("facts about a method that no schema has are refused, and the message names the place of the method", async () => {
  await using copy = await checkout();
  const path = join(copy.root, "schema/methods.json");
  const methods = JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
  await writeFile(path, JSON.stringify({ ...methods, "notifications/tools/used": {} }));
  const { code, err } = await run(["generate"], copy.root);
  expect(code).not.toBe(0);
  expect(err).toContain("no schema has the method notifications/tools/used");
  expect(err).toContain("ServerNotification");
});

test.each([
  [{ filter: "toolsUsed" }, "SubscriptionFilter"],
  [{ requires: { server: "tools.used" } }, "ServerCapabilities"],
  [{ requires: { client: "used" } }, "ClientCapabilities"],
])("a fact that the schema does not know is refused: %j", async (fact, definition) => {
  await using copy = await checkout();
  const path = join(copy.root, "schema/methods.json");
  const methods = JSON.parse(await readFile(path, "utf8")) as Record<string, object>;
  const method = "notifications/tools/list_changed";
  await writeFile(path, JSON.stringify({ ...methods, [method]: { ...methods[method], ...fact } }));
  const { code, err } = await run(["generate"], copy.root);
  expect(code).not.toBe(0);
  expect(err).toContain(`${method} names`);
  expect(err).toContain(`Add it to ${definition} of`);
});

test("S-045 every file names its schema revision, the schema's sha256 and the generator version", () => {
  for (const source of repository.revisions) {
    const text = files.get(`${gen}/${source.revision}/types.ts`) ?? "";
    expect(text).toContain(`schema/${source.revision}/schema.json`);
    expect(text).toContain(source.sha256);
    expect(text).toMatch(/tools\/codegen, version \d+/);
  }
});

const typeFiles = [...files].filter(([path]) => path.endsWith("types.ts"));

test.each(typeFiles)("S-046 %s has flat interfaces: no inheritance, no intersections", (_, text) => {
  expect(text).not.toMatch(/^export interface \w+ extends /m);
  expect(withoutComments(text)).not.toMatch(/[}\w] & [{\w]/);
});

test.each(typeFiles)("%s has no numbered duplicates, no any and no leftovers of the tool", (_, text) => {
  const names = [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map((match) => match[1]);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => /\d$/.test(name ?? ""))).toEqual([]);
  expect(withoutComments(text)).not.toMatch(/\bany\b/);
  expect(text).not.toContain("This interface was referenced by");
});

test.each(repository.revisions)(
  "$revision has an index signature only where the specification writes one",
  (source) => {
    const text = withoutComments(files.get(`${gen}/${source.revision}/types.ts`) ?? "");
    const written = Object.values(prepare(source, repository)).reduce(
      (sum, schema) => sum + countOpen(schema),
      0,
    );
    expect([...text.matchAll(/\[k: string\]:/g)].length).toBe(written);
  },
);

test("S-047 the public surface has no JSON-RPC envelopes", () => {
  const text = files.get(`${gen}/types.ts`) ?? "";
  expect(withoutComments(text)).not.toMatch(/jsonrpc/i);
  expect(text).not.toMatch(/export \w+ (?:CallToolRequest|ClientRequest|ServerNotification|PingRequest)\b/);
  expect(text).toMatch(/export interface CallToolRequestParams /);
});

test("each deprecated definition, field and method carries its registry entry", () => {
  const types = files.get(`${gen}/types.ts`) ?? "";
  const methods = files.get(`${gen}/methods.ts`) ?? "";
  expect(docOf(types, "export interface ModelPreferences")).toContain(
    "@deprecated since 2026-07-28 (SEP-2577)",
  );
  expect(docOf(types, "includeContext?")).toContain("@deprecated since 2025-11-25 (SEP-2596)");
  for (const method of ["notifications/message", "roots/list", "sampling/createMessage"]) {
    expect(docOf(methods, `"${method}"`)).toMatch(
      /@deprecated since 2026-07-28 \(SEP-2577\): use .+\s.*Earliest removal: [^]+2027-07-28/,
    );
  }
  expect(docOf(types, "export interface Tool ")).not.toContain("@deprecated");
});

test("a table that extends the one before says of every method what its own schema says", () => {
  const extending = [...files]
    .filter(([path, text]) => path.endsWith("/methods.ts") && text.includes("...before,"))
    .map(([path]) => path);
  expect(extending).toEqual(
    ["2025-03-26", "2025-06-18", "2025-11-25"].map((revision) => `${gen}/${revision}/methods.ts`),
  );
  for (const source of repository.revisions) {
    const rows = methodTable(hoist(prepare(source, repository)), source.revision, repository);
    const table = methodTables[source.revision as keyof typeof methodTables];
    expect(Object.keys(table).toSorted(), source.revision).toEqual(rows.map(({ method }) => method));
    for (const {
      method,
      kind,
      sentBy,
      requires,
      task,
      inputRequired,
      embedded,
      cacheable,
      ...facts
    } of rows) {
      const row = table[method];
      expect(row, method).toMatchObject({ kind, sentBy });
      expect(row?.requires ?? {}, method).toEqual(requires);
      expect([row?.task, row?.inputRequired, row?.embedded, row?.cacheable].map(Boolean), method).toEqual([
        task,
        inputRequired,
        embedded,
        cacheable,
      ]);
      expect([row?.repeatable, row?.polled].map(Boolean), method).toEqual([facts.repeatable, facts.polled]);
      expect([row?.change, row?.invalidates, row?.hook], method).toEqual([
        facts.change,
        facts.invalidates,
        facts.hook,
      ]);
      expect([row?.coalesceBy, row?.stateBy, row?.undoes], method).toEqual([
        facts.coalesceBy,
        facts.stateBy,
        facts.undoes,
      ]);
    }
  }
});

test("a block whose annotations or contents gain a member in a later revision is one whose members older revisions list", () => {
  const older = memberRows({ ...contentBlocks, Annotations: object("priority") });
  const newer = memberRows({ ...contentBlocks, Annotations: object("priority", "audience") });
  const text = emitMembers(older, "2024-11-05", { before: undefined, newest: newer });
  expect(text).toContain(`text: new Set(["type", "annotations"])`);
  expect(emitMembers(newer, "2025-03-26", { before: older, newest: newer })).toContain("blocks: {},");
});

test("a member that a revision takes away is not in its set", () => {
  const older = memberRows({ Tool: object("name", "execution") });
  const newer = memberRows({ Tool: object("name", "title") });
  const text = emitMembers(newer, "2025-03-26", { before: older, newest: newer });
  expect(text).toContain(`tool: new Set(["name", "title"])`);
});

test("the registries name only methods, definitions and fields that exist", () => {
  const known = new Set(
    repository.revisions.flatMap((source) =>
      Object.entries(source.document.definitions).flatMap(([name, schema]) => [name, ...paths(schema, name)]),
    ),
  );
  const methods = [...files]
    .filter(([path]) => path.endsWith("/methods.ts"))
    .map(([, text]) => text)
    .join("");
  for (const method of Object.keys(repository.methods)) {
    expect(methods, method).toContain(`"${method}"`);
  }
  for (const entry of repository.deprecations) {
    for (const method of entry.methods) {
      expect(methods, method).toContain(`"${method}"`);
    }
    for (const path of entry.paths) {
      expect(known.has(path) || known.has(inPlace(path)), path).toBe(true);
    }
  }
});

test("an amendment whose reason has gone stops the generator", async () => {
  const amendments = [
    ...repository.amendments,
    { paths: ["Tool.name"], revisions: ["2024-11-05"], match: { type: "integer" }, set: {}, why: "" },
  ];
  await expect(generate({ ...repository, amendments })).rejects.toMatchObject({ code: "stale_amendment" });
});

const contentBlocks = {
  CallToolResult: {
    properties: { content: { type: "array", items: { anyOf: [{ $ref: "#/$defs/TextContent" }] } } },
  },
  TextContent: { properties: { type: { const: "text" }, annotations: {} } },
};

function object(...members: readonly string[]): Schema {
  return { properties: Object.fromEntries(members.map((member) => [member, {}])) };
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*\*[\s\S]*?\*\//g, "").replaceAll(/^\/\/.*$/gm, "");
}

function docOf(text: string, declaration: string): string {
  const end = text.indexOf(declaration);
  expect(end, declaration).toBeGreaterThan(0);
  return text.slice(text.lastIndexOf("/**", end), end);
}

function countOpen(schema: Schema): number {
  let count = schema["additionalProperties"] === undefined ? 0 : 1;
  mapChildren(schema, (child) => {
    count += countOpen(child);
    return child;
  });
  return count;
}

function paths(schema: Schema, path: string): string[] {
  const out: string[] = [];
  mapChildren(schema, (child, step) => {
    out.push(path + step, ...paths(child, path + step));
    return child;
  });
  return out;
}

/** The path of hoisted params where older revisions write them in place. */
function inPlace(path: string): string {
  return path.replace(/(Request|Notification)Params\b/, "$1.params");
}
