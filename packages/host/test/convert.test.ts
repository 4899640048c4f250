import type Anthropic from "@anthropic-ai/sdk";
import type { FunctionDeclaration, Part } from "@google/genai";
import type { CallToolResult } from "@tenon/protocol";
import type { ToolModelMessage, ToolResultPart } from "ai";
import type OpenAI from "openai";
import { expect, expectTypeOf, test } from "vitest";

import {
  fromStrictArguments,
  geminiSchema,
  inlineRefs,
  strictSchema,
  toAiSdkOutput,
  toAnthropicTool,
  toAnthropicToolResult,
  toGeminiFunction,
  toGeminiParts,
  toOpenAiChatMessages,
  toOpenAiChatTool,
  toOpenAiResponsesOutput,
  toOpenAiResponsesTool,
  type AiSdkOutput,
  type AnthropicTool,
  type AnthropicToolResult,
  type GeminiPart,
  type NamedTool,
  type OpenAiChatMessage,
  type OpenAiChatTool,
  type OpenAiResponsesOutput,
  type OpenAiResponsesTool,
} from "../src/index.ts";

const named: NamedTool = {
  server: "s",
  name: "mcp__s__find",
  tool: {
    name: "find",
    description: "Finds",
    inputSchema: {
      type: "object",
      $defs: { place: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } },
      properties: {
        at: { $ref: "#/$defs/place" },
        limit: { type: ["integer", "null"], default: 5 },
        kind: { oneOf: [{ const: "a" }, { const: "b" }] },
      },
      required: ["at"],
    },
  },
};

const result: CallToolResult = {
  content: [
    { type: "text", text: "found" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "audio", data: "BBBB", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "x://1", text: "inside" } },
    { type: "resource_link", uri: "x://2", name: "two" },
  ],
  _meta: { secret: "of the host" },
};
const failed: CallToolResult = { content: [{ type: "text", text: "no such city" }], isError: true };
const rest = "[audio/wav, 3 bytes]";

test("definitions and results have the types of the vendors' own packages", () => {
  expectTypeOf<OpenAiResponsesTool>().toExtend<OpenAI.Responses.FunctionTool>();
  expectTypeOf<OpenAiResponsesOutput>().toExtend<OpenAI.Responses.ResponseInputItem.FunctionCallOutput>();
  expectTypeOf<OpenAiChatTool>().toExtend<OpenAI.ChatCompletionTool>();
  expectTypeOf<OpenAiChatMessage>().toExtend<OpenAI.ChatCompletionMessageParam>();
  expectTypeOf<AnthropicTool>().toExtend<Anthropic.Tool>();
  expectTypeOf<AnthropicToolResult>().toExtend<Anthropic.ToolResultBlockParam>();
  expectTypeOf<ReturnType<typeof toGeminiFunction>["name"]>().toExtend<FunctionDeclaration["name"]>();
  expectTypeOf<keyof ReturnType<typeof toGeminiFunction>>().toExtend<keyof FunctionDeclaration>();
  expectTypeOf<GeminiPart>().toExtend<Part>();
  expectTypeOf<AiSdkOutput>().toExtend<ToolResultPart["output"]>();
  expectTypeOf<ToolModelMessage["role"]>().toEqualTypeOf<"tool">();
});

test("every converter of definitions can be passed to map, which passes an index too", () => {
  const tools: readonly NamedTool[] = [named, named];
  const converted = [
    tools.map(toOpenAiResponsesTool) satisfies OpenAiResponsesTool[],
    tools.map(toOpenAiChatTool) satisfies OpenAiChatTool[],
    tools.map(toAnthropicTool),
    tools.map(toGeminiFunction),
  ];
  expect(converted).toEqual([
    [toOpenAiResponsesTool(named), toOpenAiResponsesTool(named)],
    [toOpenAiChatTool(named), toOpenAiChatTool(named)],
    [toAnthropicTool(named), toAnthropicTool(named)],
    [toGeminiFunction(named), toGeminiFunction(named)],
  ]);
});

test("OpenAI Responses: images are shown, other media named, errors told in words", () => {
  expect(toOpenAiResponsesTool(named)).toMatchObject({
    type: "function",
    name: "mcp__s__find",
    strict: false,
  });
  expect(toOpenAiResponsesOutput("c1", result)).toEqual({
    type: "function_call_output",
    call_id: "c1",
    output: [
      { type: "input_text", text: "found" },
      { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
      { type: "input_text", text: rest },
      { type: "input_text", text: "[resource x://1]\ninside" },
      { type: "input_text", text: "[resource x://2]" },
    ],
  });
  expect(toOpenAiResponsesOutput("c1", failed).output[0]).toEqual({
    type: "input_text",
    text: "The tool failed:",
  });
});

test("OpenAI Chat: the tool's message is text, and images follow as the user's", () => {
  expect(toOpenAiChatTool(named).function.name).toBe("mcp__s__find");
  expect(toOpenAiChatMessages("c1", result)).toEqual([
    {
      role: "tool",
      tool_call_id: "c1",
      content: `found\n[image/png, 3 bytes]\n${rest}\n[resource x://1]\ninside\n[resource x://2]`,
    },
    { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }] },
  ]);
  expect(toOpenAiChatMessages("c1", failed)).toHaveLength(1);
});

test("Anthropic: text and images as blocks, errors by their flag, no empty texts, no union at the root", () => {
  const { content, is_error } = toAnthropicToolResult("t1", {
    ...result,
    content: [...result.content, { type: "text", text: "" }],
  });
  expect(is_error).toBe(false);
  expect(content).toHaveLength(5);
  expect(content[1]).toEqual({
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "AAAA" },
  });
  expect(toAnthropicToolResult("t1", failed)).toMatchObject({
    is_error: true,
    content: [{ text: "no such city" }],
  });
  expect(toAnthropicTool(named).input_schema).toHaveProperty("$defs");
});

test("Gemini: schemas in its subset, and media beside the function's response", () => {
  expect(toGeminiFunction(named).parameters).toEqual({
    type: "OBJECT",
    properties: {
      at: { type: "OBJECT", properties: { city: { type: "STRING" } }, required: ["city"] },
      limit: { type: "INTEGER", nullable: true, default: 5 },
      kind: {
        anyOf: [
          { type: "STRING", enum: ["a"] },
          { type: "STRING", enum: ["b"] },
        ],
      },
    },
    required: ["at"],
  });
  const parts = toGeminiParts("mcp__s__find", { ...result, structuredContent: { n: 1 } }, "c1");
  expect(parts).toEqual([
    { functionResponse: { name: "mcp__s__find", id: "c1", response: { output: { n: 1 } } } },
    { inlineData: { mimeType: "image/png", data: "AAAA" } },
    { inlineData: { mimeType: "audio/wav", data: "BBBB" } },
  ]);
  expect(toGeminiParts("f", failed)).toEqual([
    { functionResponse: { name: "f", response: { error: "no such city" } } },
  ]);
});

test("Vercel AI SDK: content or an error in words", () => {
  expect(toAiSdkOutput(result)).toMatchObject({
    type: "content",
    value: [
      { text: "found" },
      { type: "image-data", mediaType: "image/png" },
      { type: "file-data", mediaType: "audio/wav" },
      { text: "[resource x://1]\ninside" },
      { text: "[resource x://2]" },
    ],
  });
  expect(toAiSdkOutput(failed)).toEqual({ type: "error-text", value: "no such city" });
});

test("structured content without a text is told as JSON, and what is meant for hosts never is", () => {
  expect(toOpenAiResponsesOutput("c", { content: [], structuredContent: { a: 1 } }).output).toEqual([
    { type: "input_text", text: '{"a":1}' },
  ]);
  for (const convert of [
    toAiSdkOutput,
    (r: CallToolResult) => toOpenAiChatMessages("c", r),
    (r: CallToolResult) => toAnthropicToolResult("c", r),
  ]) {
    expect(JSON.stringify(convert(result))).not.toContain("of the host");
  }
});

test("strict mode: closed objects, everything required, optional as null and back; what cannot be said is not said", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: "string", default: "x" },
      b: { type: "object", properties: { c: { type: "integer" } } },
      list: {
        type: "array",
        items: { type: "object", properties: { d: { type: "null" } }, required: ["d"] },
      },
    },
    required: ["b", "list"],
  };
  expect(strictSchema(schema)).toEqual({
    type: "object",
    additionalProperties: false,
    required: ["a", "b", "list"],
    properties: {
      a: { anyOf: [{ type: "string" }, { type: "null" }] },
      b: {
        type: "object",
        additionalProperties: false,
        required: ["c"],
        properties: { c: { anyOf: [{ type: "integer" }, { type: "null" }] } },
      },
      list: {
        type: "array",
        items: {
          type: "object",
          additionalProperties: false,
          required: ["d"],
          properties: { d: { type: "null" } },
        },
      },
    },
  });
  expect(fromStrictArguments(schema, { a: null, b: { c: null }, list: [{ d: null }] })).toEqual({
    b: {},
    list: [{ d: null }],
  });
  for (const hopeless of [
    { type: "object", additionalProperties: true },
    { type: "object", properties: { a: {} } },
    { type: "object", properties: { a: { type: "object", patternProperties: { x: {} } } } },
    { type: "object", properties: { a: { type: "string", format: "uri" } } },
    { type: "object", anyOf: [{ type: "object", properties: {} }] },
    nested(12),
    { oneOf: [] },
  ]) {
    expect(strictSchema(hopeless)).toBeUndefined();
  }
});

const withSchema = (inputSchema: object): NamedTool => ({
  ...named,
  tool: { ...named.tool, inputSchema: inputSchema as NamedTool["tool"]["inputSchema"] },
});

/** Objects in objects, so many levels deep. */
function nested(levels: number): Record<string, unknown> {
  return levels === 0
    ? { type: "string" }
    : { type: "object", properties: { a: nested(levels - 1) }, required: ["a"] };
}

test("a union at the root, which OpenAI, Anthropic and Gemini refuse, becomes one object that allows what any branch does", () => {
  const schema = {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
    oneOf: [
      { properties: { kind: { const: "file" }, path: { type: "string" } }, required: ["kind", "path"] },
      { $ref: "#/$defs/link" },
      { allOf: [{ properties: { kind: { const: "file" } }, required: ["kind"] }, { required: ["id"] }] },
    ],
    $defs: {
      link: { properties: { kind: { const: "link" }, url: { type: "string" } }, required: ["kind", "url"] },
    },
  };
  const flat = {
    type: "object",
    properties: {
      id: { type: "string" },
      kind: { anyOf: [{ const: "file" }, { const: "link" }] },
      path: { type: "string" },
      url: { type: "string" },
    },
    required: ["id", "kind"],
  };
  const tool = withSchema(schema);
  expect(toAnthropicTool(tool).input_schema).toEqual(flat);
  expect(toOpenAiResponsesTool(tool).parameters).toEqual(flat);
  expect(toOpenAiChatTool(tool, { strict: true }).function).toMatchObject({
    parameters: flat,
    strict: false,
  });
  expect(toGeminiFunction(tool).parameters).toMatchObject({
    type: "OBJECT",
    required: ["id", "kind"],
    properties: {
      kind: {
        anyOf: [
          { type: "STRING", enum: ["file"] },
          { type: "STRING", enum: ["link"] },
        ],
      },
    },
  });
  const onlyRequired = withSchema({ type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] });
  expect(toAnthropicTool(onlyRequired).input_schema).toEqual({ type: "object", properties: {} });
});

test("Gemini: what it refuses is not said: foreign formats, enums of numbers, anything beside anyOf, objects without properties", () => {
  const property = (schema: object): unknown =>
    geminiSchema({ type: "object", properties: { a: schema } })["properties"];
  expect(property({ type: "string", format: "uri", description: "Where" })).toEqual({
    a: { type: "STRING", description: "Where" },
  });
  expect(property({ type: "string", format: "date-time" })).toEqual({
    a: { type: "STRING", format: "date-time" },
  });
  expect(property({ type: "integer", enum: [1, 2], format: "int32" })).toEqual({
    a: { type: "INTEGER", format: "int32" },
  });
  expect(property({ const: 5 })).toEqual({ a: { type: "NUMBER" } });
  expect(property({ enum: ["x", null] })).toEqual({ a: { type: "STRING", nullable: true, enum: ["x"] } });
  expect(property({ anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "A" })).toEqual({
    a: { type: "STRING", nullable: true, default: null, title: "A" },
  });
  expect(property({ type: ["string", "integer"], description: "Which" })).toEqual({
    a: {
      anyOf: [
        { type: "STRING", description: "Which" },
        { type: "INTEGER", description: "Which" },
      ],
    },
  });
  expect(
    property({
      allOf: [{ type: "object", properties: { b: { type: "string" } }, required: ["b"] }],
      description: "All",
    }),
  ).toEqual({
    a: { type: "OBJECT", description: "All", properties: { b: { type: "STRING" } }, required: ["b"] },
  });
  expect(toGeminiFunction(withSchema({ type: "object" }))).not.toHaveProperty("parameters");
});

test("references to what is around them and endless depth end", () => {
  const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } };
  expect(JSON.stringify(inlineRefs(tree))).not.toContain("$ref");
  let deep: Record<string, unknown> = { type: "string" };
  for (let level = 0; level < 1000; level++) {
    deep = { type: "object", properties: { a: deep } };
  }
  expect(JSON.stringify(geminiSchema(deep)).length).toBeLessThan(5000);
  expect(inlineRefs({ $ref: "#/$defs/a~1b", $defs: { "a/b": { type: "string" } } })).toEqual({
    type: "string",
  });
  expect(inlineRefs({ $ref: "https://elsewhere.test" })).toEqual({});
});

test("a property may be named as a keyword is, and a default may look like a reference", () => {
  const schema = {
    type: "object",
    properties: {
      definitions: { type: "string" },
      $ref: { type: "string", default: { $ref: "#/nowhere" } },
      properties: { type: "object", properties: { $defs: { $ref: "#/$defs/name" } } },
    },
    $defs: { name: { type: "integer" } },
  };
  expect(inlineRefs(schema)).toEqual({
    type: "object",
    properties: {
      definitions: { type: "string" },
      $ref: { type: "string", default: { $ref: "#/nowhere" } },
      properties: { type: "object", properties: { $defs: { type: "integer" } } },
    },
  });
});
