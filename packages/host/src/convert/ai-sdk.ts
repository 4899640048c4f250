import { isRecord } from "@tenon/base";
import type { CallToolResult } from "@tenon/protocol";

import type { ToolCaller } from "../bridge/bridge.ts";
import type { NamedTool } from "../manager/options.ts";
import { cutDescription, wellFormedSchema } from "./definition.ts";
import { vendorParts, vendorText } from "./media.ts";
import { anthropicKeys, fromMendedKeys, keysOf } from "./schema/keys.ts";
import { objectSchema } from "./schema/object-root.ts";
import { isLinearPattern } from "./schema/pattern.ts";

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

/** A tool for the Vercel AI SDK, version 6: the return type of its `dynamicTool`. */
export interface AiSdkTool<S> {
  type: "dynamic";
  description: string;
  inputSchema: S;
  /** Calls the tool. @throws As `Manager.callTool`. */
  execute(input: unknown, options: { abortSignal?: AbortSignal | undefined }): Promise<CallToolResult>;
  /** Converts what `execute` returned: see {@link toAiSdkOutput}. */
  toModelOutput(options: { output: unknown }): AiSdkOutput;
}

/**
 * Converts a tool for the Vercel AI SDK, which calls it through the manager. The schema is changed
 * as for the vendors, because the SDK passes it on to them; `execute` restores the original names.
 * Pass the tool to `generateText` in `tools`, under the qualified name: `tools[named.name] =
 * toAiSdkTool(named, manager, jsonSchema)`.
 *
 * @param jsonSchema - The function of that name of the package `ai`.
 */
export function toAiSdkTool<S>(
  { server, tool }: NamedTool,
  caller: ToolCaller,
  jsonSchema: (schema: never) => S,
): AiSdkTool<S> {
  return {
    type: "dynamic",
    description: cutDescription(tool.description, Infinity, undefined),
    inputSchema: jsonSchema(
      wellFormedSchema(
        objectSchema(tool.inputSchema, {
          keys: keysOf(tool.inputSchema, anthropicKeys),
          isPattern: isLinearPattern,
        }),
        undefined,
      ) as never,
    ),
    execute: (input, { abortSignal }) => {
      const args = fromMendedKeys(tool.inputSchema, isRecord(input) ? input : {}, anthropicKeys);
      return caller.callTool(server, tool.name, args, { signal: abortSignal });
    },
    toModelOutput: ({ output }) => toAiSdkOutput(output as CallToolResult),
  };
}

/** Converts a result for the Vercel AI SDK (`toModelOutput`). */
export function toAiSdkOutput(result: CallToolResult): AiSdkOutput {
  // The SDK passes media on to whichever vendor the model is of.
  const { content, isError } = vendorParts(result, () => true);
  if (isError) {
    return { type: "error-text", value: vendorText(content) };
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
        : part,
    ),
  };
}
