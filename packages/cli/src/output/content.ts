import { isRecord } from "@tenon/base";

import { textOf, visible, visibleJson, visibleLine } from "./escape.ts";

/** A content block of a server as text for people. */
export function contentText(block: unknown): string {
  if (!isRecord(block)) {
    return visibleJson(block);
  }
  switch (block["type"]) {
    case "text":
      return visible(textOf(block["text"]));
    case "image":
    case "audio":
      return `[${visibleLine(textOf(block["mimeType"], block["type"]))}, ${sizeOf(block["data"])}]`;
    case "resource":
      return resourceText(block["resource"]);
    case "resource_link":
      return `[resource ${visibleLine(textOf(block["uri"]))}]`;
    default:
      return visibleJson(block, 2);
  }
}

/** The contents of a resource as text for people. */
export function resourceText(contents: unknown): string {
  if (!isRecord(contents)) {
    return visibleJson(contents);
  }
  return typeof contents["text"] === "string"
    ? visible(contents["text"])
    : `[${visibleLine(textOf(contents["mimeType"], "binary"))} ${visibleLine(textOf(contents["uri"]))}, ${sizeOf(contents["blob"])}]`;
}

/** The bytes of a block or of contents, as `--raw` writes them. */
export function contentBytes(block: unknown): Uint8Array {
  const holder = isRecord(block) && isRecord(block["resource"]) ? block["resource"] : block;
  if (!isRecord(holder)) {
    return Buffer.alloc(0);
  }
  const { text, data, blob } = holder;
  if (typeof text === "string") {
    return Buffer.from(text);
  }
  const encoded = data ?? blob;
  return typeof encoded === "string" ? Buffer.from(encoded, "base64") : Buffer.from(JSON.stringify(block));
}

function sizeOf(encoded: unknown): string {
  const bytes = typeof encoded === "string" ? Buffer.byteLength(encoded, "base64") : 0;
  return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1000)} kB`;
}
