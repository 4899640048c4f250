import { createServer } from "node:http";

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type FunctionDeclaration } from "@google/genai";
import { originOnFreePort } from "@tenon/test-support/http";
import { generateText, jsonSchema, stepCountIs } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";

import {
  Manager,
  toAiSdkTool,
  toAnthropicTool,
  toAnthropicToolResult,
  toGeminiFunction,
  toGeminiParts,
  toOpenAiChatMessages,
  toOpenAiChatTool,
  toOpenAiResponsesOutput,
  toOpenAiResponsesTool,
  type NamedTool,
} from "../src/index.ts";
import { localServer } from "./fixture.ts";

// The vendors' own clients, against a server of ours that plays the model: it asks for the tool,
// and notes what it is sent.

const name = "mcp__maps__find";
const args = { city: "Ulm" };

const maps = localServer((server) => {
  server.addTool(
    {
      name: "find",
      description: "Finds a city",
      input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
    ({ city }) => ({
      content: [
        { type: "text", text: `${city} is on the Danube` },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    }),
  );
});

const manager = new Manager({ servers: { maps: maps.spec } });
const bodies: Record<string, unknown>[] = [];
let answers: unknown[] = [];
const http = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  request.on("end", () => {
    bodies.push(JSON.parse(text) as Record<string, unknown>);
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answers.shift()));
  });
});
let origin = "";
let tool: NamedTool;

beforeAll(async () => {
  origin = await originOnFreePort(http);
  await manager.connectAll();
  const [first] = await manager.tools();
  if (first === undefined) {
    throw new Error("no tool");
  }
  tool = first;
});

afterAll(async () => {
  await manager.close();
  http.closeAllConnections();
  http.close();
});

/** What the model answers, one turn after the other; what was noted before is forgotten. */
function play(...turns: unknown[]): void {
  answers = turns;
  bodies.length = 0;
}

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const dataUrl = "data:image/png;base64,AAAA";

test("OpenAI Responses: the model asks for the tool, and is sent its text and its image", async () => {
  const client = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0 });
  const call = { type: "function_call", id: "f1", call_id: "c1", name, arguments: JSON.stringify(args) };
  play({ id: "r1", object: "response", output: [call] }, { id: "r2", object: "response", output: [] });
  const tools = [toOpenAiResponsesTool(tool, { strict: true })];
  const { output } = await client.responses.create({ model: "m", tools, input: "Where is Ulm?" });
  const [asked] = output;
  if (asked?.type !== "function_call") {
    throw new Error("no call");
  }
  const result = await manager.callToolByName(asked.name, JSON.parse(asked.arguments) as typeof args);
  await client.responses.create({
    model: "m",
    tools,
    input: [asked, toOpenAiResponsesOutput(asked.call_id, result)],
  });
  expect(bodies[0]?.["tools"]).toEqual([
    {
      type: "function",
      name,
      description: "Finds a city",
      strict: true,
      parameters: { ...schema, additionalProperties: false },
    },
  ]);
  expect(bodies[1]?.["input"]).toEqual([
    call,
    {
      type: "function_call_output",
      call_id: "c1",
      output: [
        { type: "input_text", text: "Ulm is on the Danube" },
        { type: "input_image", image_url: dataUrl, detail: "auto" },
      ],
    },
  ]);
});

test("OpenAI Chat: the model asks for the tool, and is sent its text as the tool's and its image as the user's", async () => {
  const client = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0 });
  const calls = [{ id: "c1", type: "function", function: { name, arguments: JSON.stringify(args) } }];
  play(
    { id: "1", choices: [{ index: 0, message: { role: "assistant", content: null, tool_calls: calls } }] },
    { id: "2", choices: [] },
  );
  const tools = [tool].map(toOpenAiChatTool);
  const messages = [{ role: "user", content: "Where is Ulm?" }] as const;
  const { choices } = await client.chat.completions.create({ model: "m", tools, messages: [...messages] });
  const message = choices[0]?.message;
  const asked = message?.tool_calls?.[0];
  if (message === undefined || asked?.type !== "function") {
    throw new Error("no call");
  }
  const result = await manager.callToolByName(
    asked.function.name,
    JSON.parse(asked.function.arguments) as typeof args,
  );
  await client.chat.completions.create({
    model: "m",
    tools,
    messages: [...messages, message, ...toOpenAiChatMessages(asked.id, result)],
  });
  expect(bodies[0]?.["tools"]).toEqual([
    {
      type: "function",
      function: {
        name,
        description: "Finds a city",
        strict: false,
        parameters: expect.objectContaining(schema),
      },
    },
  ]);
  const { messages: sent } = bodies[1] as { messages: unknown[] };
  expect(sent.slice(2)).toEqual([
    { role: "tool", tool_call_id: "c1", content: "Ulm is on the Danube\n[image/png, 3 bytes]" },
    { role: "user", content: [{ type: "image_url", image_url: { url: dataUrl } }] },
  ]);
});

test("Anthropic: the model asks for the tool, and is sent its blocks", async () => {
  const client = new Anthropic({ apiKey: "none", baseURL: origin, maxRetries: 0 });
  const use = { type: "tool_use", id: "u1", name, input: args };
  const common = { type: "message", role: "assistant", model: "m", usage: {} };
  play({ ...common, id: "m1", content: [use] }, { ...common, id: "m2", content: [] });
  const tools = [toAnthropicTool(tool)];
  const { content } = await client.messages.create({
    model: "m",
    max_tokens: 10,
    tools,
    messages: [{ role: "user", content: "Where is Ulm?" }],
  });
  const [asked] = content;
  if (asked?.type !== "tool_use") {
    throw new Error("no use");
  }
  const result = await manager.callToolByName(asked.name, asked.input as typeof args);
  await client.messages.create({
    model: "m",
    max_tokens: 10,
    tools,
    messages: [
      { role: "assistant", content },
      { role: "user", content: [toAnthropicToolResult(asked.id, result)] },
    ],
  });
  expect(bodies[0]?.["tools"]).toEqual([
    { name, description: "Finds a city", input_schema: expect.objectContaining(schema) },
  ]);
  const { messages: sent } = bodies[1] as { messages: unknown[] };
  expect(sent[1]).toEqual({
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "u1",
        is_error: false,
        content: [
          { type: "text", text: "Ulm is on the Danube" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
        ],
      },
    ],
  });
});

test("Gemini: the model asks for the tool, and is sent its response and its image", async () => {
  const client = new GoogleGenAI({ apiKey: "none", vertexai: false, httpOptions: { baseUrl: origin } });
  const functionCall = { id: "c1", name, args };
  play(
    { candidates: [{ content: { role: "model", parts: [{ functionCall }] } }] },
    { candidates: [{ content: { role: "model", parts: [{ text: "There." }] } }] },
  );
  const config = { tools: [{ functionDeclarations: [toGeminiFunction(tool) as FunctionDeclaration] }] };
  const { functionCalls } = await client.models.generateContent({ model: "m", contents: "Where?", config });
  const [asked] = functionCalls ?? [];
  const result = await manager.callToolByName(asked?.name ?? "", asked?.args ?? {});
  const parts = toGeminiParts(asked?.name ?? "", result, asked?.id);
  const { text } = await client.models.generateContent({
    model: "m",
    contents: [{ role: "user", parts }],
    config,
  });
  expect(text).toBe("There.");
  expect(bodies[0]?.["tools"]).toEqual([
    {
      functionDeclarations: [
        {
          name,
          description: "Finds a city",
          parameters: { type: "OBJECT", properties: { city: { type: "STRING" } }, required: ["city"] },
        },
      ],
    },
  ]);
  expect(bodies[1]?.["contents"]).toEqual([
    {
      role: "user",
      parts: [
        {
          functionResponse: {
            id: "c1",
            name,
            response: { output: "Ulm is on the Danube\n[image/png, 3 bytes]" },
          },
        },
        { inlineData: { mimeType: "image/png", data: "AAAA" } },
      ],
    },
  ]);
});

test("Vercel AI SDK: its own loop calls the tool, and gives the model what it gave", async () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const model = new MockLanguageModelV3({
    doGenerate: [
      {
        content: [{ type: "tool-call", toolCallId: "c1", toolName: name, input: JSON.stringify(args) }],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: [],
      },
      {
        content: [{ type: "text", text: "There." }],
        finishReason: { unified: "stop", raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });
  const { text } = await generateText({
    model,
    prompt: "Where is Ulm?",
    tools: { [tool.name]: toAiSdkTool(tool, manager, jsonSchema) },
    stopWhen: stepCountIs(2),
  });
  expect(text).toBe("There.");
  const [first, second] = model.doGenerateCalls;
  expect(first?.tools).toMatchObject([{ type: "function", name, inputSchema: schema }]);
  expect(second?.prompt.at(-1)).toMatchObject({
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c1",
        toolName: name,
        output: {
          type: "content",
          value: [
            { type: "text", text: "Ulm is on the Danube" },
            { type: "image-data", data: "AAAA", mediaType: "image/png" },
          ],
        },
      },
    ],
  });
});
