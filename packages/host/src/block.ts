import { isRecord } from "@tenon/base";
import type { ContentBlock } from "@tenon/protocol";

/**
 * True if a block of a type that the protocol has also has what makes up that type; servers may
 * send anything.
 */
export function isWhole(block: ContentBlock): boolean {
  switch (block.type) {
    case "text":
      return isText(block.text);
    case "image":
    case "audio":
      return isText(block.data) && isText(block.mimeType);
    case "resource_link":
      return isText(block.uri);
    case "resource":
      return isResource(block.resource);
    default:
      return false;
  }
}

/** True for the contents of a resource, with its URI and text or data. */
export function isResource(resource: unknown): boolean {
  return (
    isRecord(resource) &&
    isText(resource["uri"]) &&
    ("text" in resource ? isText(resource["text"]) : isText(resource["blob"]))
  );
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
