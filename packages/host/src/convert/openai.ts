import { isRecord } from "@tenon/jsonrpc2/transport";
import type { CallToolResult } from "@tenon/protocol";

import { textOf, toEngineResult, toText, type EngineContent } from "../bridge/content.ts";
import type { NamedTool } from "../manager/options.ts";
import type { Schema } from "./schema/inline-refs.ts";
import { objectSchema } from "./schema/object-root.ts";
import { strictSchema } from "./schema/strict.ts";

/** Options of the conversions of definitions for OpenAI. */
export interface OpenAiToolOptions {
  /**
   * Uses strict mode for the tools whose schemas can be said in it. Pass the arguments that come
   * back through `fromStrictArguments`. Default `false`.
   */
  readonly strict?: boolean | undefined;
}

function parametersOf(
  { tool }: NamedTool,
  { strict = false }: OpenAiToolOptions,
): { parameters: Record<string, unknown>; strict: boolean } {
  const strictly = strict ? strictSchema(tool.inputSchema) : undefined;
  const parameters: Schema = strictly ?? objectSchema(tool.inputSchema);
  return { parameters: { ...parameters }, strict: strictly !== undefined };
}

/** `map` of an array passes an index in place of the options. */
function optionsOf(given: unknown): OpenAiToolOptions {
  return isRecord(given) ? given : {};
}

/** A tool for OpenAI's Responses API. */
export interface OpenAiResponsesTool {
  type: "function";
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

/** Converts a definition for OpenAI's Responses API. */
export function toOpenAiResponsesTool(named: NamedTool, options?: OpenAiToolOptions): OpenAiResponsesTool;
/** The same without options: `tools.map(toOpenAiResponsesTool)`. */
export function toOpenAiResponsesTool(named: NamedTool): OpenAiResponsesTool;
export function toOpenAiResponsesTool(named: NamedTool, options?: unknown): OpenAiResponsesTool {
  return {
    type: "function",
    name: named.name,
    description: named.tool.description ?? "",
    ...parametersOf(named, optionsOf(options)),
  };
}

/** A result for OpenAI's Responses API. */
export interface OpenAiResponsesOutput {
  type: "function_call_output";
  call_id: string;
  output: (
    | { type: "input_text"; text: string }
    | { type: "input_image"; image_url: string; detail: "auto" }
  )[];
}

/** Converts a result for OpenAI's Responses API: images as data URLs, other media by name. */
export function toOpenAiResponsesOutput(callId: string, result: CallToolResult): OpenAiResponsesOutput {
  const { content } = withError(result);
  return {
    type: "function_call_output",
    call_id: callId,
    output: content.map((part) =>
      isImage(part)
        ? { type: "input_image", image_url: dataUrl(part), detail: "auto" }
        : { type: "input_text", text: textOf(part) },
    ),
  };
}

/** A tool for OpenAI's Chat Completions API. */
export interface OpenAiChatTool {
  type: "function";
  function: { name: string; description: string; parameters: Record<string, unknown>; strict: boolean };
}

/** Converts a definition for OpenAI's Chat Completions API. */
export function toOpenAiChatTool(named: NamedTool, options?: OpenAiToolOptions): OpenAiChatTool;
/** The same without options: `tools.map(toOpenAiChatTool)`. */
export function toOpenAiChatTool(named: NamedTool): OpenAiChatTool;
export function toOpenAiChatTool(named: NamedTool, options?: unknown): OpenAiChatTool {
  return {
    type: "function",
    function: {
      name: named.name,
      description: named.tool.description ?? "",
      ...parametersOf(named, optionsOf(options)),
    },
  };
}

/** Messages for OpenAI's Chat Completions API. */
export type OpenAiChatMessage =
  | { role: "tool"; tool_call_id: string; content: string }
  | { role: "user"; content: { type: "image_url"; image_url: { url: string } }[] };

/**
 * Converts a result for OpenAI's Chat Completions API. A tool message contains only text, so images
 * follow as a user message.
 */
export function toOpenAiChatMessages(callId: string, result: CallToolResult): OpenAiChatMessage[] {
  const { content } = withError(result);
  const images = content.filter(isImage);
  const answer: OpenAiChatMessage = { role: "tool", tool_call_id: callId, content: toText(content) };
  return images.length === 0
    ? [answer]
    : [
        answer,
        {
          role: "user",
          content: images.map((part) => ({ type: "image_url", image_url: { url: dataUrl(part) } })),
        },
      ];
}

type Media = Extract<EngineContent, { type: "media" }>;

function isImage(part: EngineContent): part is Media {
  return part.type === "media" && part.mediaType.startsWith("image/");
}

function dataUrl({ mediaType, data }: Media): string {
  return `data:${mediaType};base64,${data}`;
}

/** Reports an error to the model in the text, because the format has no flag for errors. */
function withError(result: CallToolResult): { content: readonly EngineContent[] } {
  const { content, isError } = toEngineResult(result);
  return { content: isError ? [{ type: "text", text: "The tool failed:" }, ...content] : content };
}
