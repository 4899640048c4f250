import { isRecord } from "@tenon/base";
import type { CallToolResult } from "@tenon/protocol";

import type { NamedTool } from "../manager/options.ts";
import { reporterOf, type ConversionOptions } from "./change.ts";
import { cutDescription, functionName, wellFormedSchema } from "./definition.ts";
import { isCommonImage, vendorParts } from "./media.ts";
import { anthropicKeys, fromMendedKeys, keysOf } from "./schema/keys.ts";
import type { Schema } from "./schema/keywords.ts";
import { objectSchema } from "./schema/object-root.ts";

/** A tool for Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: "object"; [keyword: string]: unknown };
}

/**
 * Converts a definition for Anthropic's Messages API. The schema is a valid one of JSON Schema
 * 2020-12, without a union at its root: the branches are merged there. Properties whose names the
 * API rejects have other names; {@link fromAnthropicArguments} is the way back.
 */
export function toAnthropicTool(named: NamedTool, options?: ConversionOptions): AnthropicTool;
/** The same without options: `tools.map(toAnthropicTool)`. */
export function toAnthropicTool(named: NamedTool): AnthropicTool;
export function toAnthropicTool({ name, tool }: NamedTool, options?: unknown): AnthropicTool {
  const report = reporterOf(name, isRecord(options) ? options : {});
  const keys = keysOf(tool.inputSchema, anthropicKeys);
  return {
    name: functionName(name, report),
    description: cutDescription(tool.description, Infinity, report),
    input_schema: wellFormedSchema(objectSchema(tool.inputSchema, { keys, report }), report),
  };
}

/**
 * The arguments that a model of Anthropic gave, under the names of the server's own schema. Without
 * renamed properties they are the same.
 *
 * @param schema - The `inputSchema` of the tool as its server has sent it.
 */
export function fromAnthropicArguments(
  schema: Schema,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return fromMendedKeys(schema, args, anthropicKeys);
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

/**
 * Converts a result for Anthropic's Messages API. Images of the four supported types become images,
 * other media are named. Text blocks without a visible character are omitted, because the API
 * rejects them. An error always has a text block.
 */
export function toAnthropicToolResult(toolUseId: string, result: CallToolResult): AnthropicToolResult {
  const { content, isError } = vendorParts(result, isCommonImage);
  const blocks = content
    .map((part): AnthropicToolResult["content"][number] =>
      part.type === "media"
        ? {
            type: "image",
            source: { type: "base64", media_type: part.mediaType as ImageType, data: part.data },
          }
        : part,
    )
    .filter((part) => part.type !== "text" || part.text.trim() !== "");
  return {
    type: "tool_result",
    tool_use_id: toolUseId,
    is_error: isError,
    content: isError && blocks.length === 0 ? [{ type: "text", text: "The tool failed." }] : blocks,
  };
}
