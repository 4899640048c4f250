import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { CallToolResult } from "@tenon/protocol";
import { expect, test } from "vitest";

import {
  toAnthropicTool,
  toAnthropicToolResult,
  toGeminiFunction,
  toGeminiParts,
  toOpenAiChatMessages,
  toOpenAiChatTool,
  toOpenAiResponsesOutput,
  toOpenAiResponsesTool,
  type NamedTool,
  type Schema,
} from "../src/index.ts";
import { anthropicProblems, anthropicResultProblems } from "./vendors/anthropic.ts";
import { corpus } from "./vendors/corpus.ts";
import { geminiProblems, geminiResultProblems } from "./vendors/gemini.ts";
import { inputSchema } from "./vendors/generated.ts";
import { isObject } from "./vendors/json-schema.ts";
import { openAiProblems, openAiResultProblems } from "./vendors/openai.ts";
import { results } from "./vendors/results.ts";

// The rules in `vendors` are written after what the vendors publish and answer, not after the
// converters: they are the judge.

const named = (schema: unknown, description = "Does it"): NamedTool => ({
  server: "s",
  name: "mcp__s__t",
  tool: { name: "t", description, inputSchema: schema as NamedTool["tool"]["inputSchema"] },
});

const vendors: Readonly<Record<string, (tool: NamedTool) => readonly string[]>> = {
  "OpenAI Chat": (tool) => openAiProblems(toOpenAiChatTool(tool).function),
  "OpenAI Responses": (tool) => openAiProblems(toOpenAiResponsesTool(tool)),
  "OpenAI Chat, strict": (tool) => openAiProblems(toOpenAiChatTool(tool, { strict: true }).function),
  "OpenAI Responses, strict": (tool) => openAiProblems(toOpenAiResponsesTool(tool, { strict: true })),
  Anthropic: (tool) => anthropicProblems(toAnthropicTool(tool)),
  Gemini: (tool) => geminiProblems(toGeminiFunction(tool)),
};

const shared = process.env["TENON_SHARED"] ?? fileURLToPath(new URL("../../../../shared", import.meta.url));
const upstream = join(shared, "data", "mcp-schema");

/** All schemas of tools in the upstream examples, and every definition of the protocol as one. */
function upstreamSchemas(): Schema[] {
  const found: Schema[] = [];
  for (const file of readdirSync(upstream, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".json")) {
      continue;
    }
    const document = JSON.parse(readFileSync(join(upstream, file), "utf8"), (key, value: unknown) => {
      if (key === "inputSchema" && isObject(value)) {
        found.push(value);
      }
      return value;
    }) as Record<string, unknown>;
    for (const key of ["definitions", "$defs"]) {
      for (const name of Object.keys(document[key] ?? {})) {
        found.push({ $ref: `#/${key}/${name}`, [key]: document[key] });
      }
    }
  }
  return found;
}

test("the corpus has at least 400 shapes, each under its own name", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(400);
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length);
});

test("the rules refuse what the vendors' own error texts are about", () => {
  const openAi = (parameters: Schema, strict = false): string =>
    openAiProblems({ name: "t", parameters: parameters, strict }).join();
  const of = (v: unknown): Schema => ({ type: "object", properties: { v } });
  const closed = (v: unknown): Schema => ({ ...of(v), required: ["v"], additionalProperties: false });
  expect(openAi(of({ type: "array" }))).toMatch(/missing items/);
  expect(openAi({ type: "object", properties: {}, anyOf: [{}] })).toMatch(/top level/);
  expect(openAi(of({ type: "any" }))).toMatch(/not valid/);
  expect(openAi(of("object"))).toMatch(/is not of type/);
  expect(openAi(closed({ description: "anything" }), true)).toMatch(/'type' key/);
  expect(openAi(closed({ type: "string", format: "uri" }), true)).toMatch(/not a valid format/);
  expect(openAi(of({ type: "string" }), true)).toMatch(/additionalProperties/);
  const anthropic = (schema: Schema): string => anthropicProblems({ name: "t", input_schema: schema }).join();
  expect(anthropic({ type: "object", properties: { $top: {} } })).toMatch(/Property keys/);
  expect(anthropic({ type: "object", oneOf: [{}] })).toMatch(/top level/);
  expect(anthropic(of({ type: "number", exclusiveMinimum: true }))).toMatch(/not valid/);
  const gemini = (v: unknown): string =>
    geminiProblems({ name: "t", parameters: { type: "OBJECT", properties: { v } } }).join();
  expect(gemini({ description: "a JSON value" })).toMatch(/schema type field/);
  expect(gemini({ type: "ARRAY" })).toMatch(/missing field/);
  expect(gemini({ type: "STRING", anyOf: [{ type: "STRING" }] })).toMatch(/only field/);
  expect(gemini({ type: "INTEGER", enum: ["1"] })).toMatch(/enum/);
  expect(gemini({ type: "OBJECT", additionalProperties: {} })).toMatch(/Unknown name/);
});

test.each(Object.entries(vendors))("%s takes every tool of the corpus", (_, problemsOf) => {
  const refused = corpus.flatMap(({ name, schema }) => {
    const problems = problemsOf(named(schema));
    return problems.length === 0 ? [] : [`${name}: ${problems.slice(0, 2).join("; ")}`];
  });
  expect(refused).toEqual([]);
});

test.skipIf(!existsSync(upstream)).each(Object.entries(vendors))(
  "%s takes the protocol's own tools, and its definitions as tools",
  (_, problemsOf) => {
    const schemas = upstreamSchemas();
    expect(schemas.length).toBeGreaterThan(500);
    expect(schemas.flatMap((schema) => problemsOf(named(schema))).slice(0, 3)).toEqual([]);
  },
);

/** 100,000 by hand or at night. */
const runs = Number(process.env["TENON_VENDOR_RUNS"] ?? 250);

test.each(Object.entries(vendors))("%s takes whatever schema a server invents", (_, problemsOf) => {
  for (let seed = 1; seed <= runs; seed++) {
    const schema = inputSchema(seed);
    const problems = problemsOf(named(schema));
    expect(problems.length === 0 ? [] : { seed, problems, schema }).toEqual([]);
  }
});

test("names and descriptions that a vendor refuses are mended", () => {
  for (const name of ["", "a b", "1st", "größe", "x".repeat(65), "mcp__s__ok"]) {
    const tool = { ...named({ type: "object" }, "z".repeat(2800)), name };
    for (const problemsOf of Object.values(vendors)) {
      expect(problemsOf(tool)).toEqual([]);
    }
  }
  const { description } = toOpenAiChatTool(named({}, `${"z".repeat(1022)}🎉${"z".repeat(50)}`)).function;
  expect(description).toBe(`${"z".repeat(1022)}…`);
  const whole = toOpenAiChatTool(named({}, "z".repeat(2800)), { maxDescriptionLength: Infinity });
  expect(whole.function.description).toHaveLength(2800);
});

test.each(Object.entries(results))("every vendor takes a result with %s", (_, content) => {
  for (const isError of [false, true]) {
    const result = { content, isError } as CallToolResult;
    expect(openAiResultProblems(toOpenAiChatMessages("c", result))).toEqual([]);
    expect(openAiResultProblems(toOpenAiResponsesOutput("c", result))).toEqual([]);
    expect(anthropicResultProblems(toAnthropicToolResult("c", result))).toEqual([]);
    expect(geminiResultProblems(toGeminiParts("t", result, "c"))).toEqual([]);
  }
});

test("images are shown whatever way their type and data are written", () => {
  const png = "iVBORw0KGgo=";
  const written = [
    { data: png, mimeType: "image/png" },
    { data: png, mimeType: "IMAGE/PNG" },
    { data: png, mimeType: "image/png; charset=binary" },
    { data: png, mimeType: "image/x-png" },
    { data: png, mimeType: "image/jpeg" },
    { data: png, mimeType: "image/*" },
    { data: png, mimeType: "application/octet-stream" },
    { data: `data:image/png;base64,${png}`, mimeType: "image/png" },
    { data: `data:image/png;base64,${png}`, mimeType: "" },
    { data: `${png.slice(0, 4)}\r\n${png.slice(4)}`, mimeType: "image/png" },
    { data: png.replace("=", ""), mimeType: "image/png" },
  ];
  for (const image of written) {
    const result = { content: [{ type: "image", ...image }] } as CallToolResult;
    expect(toAnthropicToolResult("c", result).content).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    ]);
    expect(toOpenAiResponsesOutput("c", result).output).toEqual([
      { type: "input_image", image_url: `data:image/png;base64,${png}`, detail: "auto" },
    ]);
  }
});
