import { ErrorCode } from "../error.ts";
import type { ExceededLimit, Malformed, RequestId } from "../message.ts";
import { readHead, type EnvelopeHead } from "./envelope.ts";
import { invalid } from "./invalid.ts";
import { headLength } from "./limits.ts";
import { readTail } from "./tail.ts";

const lenientUtf8 = /* @__PURE__ */ new TextDecoder("utf-8");

/** The usual beginnings of a response. */
const answerStart = /\{"(?:jsonrpc|id|result|error)":/g;
/** Maximum number of positions in a line that are examined. */
const maxStarts = 16;

/**
 * The response to a frame above `maxBytes`. Framings that skip such input use it too.
 *
 * @param start - The beginning of the frame. If it contains the ID, the call with this ID is
 *   rejected at once.
 */
export function tooLong(maxBytes: number, start: string | Uint8Array): Malformed {
  const text = typeof start === "string" ? start : lenientUtf8.decode(start.subarray(0, headLength));
  return refused(
    `the message is longer than ${maxBytes} bytes`,
    { name: "maxMessageBytes", maximum: maxBytes },
    text.slice(0, headLength),
  );
}

/**
 * The response to a frame that is not parsed, with its ID if it is visible.
 *
 * @param detail - How the frame exceeds the limit. The name of the limit is added.
 */
export function refused(detail: string, limit: ExceededLimit, text: string): Malformed {
  const head = readHead(text.slice(0, headLength));
  const malformed = { ...invalid(`${detail} (${limit.name})`, head && idOf(head, text)), limit };
  return head !== undefined && isAnswer(head) ? { ...malformed, response: true } : malformed;
}

/**
 * The response to a frame that is not JSON.
 *
 * @param text - If it begins like a response, its call is rejected at once. A response that begins
 *   later is only reported, because untrusted authors could have caused that output.
 */
export function notJson(detail: string, text = ""): Malformed {
  const malformed = { code: ErrorCode.ParseError, message: `Parse error: ${detail}` };
  let starts = 0;
  for (const { index } of text.matchAll(answerStart)) {
    const head = readHead(text.slice(index, index + headLength));
    const id = head !== undefined && isAnswer(head) ? idOf(head, text) : undefined;
    if (id !== undefined) {
      return index === 0 ? { malformed, id, response: true } : { malformed, stray: id };
    }
    if (++starts === maxStarts) {
      break;
    }
  }
  return { malformed };
}

/** The response to a frame in another encoding. Its call is rejected at once, too. */
export function notUtf8(bytes: Uint8Array): Malformed {
  return notJson("not valid UTF-8", lenientUtf8.decode(bytes));
}

function isAnswer({ method, payload }: EnvelopeHead): boolean {
  return method === undefined && (payload === "result" || payload === "error");
}

function idOf(head: EnvelopeHead, text: string): RequestId | undefined {
  return head.id ?? readTail(text)?.id;
}
