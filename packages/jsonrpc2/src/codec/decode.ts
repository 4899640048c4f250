import { ErrorCode } from "../error.ts";
import type { Incoming, Malformed } from "../message.ts";
import { classify, invalid } from "./classify.ts";
import { exceedsDepth } from "./depth.ts";
import { readHead } from "./envelope.ts";
import { type DecodeLimits, defaultLimits, resolveLimits, type ResolvedLimits } from "./limits.ts";
import { parseStrictly, type Parsed } from "./parse.ts";

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });
const lenientUtf8 = /* @__PURE__ */ new TextDecoder("utf-8");

/** How much of a frame that is too long is looked at to find its id. */
export const headLength = 1024;

/**
 * Decodes one frame: text, or bytes in UTF-8. Never throws: what is not a message comes back as `Malformed` with the error that a receiver answers it with.
 *
 * The text is parsed once; the result is the parsed object itself. Keys such as `__proto__` and `constructor` are ordinary data.
 *
 * @param input - One JSON value. A byte order mark is tolerated, invalid UTF-8 is refused.
 * @param limits - See {@link DecodeLimits}.
 * @source R-111
 */
export function decode(input: string | Uint8Array, limits?: DecodeLimits): Incoming {
  return decodeWith(input, limits === undefined ? defaultLimits : resolveLimits(limits));
}

/** {@link decode} with its limits resolved once. */
export function createDecoder(limits?: DecodeLimits): (input: string | Uint8Array) => Incoming {
  const resolved = resolveLimits(limits);
  return (input) => decodeWith(input, resolved);
}

function decodeWith(input: string | Uint8Array, limits: ResolvedLimits): Incoming {
  if (input.length > limits.maxBytes) {
    return tooLong(limits.maxBytes, input);
  }
  let text: string;
  if (typeof input === "string") {
    text = input.charCodeAt(0) === 0xfeff ? input.slice(1) : input;
  } else {
    try {
      text = utf8.decode(input);
    } catch {
      return notJson("not valid UTF-8");
    }
  }
  let parsed: Parsed;
  try {
    parsed = limits.duplicateKeys === "refuse" ? parseStrictly(text) : { value: JSON.parse(text) };
  } catch {
    return notJson("not valid JSON");
  }
  const { value, problem } = parsed;
  // Each level costs at least two characters, so shorter text cannot be too deep.
  if (text.length >= 2 * limits.maxDepth && isTooDeep(value, limits.maxDepth)) {
    return invalid(`nested deeper than ${limits.maxDepth} levels`);
  }
  return problem === undefined ? classify(value, limits) : invalid(problem);
}

function isTooDeep(value: unknown, maxDepth: number): boolean {
  return typeof value === "object" && value !== null && exceedsDepth(value, maxDepth);
}

/**
 * The answer to a frame beyond {@link DecodeLimits.maxBytes}; framings that skip such input use it too.
 *
 * @param start - How the frame began. If its id can be read there, the call it belongs to need not wait for ever.
 */
export function tooLong(maxBytes: number, start: string | Uint8Array): Malformed {
  const head = readHead(
    typeof start === "string"
      ? start.slice(0, headLength)
      : lenientUtf8.decode(start.subarray(0, headLength)),
  );
  const malformed = invalid(`the message is longer than ${maxBytes} bytes`, head?.id);
  const isResponse = head?.method === undefined && (head?.payload === "result" || head?.payload === "error");
  return isResponse ? { ...malformed, response: true } : malformed;
}

/** The answer to a frame that is no JSON at all. */
export function notJson(detail: string): Malformed {
  return { malformed: { code: ErrorCode.ParseError, message: `Parse error: ${detail}` } };
}
