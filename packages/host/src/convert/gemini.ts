import type { CallToolResult } from "@tenon/protocol";

import { toEngineResult, toText } from "../bridge/content.ts";
import type { NamedTool } from "../manager/options.ts";
import { geminiSchema } from "./schema/gemini.ts";
import { objectSchema } from "./schema/object-root.ts";

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
 * Converts a definition for Gemini. References are inlined, and keywords that Gemini does not
 * support are omitted.
 */
export function toGeminiFunction({ name, tool }: NamedTool): GeminiFunction {
  const declaration = { name, description: tool.description ?? "" };
  const schema = objectSchema(tool.inputSchema);
  return Object.keys(schema["properties"] ?? {}).length === 0
    ? declaration
    : { ...declaration, parameters: { ...geminiSchema(schema) } };
}

/** Parts of a content for Gemini. */
export type GeminiPart =
  | { functionResponse: { name: string; id?: string; response: Record<string, unknown> } }
  | { inlineData: { mimeType: string; data: string } };

/**
 * Converts a result for Gemini: structured content unchanged, otherwise text under `output` (or
 * `error`). Media follow as separate parts.
 */
export function toGeminiParts(name: string, result: CallToolResult, id?: string): GeminiPart[] {
  const { content, isError } = toEngineResult(result);
  const output = isError ? toText(content) : (result.structuredContent ?? toText(content));
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
