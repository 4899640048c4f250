import { isRecord } from "@tenon/base";
import type { CallToolResult } from "@tenon/protocol";

import type { NamedTool } from "../manager/options.ts";
import { reporterOf, type ConversionOptions } from "./change.ts";
import { cutDescription, functionName, wellFormedSchema } from "./definition.ts";
import { isCommonImage, vendorParts, vendorText, type Media, type VendorPart } from "./media.ts";
import { objectSchema } from "./schema/object-root.ts";
import { isLinearPattern } from "./schema/pattern.ts";
import { strictSchema } from "./schema/strict.ts";

/** Options of the conversions of definitions for OpenAI. */
export interface OpenAiToolOptions extends ConversionOptions {
  /**
   * Uses strict mode for the tools whose schemas can be said in it. Pass the arguments that come
   * back through `fromStrictArguments`. Default `false`.
   */
  readonly strict?: boolean | undefined;
  /**
   * Maximum length of a description, in characters. Longer descriptions are cut. Default `1024`,
   * which is the limit of Azure and of older models; `Infinity` cuts nothing.
   */
  readonly maxDescriptionLength?: number | undefined;
}

/** The limit of Azure and of older models of OpenAI. They reject the whole request otherwise. */
const maxDescription = 1024;

interface Definition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

function definitionOf({ name, tool }: NamedTool, options: OpenAiToolOptions): Definition {
  const report = reporterOf(name, options);
  const strictly = options.strict === true ? strictSchema(tool.inputSchema) : undefined;
  if (options.strict === true && strictly === undefined) {
    report?.("replaced", "/inputSchema", "Strict mode cannot express the schema, so the tool is not strict.");
  }
  const parameters = wellFormedSchema(
    strictly ?? objectSchema(tool.inputSchema, { isPattern: isLinearPattern, report }),
    report,
  );
  return {
    name: functionName(name, report),
    description: cutDescription(tool.description, options.maxDescriptionLength ?? maxDescription, report),
    parameters: { ...parameters },
    strict: strictly !== undefined,
  };
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
  return { type: "function", ...definitionOf(named, optionsOf(options)) };
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

/**
 * Converts a result for OpenAI's Responses API: images of the four supported types as data URLs,
 * other media by name.
 */
export function toOpenAiResponsesOutput(callId: string, result: CallToolResult): OpenAiResponsesOutput {
  const content = contentOf(result);
  // An empty list is not a result.
  const parts: readonly VendorPart[] = content.length === 0 ? [{ type: "text", text: "" }] : content;
  return {
    type: "function_call_output",
    call_id: callId,
    output: parts.map((part) =>
      part.type === "media"
        ? { type: "input_image", image_url: dataUrl(part), detail: "auto" }
        : { type: "input_text", text: part.text },
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
  return { type: "function", function: definitionOf(named, optionsOf(options)) };
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
  const content = contentOf(result);
  const images = content.filter((part) => part.type === "media");
  const answer: OpenAiChatMessage = { role: "tool", tool_call_id: callId, content: vendorText(content) };
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

function dataUrl({ mediaType, data }: Media): string {
  return `data:${mediaType};base64,${data}`;
}

/** Reports an error to the model in the text, because the format has no flag for errors. */
function contentOf(result: CallToolResult): readonly VendorPart[] {
  const { content, isError } = vendorParts(result, isCommonImage);
  return isError ? [{ type: "text", text: "The tool failed:" }, ...content] : content;
}
