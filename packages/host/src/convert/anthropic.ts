import type { CallToolResult } from "@tenon/protocol";

import { textOf, toEngineResult } from "../bridge/content.ts";
import type { NamedTool } from "../manager/options.ts";
import { objectSchema } from "./schema/object-root.ts";

/** A tool for Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
}

/**
 * Converts a definition for Anthropic's Messages API, which takes no union at the root of a schema:
 * its branches are merged there.
 */
export function toAnthropicTool({ name, tool }: NamedTool): AnthropicTool {
  return { name, description: tool.description ?? "", input_schema: { ...objectSchema(tool.inputSchema) } };
}

type ImageType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

/** A result for Anthropic's Messages API. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: (
    | { type: "text"; text: string }
    | { type: "image"; source: { type: "base64"; media_type: ImageType; data: string } }
  )[];
  is_error: boolean;
}

const imageTypes: ReadonlySet<string> = new Set<ImageType>([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

/**
 * Converts a result for Anthropic's Messages API. Images of the four supported types become images,
 * other media are named. Empty text blocks are omitted, because the API rejects them.
 */
export function toAnthropicToolResult(toolUseId: string, result: CallToolResult): AnthropicToolResult {
  const { content, isError } = toEngineResult(result);
  return {
    type: "tool_result",
    tool_use_id: toolUseId,
    is_error: isError,
    content: content
      .map((part): AnthropicToolResult["content"][number] =>
        part.type === "media" && imageTypes.has(part.mediaType)
          ? {
              type: "image",
              source: { type: "base64", media_type: part.mediaType as ImageType, data: part.data },
            }
          : { type: "text", text: textOf(part) },
      )
      .filter((part) => part.type !== "text" || part.text !== ""),
  };
}
