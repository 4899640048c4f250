import { execFile } from "node:child_process";
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const budget = 300;
/** Input and output are two schemas. */
const structuredBudget = 308;
const copies = 5;

test(`registering a tool costs at most ${budget} type instantiations, by the compiler's own counter (the official SDK: 1,024)`, async () => {
  const fixture = await readFile(join(root, "packages/jsonschema/test/fixtures/tools.ts"), "utf8");
  // Those whose handlers give no text would need an output schema.
  const tools = fixture
    .split("export const ")
    .slice(1)
    .filter((tool) => !/^(filter|add|draw|createEntities) /.test(tool));
  const register = (copy: number): string =>
    tools
      .map((tool) =>
        tool.replace(
          /^(\w+) = tool\(\n {2}(\{ .* \}|\{\n[\s\S]*?\n {2}\}),\n/,
          `server.addTool({ name: "$1${copy}", input: $2 },\n`,
        ),
      )
      .join("")
      .replaceAll(/type: "(string|number|integer|boolean|object|array|null)"/g, `title: "${copy}", $&`);
  await expectWithin(
    Array.from({ length: copies }, (_, copy) => register(copy)),
    copies * tools.length,
    budget,
  );
});

test.each([
  ["server.addTool(", ");"],
  ["export const tool# = defineTool(", ");"],
])(
  `so does each schema of %s…%s with input and output: at most ${structuredBudget} for both`,
  async (before, after) => {
    const tool = (copy: number): string => `${before.replace("#", String(copy))}
  {
    name: "search${copy}",
    input: {
      type: "object",
      properties: {
        query: { type: "string", description: "${copy}", minLength: 1 },
        limit: { type: "integer", minimum: 1, maximum: ${copy + 1}, default: 1 },
        kind: { enum: ["a", "b", "c${copy}"] },
      },
      required: ["query"],
    },
    output: {
      type: "object",
      properties: {
        hits: {
          type: "array",
          items: {
            type: "object",
            properties: { title: { type: "string", title: "${copy}" }, score: { type: "number" } },
            required: ["title", "score"],
          },
        },
        total: { type: "integer" },
      },
      required: ["hits", "total"],
    },
  },
  ({ query, limit, kind }) => ({ hits: [{ title: query + (kind ?? ""), score: limit }], total: 1 }),
${after}
`;
    await expectWithin(
      Array.from({ length: 50 }, (_, copy) => tool(copy)),
      50,
      structuredBudget,
    );
  },
);

const shapes: Readonly<Record<string, (copy: number) => string>> = {
  "one field": (copy) =>
    `{ input: { type: "object", properties: { a: { type: "string", title: "${copy}" } }, required: ["a"] } }, ({ a }) => a`,
  "five fields with an enum": (copy) =>
    `{ input: { type: "object", properties: { query: { type: "string", description: "${copy}", minLength: 1 }, limit: { type: "integer", minimum: ${copy}, default: 20 }, kind: { type: "string", enum: ["a", "b", "c${copy}"] }, exact: { type: "boolean", title: "${copy}" }, tags: { type: "array", items: { type: "string", title: "${copy}" } } }, required: ["query"] } }, ({ query, limit, kind, exact, tags }) => [query, limit, kind, exact, tags].join()`,
  "nested with a list": (copy) =>
    `{ input: { type: "object", properties: { items: { type: "array", items: { type: "object", properties: { id: { type: "integer", title: "${copy}" }, note: { type: "string" } }, required: ["id"] } }, at: { type: "object", properties: { x: { type: "number", title: "${copy}" } }, required: ["x"] } }, required: ["items", "at"] } }, ({ items, at }) => items.map(({ id }) => id + at.x).join()`,
  zod: (copy) =>
    `{ input: z.object({ query${copy}: z.string(), limit: z.number().optional() }) }, ({ query${copy}, limit }) => query${copy} + (limit ?? 0)`,
  "a class": (copy) =>
    `{ input: class { @string("${copy}") query!: string; @number({ minimum: ${copy} }) limit!: number; } }, ({ query, limit }) => query + limit`,
  "with output": (copy) =>
    `{ input: { type: "object", properties: { a: { type: "string", title: "${copy}" } }, required: ["a"] }, output: { type: "object", properties: { b: { type: "number", title: "${copy}" } }, required: ["b"] } }, ({ a }) => ({ b: a.length })`,
};

test.each(Object.entries(shapes))(
  `a tool costs at most ${budget} type instantiations: %s`,
  async (_, register) => {
    const tool = (copy: number): string =>
      `server.addTool(${register(copy).replace("{ ", `{ name: "t${copy}", `)});`;
    await expectWithin(
      Array.from({ length: 20 }, (_, copy) => tool(copy)),
      20,
      budget,
    );
  },
);

async function expectWithin(registrations: readonly string[], tools: number, limit: number): Promise<void> {
  const head = `import { defineTool, Server } from "MCP";
import { number, string } from "JSONSCHEMA";
import { z } from "ZOD";
export { defineTool, number, string, z };
export const server = new Server({ name: "s", version: "1" });
`;
  const none = await instantiations(head);
  const all = await instantiations(head + registrations.join("\n"));
  const perTool = (all - none) / tools;
  expect(perTool).toBeGreaterThan(50);
  expect(perTool).toBeLessThanOrEqual(limit);
}

async function instantiations(program: string): Promise<number> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tenon-")));
  try {
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const from = (file: string): string => relative(folder, join(root, file));
    const source = program
      .replace("MCP", from("packages/mcp/src/index.ts"))
      .replace("JSONSCHEMA", from("packages/jsonschema/src/index.ts"))
      .replace("ZOD", from("packages/jsonschema/node_modules/zod/index.js"));
    await writeFile(join(folder, "program.ts"), source);
    const compilerOptions = {
      composite: false,
      declaration: false,
      declarationMap: false,
      isolatedDeclarations: false,
      noEmit: true,
      allowImportingTsExtensions: true,
      lib: ["ES2023", "ESNext.Disposable", "ESNext.Decorators", "DOM"],
      types: [],
      skipLibCheck: true,
    };
    const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, files: ["program.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const output = await run([
      join(root, "node_modules/typescript/bin/tsc"),
      "-p",
      folder,
      "--extendedDiagnostics",
      "--pretty",
      "false",
    ]);
    expect(output.match(/^.*error TS.*(?:\n .*)*/gm) ?? []).toEqual([]);
    return Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1]);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      // The compiler's exit code is not 0 when there are type errors; they are looked at by the
      // caller.
      if (error !== null && typeof error.code !== "number") {
        reject(error);
      } else {
        resolve(stdout + stderr);
      }
    });
  });
}
