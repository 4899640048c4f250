import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { mapOf } from "../src/schema.ts";
import type { Schema } from "../src/schema.ts";
import { checkout, readDocument, root, run } from "./support.ts";

const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

/**
 * A revision that does not exist: 2026-07-28 with a method, a field and a notification more and a
 * definition less.
 */
async function nextRevision(): Promise<Schema> {
  const { document, definitions } = await readDocument(join(root, "schema", "2026-07-28", "schema.json"));
  const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` });
  const text = { type: "string", description: "Upstream's own words." };
  const union = definitions["ClientRequest"] ?? {};
  definitions["WeighToolRequest"] = {
    type: "object",
    properties: {
      id: ref("RequestId"),
      jsonrpc: { const: "2.0", type: "string" },
      method: { const: "tools/weigh", type: "string" },
      params: ref("WeighToolRequestParams"),
    },
    required: ["id", "jsonrpc", "method", "params"],
  };
  definitions["WeighToolRequestParams"] = {
    type: "object",
    properties: { _meta: ref("RequestMetaObject"), name: text },
    required: ["_meta", "name"],
  };
  definitions["WeighToolResult"] = {
    type: "object",
    properties: { resultType: { type: "string" }, grams: { type: "number" } },
    required: ["resultType", "grams"],
  };
  union["anyOf"] = [...(union["anyOf"] as Schema[]), ref("WeighToolRequest")];
  mapOf(definitions["Tool"] ?? {}, "properties")["weight"] = {
    type: "number",
    description: "Upstream's own words.",
  };
  const notification = definitions["ServerNotification"] ?? {};
  notification["anyOf"] = (notification["anyOf"] as Schema[]).filter(
    (member) => member["$ref"] !== "#/$defs/LoggingMessageNotification",
  );
  delete definitions["LoggingMessageNotification"];
  delete definitions["LoggingMessageNotificationParams"];
  return document;
}

test("S-207 importing a revision nobody has seen gives schema, types and method table that compile, by hand nothing", async () => {
  await using copy = await checkout();
  await writeFile(join(copy.root, "next.json"), JSON.stringify(await nextRevision()));
  const source = "https://example.test/0123456789abcdef0123456789abcdef01234567/schema.json";
  const imported = await run(["import", "next.json", "--revision", "2027-07-28", "--url", source], copy.root);
  expect(imported).toMatchObject({ code: 0, err: "" });
  expect(imported.out).toContain("no description yet: WeighToolRequest\n");
  expect(imported.out).toContain("no description yet: Tool.weight\n");
  await writeFile(
    join(copy.root, "packages", "protocol", "src", "use.ts"),
    [
      `import { methodTables } from "./gen/tables.ts";`,
      `import { latest, latestLegacy } from "./revisions.ts";`,
      `import type { JSONValue, Methods as Next, Tool } from "./gen/2027-07-28/index.ts";`,
      `import type { Methods, LoggingMessageNotificationParams } from "./index.ts";`,
      `export const result: Methods["tools/weigh"]["result"] & Next["tools/weigh"]["result"] = { resultType: "complete", grams: 3 };`,
      `export const params: Methods["tools/weigh"]["params"] = { name: "anvil" };`,
      `export const tool: Tool = { name: "anvil", inputSchema: { type: "object" }, weight: 1e5 };`,
      `export const nothing: JSONValue = null;`,
      `export const kept: LoggingMessageNotificationParams = { level: "info", data: 1 };`,
      `export const found: [string, string, unknown] = [latest, latestLegacy, methodTables["2027-07-28"]["tools/weigh"]];`,
      "",
    ].join("\n"),
  );
  const compiled = await promisify(execFile)(process.execPath, [
    tsc,
    "-p",
    join(copy.root, "packages", "protocol"),
    "--emitDeclarationOnly",
    "false",
  ]).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe("");
  const module = (await import(join(copy.root, "packages", "protocol", "dist", "use.js"))) as {
    found: unknown[];
  };
  expect(module.found).toEqual(["2027-07-28", "2025-11-25", { kind: "request", sentBy: "client" }]);
  const sources = JSON.parse(await readFile(join(copy.root, "schema", "sources.json"), "utf8")) as {
    [revision: string]: unknown;
  };
  expect(sources["2027-07-28"]).toMatchObject({
    url: source,
    commit: "0123456789abcdef0123456789abcdef01234567",
  });
});

test("import leaves upstream's prose behind and keeps ours", async () => {
  await using copy = await checkout();
  await writeFile(join(copy.root, "next.json"), JSON.stringify(await nextRevision()));
  await run(["import", "next.json", "--revision", "2027-07-28"], copy.root);
  const text = await readFile(join(copy.root, "schema", "2027-07-28", "schema.json"), "utf8");
  expect(text).not.toContain("Upstream's own words.");
  const ours = await readDocument(join(root, "schema", "2026-07-28", "schema.json"));
  const theirs = await readDocument(join(copy.root, "schema", "2027-07-28", "schema.json"));
  expect(theirs.definitions["Prompt"]).toEqual(ours.definitions["Prompt"]);
});

test("importing a revision we have changes nothing", async () => {
  await using copy = await checkout();
  const path = join("schema", "2025-06-18", "schema.json");
  const read = (): Promise<string[]> =>
    Promise.all([path, "schema/sources.json"].map((file) => readFile(join(copy.root, file), "utf8")));
  const before = await read();
  const { code, out } = await run(["import", path, "--revision", "2025-06-18"], copy.root);
  expect({ code, out }).toEqual({ code: 0, out: `wrote ${path}\n` });
  expect(await read()).toEqual(before);
});

test("import --descriptions replaces descriptions, for one revision or for all", async () => {
  await using copy = await checkout();
  const words = { "Tool.name": "A.", "2024-11-05:Tool.name": "B.", "PingRequestParams._meta": "C." };
  await writeFile(join(copy.root, "words.json"), JSON.stringify(words));
  const path = join("schema", "2024-11-05", "schema.json");
  const { code } = await run(
    ["import", path, "--revision", "2024-11-05", "--descriptions", "words.json"],
    copy.root,
  );
  expect(code).toBe(0);
  const { definitions } = await readDocument(join(copy.root, path));
  expect(mapOf(definitions["Tool"] ?? {}, "properties")["name"]).toMatchObject({ description: "B." });
  const params = mapOf(definitions["PingRequest"] ?? {}, "properties")["params"] ?? {};
  expect(mapOf(params, "properties")["_meta"]).toMatchObject({ description: "C." });
});
