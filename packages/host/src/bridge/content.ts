import type { CallToolResult, ContentBlock } from "@tenon/protocol";

import { isWhole } from "../block.ts";

/** A part of a result, independent of the server. Binary data is base64. */
export type EngineContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "media"; readonly data: string; readonly mediaType: string }
  | {
      readonly type: "resource";
      readonly uri: string;
      readonly mediaType?: string | undefined;
      /** Absent if the resource is only named. */
      readonly text?: string | undefined;
    };

/** The result of a tool for an engine. */
export interface EngineResult {
  readonly content: readonly EngineContent[];
  readonly isError: boolean;
}

/**
 * Converts a result to engine content: text unchanged, images and audio as media, and resources
 * with their URI. Unknown or incomplete blocks become JSON. `_meta` is omitted.
 *
 * @source S-281
 */
export function toEngineResult({ content, structuredContent, isError }: CallToolResult): EngineResult {
  const converted = content.map(toEngineContent);
  // A server may leave out the text that repeats its structured content.
  const isMissing = converted.length === 0 && structuredContent !== undefined;
  return {
    content: isMissing ? [{ type: "text", text: JSON.stringify(structuredContent) }] : converted,
    isError: isError === true,
  };
}

function toEngineContent(block: ContentBlock): EngineContent {
  if (!isWhole(block)) {
    return { type: "text", text: JSON.stringify(block) };
  }
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: "media", data: block.data, mediaType: block.mimeType };
    case "resource_link":
      return { type: "resource", uri: block.uri, mediaType: block.mimeType };
    case "resource": {
      const { resource } = block;
      return "text" in resource
        ? { type: "resource", uri: resource.uri, mediaType: resource.mimeType, text: resource.text }
        : { type: "media", data: resource.blob, mediaType: resource.mimeType ?? "application/octet-stream" };
    }
  }
}

/** One part as text. */
export function textOf(part: EngineContent): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "media":
      return `[${part.mediaType}, ${Math.ceil((part.data.length * 3) / 4)} bytes]`;
    case "resource":
      return part.text === undefined ? `[resource ${part.uri}]` : `[resource ${part.uri}]\n${part.text}`;
  }
}
