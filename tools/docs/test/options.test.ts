import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { synchronised } from "../src/markdown.ts";
import { readLimitTables, unitOf } from "../src/options.ts";

const root = join(import.meta.dirname, "../../..");
const tables = readLimitTables(join(root, "packages"));
const all = tables.flatMap(({ name, limits }) => limits.map((limit) => ({ ...limit, of: name })));

test("the page of limits is as the declarations say; run `pnpm --filter @tenon/docs run sync` if it is not", () => {
  const page = join(root, "docs/options.md");
  const text = readFileSync(page, "utf8");
  expect(synchronised(page, text)).toBe(text);
  for (const { of, name } of all) {
    expect(text).toContain(`### ${of}\n`);
    expect(text).toContain(`| \`${name}\` | ${unitOf(name)} |`);
  }
});

test("the tables of rules of every package are found", () => {
  expect(new Set(tables.map((table) => table.package))).toEqual(
    new Set([
      "apps",
      "auth",
      "broker",
      "compose",
      "host",
      "http",
      "inspector",
      "jsonrpc2",
      "jsonschema",
      "lambda",
      "mcp",
      "openapi",
      "operations",
      "otel",
      "ship",
      "store-postgres",
      "store-redis",
      "store-sqlite",
      "stores",
      "tasks",
      "transports-memory",
      "transports-message",
      "transports-sse",
      "transports-stdio",
      "transports-streamable-http",
    ]),
  );
  expect(all.length).toBeGreaterThan(80);
});

/** Limits whose default is not one number. */
const varying: ReadonlySet<string> = new Set([
  "StreamReconnectOptions.maxSilenceMs",
  "KeepAliveOptions.timeoutMs",
]);

test("the default in the comment of a limit is that of its rule", () => {
  const wrong = all
    .filter(({ of, name }) => !varying.has(`${of}.${name}`))
    .filter(({ documented, initial }) => Number(documented?.replaceAll("_", "")) !== initial)
    .map(({ of, name, documented, initial }) => `${of}.${name}: ${documented ?? "none"}, not ${initial}`);
  expect(wrong).toEqual([]);
});

/** Limits that only code of another package reads: of HTTP transports, `base` and `jsonrpc2`. */
const passedOn: ReadonlySet<string> = new Set([
  "http: EndpointLimits.bodyTimeoutMs",
  "openapi: OpenApiLimits.initialDelayMs",
  "transports-stdio: CommandLimits.maxMessageBytes",
  "transports-stdio: StdioLimits.maxMessageBytes",
]);

test("every limit is read by code of its package: a limit that is only declared limits nothing", () => {
  const words = new Map<string, ReadonlySet<string>>();
  const wordsOf = (name: string): ReadonlySet<string> => {
    const found = words.get(name) ?? new Set(codeOf(name).match(/\w+/g));
    words.set(name, found);
    return found;
  };
  const unread = tables.flatMap((table) =>
    table.limits
      .filter(({ name }) => !wordsOf(table.package).has(name))
      .map(({ name }) => `${table.package}: ${table.name}.${name}`),
  );
  expect(unread.filter((limit) => !passedOn.has(limit))).toEqual([]);
});

/** The sources of a package, without comments and the lines that declare a limit and its rule. */
function codeOf(name: string): string {
  const src = join(root, "packages", name, "src");
  return readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => readFileSync(join(src, path), "utf8"))
    .join("\n")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/^ +readonly \w+\?: number \| undefined;$/gm, "")
    .replaceAll(/^ +\w+: \[[^\]]*\],?$/gm, "");
}

test("a limit has a name with a unit, or counts", () => {
  const odd = all.filter(
    ({ name }) => unitOf(name) === "" && !/^max[A-Z]|^pageSize$|^failureThreshold$/.test(name),
  );
  expect(odd.map(({ of, name }) => `${of}.${name}`)).toEqual([]);
});
