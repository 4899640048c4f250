import { isRecord } from "@tenon/base";
import type { CallToolResult } from "@tenon/protocol";

import type { NamedTool } from "../manager/options.ts";
import { reporterOf, type ConversionOptions } from "./change.ts";
import { cutDescription, functionName, wellFormedSchema } from "./definition.ts";
import { vendorParts, vendorText } from "./media.ts";
import { geminiParameters } from "./schema/gemini.ts";
import { fromMendedKeys, geminiKeys } from "./schema/keys.ts";
import type { Schema } from "./schema/keywords.ts";

/** A function declaration for Gemini. */
export interface GeminiFunction {
  name: string;
  description: string;
  /**
   * In Gemini's own subset of OpenAPI's schemas. Absent if the tool takes nothing: an object
   * without properties is refused.
   */
  parameters?: Record<string, unknown>;
}

/**
 * Converts a definition for Gemini. References are inlined, keywords that Gemini does not support
 * are omitted, and everything has a type. Properties whose names Gemini rejects have other names;
 * {@link fromGeminiArguments} is the way back.
 */
export function toGeminiFunction(named: NamedTool, options?: ConversionOptions): GeminiFunction;
/** The same without options: `tools.map(toGeminiFunction)`. */
export function toGeminiFunction(named: NamedTool): GeminiFunction;
export function toGeminiFunction({ name, tool }: NamedTool, options?: unknown): GeminiFunction {
  const report = reporterOf(name, isRecord(options) ? options : {});
  const declaration = {
    name: functionName(name, report),
    description: cutDescription(tool.description, Infinity, report),
  };
  const parameters = wellFormedSchema(geminiParameters(tool.inputSchema, report), report);
  return parameters["properties"] === undefined
    ? declaration
    : { ...declaration, parameters: { ...parameters } };
}

/**
 * The arguments that a model of Gemini gave, under the names of the server's own schema. Without
 * renamed properties they are the same.
 *
 * @param schema - The `inputSchema` of the tool as its server has sent it.
 */
export function fromGeminiArguments(
  schema: Schema,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return fromMendedKeys(schema, args, geminiKeys);
}

/** Parts of a content for Gemini. */
export type GeminiPart =
  | { functionResponse: { name: string; id?: string; response: Record<string, unknown> } }
  | { inlineData: { mimeType: string; data: string } };

/** The media that Gemini reads. */
const mediaTypes: ReadonlySet<string> = new Set([
  ...["png", "jpeg", "webp", "heic", "heif"].map((type) => `image/${type}`),
  ...["wav", "mp3", "aiff", "aac", "ogg", "flac"].map((type) => `audio/${type}`),
  ...["mp4", "mpeg", "mov", "avi", "x-flv", "mpg", "webm", "wmv", "3gpp", "quicktime"].map(
    (type) => `video/${type}`,
  ),
  "application/pdf",
]);

/**
 * Converts a result for Gemini: structured content unchanged, otherwise text under `output` (or
 * `error`). Media that Gemini reads follow as separate parts; others are named in the text.
 */
export function toGeminiParts(name: string, result: CallToolResult, id?: string): GeminiPart[] {
  const { content, isError } = vendorParts(result, (mediaType) => mediaTypes.has(mediaType));
  const text = vendorText(content);
  const output = isError ? text : (result.structuredContent ?? text);
  const functionResponse = {
    name,
    ...(id === undefined ? {} : { id }),
    response: { [isError ? "error" : "output"]: output },
  };
  return [
    { functionResponse },
    ...content.flatMap((part) =>
      part.type === "media" ? [{ inlineData: { mimeType: part.mediaType, data: part.data } }] : [],
    ),
  ];
}
