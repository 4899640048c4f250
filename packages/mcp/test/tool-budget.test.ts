import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { instantiationsPerTool, registration, toolShapes } from "@tenon/test-support/instantiations";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const budget = 300;
/** Input and output are two schemas. */
const structuredBudget = 309;
/** What a tool may cost beyond a schema of a library, whose own types count against the budget. */
const ownBudget = 40;
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

test.each(Object.entries(toolShapes))(
  `a tool costs at most ${budget} type instantiations: %s`,
  async (_, shape) => {
    await expectWithin(
      Array.from({ length: 20 }, (_, copy) => registration(shape, copy)),
      20,
      budget,
    );
  },
);

test(`a zod schema with an enum costs at most ${ownBudget} type instantiations beyond those of zod itself`, async () => {
  const schema = (copy: number): string =>
    `z.object({ query${copy}: z.string(), kind: z.enum(["a", "b", "c${copy}"]).optional() })`;
  const handler = (copy: number): string => `{ query${copy}, kind }`;
  const times = (make: (copy: number) => string): readonly string[] =>
    Array.from({ length: 20 }, (_, copy) => make(copy));
  const tool = await instantiationsPerTool(
    times(
      (copy) =>
        `server.addTool({ name: "t${copy}", input: ${schema(copy)} }, (${handler(copy)}) => query${copy} + (kind ?? ""));`,
    ),
  );
  const zod = await instantiationsPerTool(
    times(
      (copy) =>
        `export const s${copy} = ${schema(copy)}; export const f${copy} = (${handler(copy)}: z.infer<typeof s${copy}>) => query${copy} + (kind ?? "");`,
    ),
  );
  expect(zod).toBeGreaterThan(200);
  expect(tool - zod).toBeGreaterThan(0);
  expect(tool - zod).toBeLessThanOrEqual(ownBudget);
});

async function expectWithin(registrations: readonly string[], tools: number, limit: number): Promise<void> {
  const perTool = await instantiationsPerTool(registrations, tools);
  expect(perTool).toBeGreaterThan(50);
  expect(perTool).toBeLessThanOrEqual(limit);
}
