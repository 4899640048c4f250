import type { CallToolResult, ContentBlock } from "@tenon/protocol";

/** The member of a result's `_meta` that says what was cut off: `{ omitted, limit }`, both in bytes. */
export const truncatedKey = "io.tenon/truncated";

/**
 * A result of at most `maxBytes` bytes of text (UTF-16 units) and base64. What is beyond is left out with a mark that the model reads, and {@link truncatedKey} in
 * `_meta`; `structuredContent` is kept whole or left out. A result that fits is returned as it is.
 */
export function truncateResult(result: CallToolResult, maxBytes: number): CallToolResult {
  if (maxBytes === Infinity) {
    return result;
  }
  const structured =
    result.structuredContent === undefined ? 0 : JSON.stringify(result.structuredContent).length;
  const sizes = result.content.map(sizeOf);
  const total = sizes.reduce((sum, size) => sum + size, structured);
  if (total <= maxBytes) {
    return result;
  }
  const { structuredContent, ...rest } = result;
  let left = maxBytes - (structured <= maxBytes ? structured : 0);
  const content: ContentBlock[] = [];
  let omitted = structured <= maxBytes ? 0 : structured;
  result.content.forEach((block, index) => {
    const size = sizes[index] ?? 0;
    if (size <= left) {
      left -= size;
      content.push(block);
      return;
    }
    if (block.type === "text" && left > 0) {
      content.push({ ...block, text: block.text.slice(0, wholeCharacters(block.text, left)) });
      omitted += size - left;
    } else {
      omitted += size;
    }
    left = 0;
  });
  content.push({
    type: "text",
    text: `[Truncated: ${omitted} of ${total} bytes were left out; the limit is ${maxBytes}.]`,
  });
  return {
    ...rest,
    ...(structuredContent === undefined || structured > maxBytes ? {} : { structuredContent }),
    content,
    _meta: { ...result._meta, [truncatedKey]: { omitted, limit: maxBytes } },
  };
}

function sizeOf(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "image":
    case "audio":
      return block.data.length;
    case "resource":
      return "text" in block.resource ? block.resource.text.length : block.resource.blob.length;
    case "resource_link":
      return block.uri.length;
    default:
      return 0;
  }
}

/** Not between the halves of a surrogate pair. */
function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}
