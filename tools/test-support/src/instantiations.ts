import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { runCompiler } from "./compiler.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Tools of every style, by what they show: the options without a name, and the handler. */
export const toolShapes: Readonly<Record<string, (copy: number) => string>> = {
  "one field": (copy) =>
    `{ input: { type: "object", properties: { a: { type: "string", title: "${copy}" } }, required: ["a"] } }, ({ a }) => a`,
  "five fields with an enum": (copy) =>
    `{ input: { type: "object", properties: { query: { type: "string", description: "${copy}", minLength: 1 }, limit: { type: "integer", minimum: ${copy}, default: 20 }, kind: { type: "string", enum: ["a", "b", "c${copy}"] }, exact: { type: "boolean", title: "${copy}" }, tags: { type: "array", items: { type: "string", title: "${copy}" } } }, required: ["query"] } }, ({ query, limit, kind, exact, tags }) => [query, limit, kind, exact, tags].join()`,
  "five fields with content": (copy) =>
    `{ input: { type: "object", properties: { query: { type: "string", description: "${copy}" }, limit: { type: "integer", minimum: ${copy} }, kind: { type: "string", enum: ["a", "b", "c${copy}"] }, tags: { type: "array", items: { type: "string", title: "${copy}" } }, at: { type: "object", properties: { x: { type: "number", title: "${copy}" }, y: { type: "number" } }, required: ["x"] } }, required: ["query", "kind"] } }, async ({ query, limit, kind, tags, at }) => ({ content: [{ type: "text", text: [query, limit, kind, tags, at?.x].join() }] })`,
  "nested with a list": (copy) =>
    `{ input: { type: "object", properties: { items: { type: "array", items: { type: "object", properties: { id: { type: "integer", title: "${copy}" }, note: { type: "string" } }, required: ["id"] } }, at: { type: "object", properties: { x: { type: "number", title: "${copy}" } }, required: ["x"] } }, required: ["items", "at"] } }, ({ items, at }) => items.map(({ id }) => id + at.x).join()`,
  zod: (copy) =>
    `{ input: z.object({ query${copy}: z.string(), limit: z.number().optional() }) }, ({ query${copy}, limit }) => query${copy} + (limit ?? 0)`,
  "a class": (copy) =>
    `{ input: class { @string("${copy}") query!: string; @number({ minimum: ${copy} }) limit!: number; } }, ({ query, limit }) => query + limit`,
  "with output": (copy) =>
    `{ input: { type: "object", properties: { a: { type: "string", title: "${copy}" } }, required: ["a"] }, output: { type: "object", properties: { b: { type: "number", title: "${copy}" } }, required: ["b"] } }, ({ a }) => ({ b: a.length })`,
};

/** A statement that registers a tool of a shape. Each copy has types of its own. */
export function registration(shape: (copy: number) => string, copy: number): string {
  return `server.addTool(${shape(copy).replace("{ ", `{ name: "t${copy}", `)});`;
}

/**
 * The compiler's own count of type instantiations that a tool costs.
 *
 * @param registrations - Statements for `server`, with `defineTool`, `number`, `string` and `z`.
 * @param tools - The number of tools that they register.
 * @throws `Error` with the errors of the compiler.
 */
export async function instantiationsPerTool(
  registrations: readonly string[],
  tools: number = registrations.length,
): Promise<number> {
  const head = `import { defineTool, Server } from "MCP";
import { number, string } from "JSONSCHEMA";
import { z } from "ZOD";
export { defineTool, number, string, z };
export const server = new Server({ name: "s", version: "1" });
`;
  const none = await (without ??= instantiations(head));
  const all = await instantiations(head + registrations.join("\n"));
  return (all - none) / tools;
}

/** What the head costs: the same for every tool. */
let without: Promise<number> | undefined;

async function instantiations(program: string): Promise<number> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tenon-")));
  try {
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const from = (file: string): string => relative(folder, join(root, file));
    const source = program
      .replace("MCP", from("packages/mcp/dist/index.js"))
      .replace("JSONSCHEMA", from("packages/jsonschema/dist/index.js"))
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
      // The declarations that users compile with, not the sources: only the tools are checked.
      skipLibCheck: true,
      customConditions: [],
    };
    const config = { extends: join(root, "tsconfig.base.json"), compilerOptions, files: ["program.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    const output = await runCompiler([
      "-p",
      folder,
      "--extendedDiagnostics",
      "--singleThreaded",
      "--pretty",
      "false",
    ]);
    const errors = output.match(/^.*error TS.*(?:\n .*)*/gm) ?? [];
    if (errors.length > 0) {
      throw new Error(errors.join("\n"));
    }
    return Number(/^Instantiations:\s+(\d+)/m.exec(output)?.[1]);
  } finally {
    await rm(folder, { recursive: true });
  }
}
