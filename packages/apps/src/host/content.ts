import { isRecord } from "@tenon/base";
import type { ContentBlock, CreateMessageResult, EmbeddedResource, ResourceLink } from "@tenon/protocol";

/** The strings that a content block of each type must have. */
const required: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["data", "mimeType"],
  audio: ["data", "mimeType"],
  resource_link: ["uri", "name"],
  resource: [],
};

/**
 * Returns whether a value is a list of content blocks. Old views send one block in place of a list;
 * see {@link blocksOf}.
 */
export function isContent(value: unknown): value is ContentBlock[] {
  return Array.isArray(value) && value.every(isBlock);
}

/** Returns whether a value is a list of resources, inline or as links. */
export function isFiles(value: unknown): value is (EmbeddedResource | ResourceLink)[] {
  return isContent(value) && value.every(({ type }) => type === "resource" || type === "resource_link");
}

/** Wraps a single block in a list. Returns other values unchanged. */
export function blocksOf(value: unknown): unknown {
  return isRecord(value) ? [value] : value;
}

/** Returns whether a value is a message that a model wrote. */
export function isSampled(value: unknown): value is CreateMessageResult {
  if (!isRecord(value) || typeof value["model"] !== "string" || typeof value["role"] !== "string") {
    return false;
  }
  return isRecord(value["content"]) || Array.isArray(value["content"]);
}

function isBlock(value: unknown): boolean {
  if (!isRecord(value) || typeof value["type"] !== "string" || !Object.hasOwn(required, value["type"])) {
    return false;
  }
  const strings = required[value["type"]] ?? [];
  if (!strings.every((name) => typeof value[name] === "string")) {
    return false;
  }
  const { resource } = value;
  return (
    value["type"] !== "resource" ||
    (isRecord(resource) &&
      typeof resource["uri"] === "string" &&
      (typeof resource["text"] === "string" || typeof resource["blob"] === "string"))
  );
}
