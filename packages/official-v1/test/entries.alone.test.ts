import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { afterAll, expect, test } from "vitest";

import { modules, own, stale } from "../scripts/entries.mjs";
import { folderWith, removeFolders, sdks } from "./support/install.mjs";

afterAll(removeFolders);

const run = (folder: string, ...args: string[]): unknown =>
  JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" }));

test("tests that load this package run alone, because it extends the classes of the official SDK", () => {
  const shared = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith(".test.ts") && !name.endsWith(".alone.test.ts"))
    .filter((name) => /from "\.\.\/src\//.test(readFileSync(join(import.meta.dirname, name), "utf8")));
  expect(shared).toEqual([]);
});

test("every module of the official package has an entry that passes it on", () => {
  expect(stale()).toStrictEqual([]);
  expect(modules.length).toBeGreaterThan(80);
});

// Examples start servers when they are loaded.
const loadable = modules.filter(
  (name) => !name.startsWith("examples/") || name.startsWith("examples/shared"),
);
const listing = `
  const names = ${JSON.stringify(loadable)};
  const found = {};
  for (const name of names) found[name] = Object.keys(await import("@modelcontextprotocol/sdk/" + name + ".js")).sort();
  for (const name of ["client", "server", "validation", "validation/ajv", "validation/cfworker", "experimental", "experimental/tasks"])
    found["/" + name] = Object.keys(await import("@modelcontextprotocol/sdk/" + name)).sort();
  console.log(JSON.stringify(found));
`;

test("every entry exports what the entry of the official package does, to import and to require", () => {
  const files = {
    "list.mjs": listing,
    "list.cjs": listing.replaceAll(/await import\(([^)]*)\)/g, "require($1)"),
  };
  const original = run(folderWith("original", files), "list.mjs");
  const tenon = folderWith("tenon", files);
  expect(run(tenon, "list.mjs")).toStrictEqual(original);
  expect(run(tenon, "list.cjs")).toStrictEqual(original);
  expect([...own].filter((name) => name !== "tenon" && !modules.includes(name))).toStrictEqual([]);
});

test("a server over stdio loads no module for HTTP", () => {
  const loaded = new Set<string>();
  const load = (path: string): void => {
    loaded.add(path);
    if (path.startsWith(".")) {
      const text = readFileSync(join(sdks.tenon, "dist", path), "utf8");
      for (const [, other = ""] of text.matchAll(/^(?:import|export)\b[^;]*?"([^"]+)";/gm)) {
        load(other.startsWith(".") ? `./${join(dirname(path), other)}` : other);
      }
    }
  };
  load("./entry/server/mcp.js");
  load("./entry/server/stdio.js");
  expect([...loaded]).toContain("mcp-sdk-1/server/mcp.js");
  expect([...loaded].filter((path) => /http/i.test(path))).toStrictEqual([]);
});

test("the parts of the official classes that the engine uses exist in the pinned version", async () => {
  const { Server } = await import("../src/entry/server/index.ts");
  const { Client } = await import("../src/entry/client/index.ts");
  const { Protocol } = await import("../src/entry/shared/protocol.ts");
  const server = new Server({ name: "a", version: "1" }, { capabilities: {} });
  const client = new Client({ name: "a", version: "1" });
  for (const each of [server, client]) {
    expect(each).toBeInstanceOf(Protocol);
    for (const name of [
      "_requestMessageId",
      "_requestHandlers",
      "_requestHandlerAbortControllers",
      "_notificationHandlers",
      "_progressHandlers",
      "_responseHandlers",
      "_taskProgressTokens",
      "_pendingDebouncedNotifications",
      "_onclose",
      "_onerror",
      "_onrequest",
      "_onnotification",
      "_onresponse",
      "requestTaskStore",
      "_capabilities",
    ]) {
      expect(name in each, name).toBe(true);
    }
  }
  expect(
    ["_serverInfo", "_instructions", "_clientCapabilities"].filter((name) => !(name in server)),
  ).toStrictEqual([]);
});

test("a class has its validator when it needs it, and keeps that of the program", async () => {
  const { McpServer } = await import("../src/entry/server/mcp.ts");
  const { Client } = await import("../src/entry/client/index.ts");
  class Own extends McpServer {}
  const info = { name: "a", version: "1" };
  const own = new Own(info);
  expect(own).toBeInstanceOf(McpServer);
  expect(own.constructor).toBe(Own);
  const server = new McpServer(info);
  expect(server.constructor).toBe(McpServer);
  const validatorOf = (of: object): { getValidator(schema: object): (value: unknown) => object } =>
    Reflect.get(of, "_jsonSchemaValidator") as ReturnType<typeof validatorOf>;
  const validator = validatorOf(server.server);
  expect("_ajv" in validator).toBe(false);
  expect(validator.getValidator({ type: "string" })(1)).toMatchObject({ valid: false });
  const jsonSchemaValidator = { getValidator: () => () => ({ valid: true }) } as never;
  expect(validatorOf(new Client(info, { jsonSchemaValidator }))).toBe(jsonSchemaValidator);
});
