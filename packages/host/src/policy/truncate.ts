import type { CallToolResult, ContentBlock } from "@tenon/protocol";

import { isWhole } from "../block.ts";

/**
 * The property of a result's `_meta` that states how much was removed: `{ omitted, limit }`, both
 * in bytes.
 */
export const truncatedKey = "dev.tenon/truncated";

/**
 * Maximum length, as JSON, of the parts of a block or a result besides its payload: names, types,
 * `_meta`. The excess counts towards the limit of the result.
 */
const usualLength = 1024;

/**
 * Limits a result to `maxBytes` bytes of text (UTF-16 units) and base64. The excess is removed and
 * replaced by a mark that the model can read, and by {@link truncatedKey} in `_meta`.
 * `structuredContent`, and `_meta` with all other properties, are kept or removed as a whole. A
 * result within the limit is returned unchanged.
 */
export function truncateResult(result: CallToolResult, maxBytes: number): CallToolResult {
  if (maxBytes === Infinity) {
    return result;
  }
  const { content: blocks, structuredContent, isError, ...rest } = result;
  const structured = structuredContent === undefined ? 0 : JSON.stringify(structuredContent).length;
  const sizes = blocks.map(sizeOf);
  const sideLength = JSON.stringify(rest).length;
  const beside = sideLength > usualLength ? sideLength : 0;
  const total = sizes.reduce((sum, size) => sum + size, structured + beside);
  if (total <= maxBytes) {
    return result;
  }
  const keepsStructured = structured <= maxBytes;
  let left = maxBytes - (keepsStructured ? structured : 0);
  let omitted = beside + (keepsStructured ? 0 : structured);
  const content: ContentBlock[] = [];
  blocks.forEach((block, index) => {
    const size = sizes[index] ?? 0;
    if (size <= left) {
      left -= size;
      content.push(block);
      return;
    }
    if (block.type === "text" && left > 0 && isWhole(block) && block.text.length === size) {
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
  const kept = beside === 0 ? rest : {};
  return {
    ...kept,
    ...(isError === undefined ? {} : { isError }),
    ...(structuredContent === undefined || !keepsStructured ? {} : { structuredContent }),
    content,
    _meta: { ...kept._meta, [truncatedKey]: { omitted, limit: maxBytes } },
  };
}

/**
 * The size of a block: its text or data. Other properties and unknown blocks count too, so that a
 * server cannot evade the limit.
 */
function sizeOf(block: ContentBlock): number {
  const { payload, others } = isWhole(block) ? partsOf(block) : { payload: "", others: block };
  const besides = JSON.stringify(others).length;
  return payload.length + (others === block || besides > usualLength ? besides : 0);
}

function partsOf(block: ContentBlock): { readonly payload: string; readonly others: object } {
  switch (block.type) {
    case "text": {
      const { text, ...others } = block;
      return { payload: text, others };
    }
    case "image":
    case "audio": {
      const { data, ...others } = block;
      return { payload: data, others };
    }
    case "resource": {
      const { text, blob, ...named } = block.resource as { text?: string; blob?: string };
      return { payload: text ?? blob ?? "", others: { ...block, resource: named } };
    }
    case "resource_link": {
      const { uri, ...others } = block;
      return { payload: uri, others };
    }
  }
}

/** Not between the halves of a surrogate pair. */
function wholeCharacters(text: string, length: number): number {
  const last = text.charCodeAt(length - 1);
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length;
}
