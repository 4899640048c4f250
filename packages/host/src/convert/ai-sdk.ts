import type { CallToolResult } from "@tenon/protocol";

import { textOf, toEngineResult, toText } from "../bridge/content.ts";

/** The output of a tool for the Vercel AI SDK, version 6 (`toModelOutput`). */
export type AiSdkOutput =
  | { type: "error-text"; value: string }
  | {
      type: "content";
      value: (
        | { type: "text"; text: string }
        | { type: "image-data" | "file-data"; data: string; mediaType: string }
      )[];
    };

/** Converts a result for the Vercel AI SDK. With its `dynamicTool` and `jsonSchema(tool.inputSchema)` the definition needs no conversion. */
export function toAiSdkOutput(result: CallToolResult): AiSdkOutput {
  const { content, isError } = toEngineResult(result);
  if (isError) {
    return { type: "error-text", value: toText(content) };
  }
  return {
    type: "content",
    value: content.map((part) =>
      part.type === "media"
        ? {
            type: part.mediaType.startsWith("image/") ? "image-data" : "file-data",
            data: part.data,
            mediaType: part.mediaType,
          }
        : { type: "text", text: textOf(part) },
    ),
  };
}
