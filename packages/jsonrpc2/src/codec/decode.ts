import { readLimits, type ResolvedLimits } from "../limits.ts";
import type { Incoming } from "../message.ts";
import { classify, invalid } from "./classify.ts";
import { exceedsDepth } from "./depth.ts";
import { decodeLimits, defaultLimits, type DecodeLimits } from "./limits.ts";
import { parseStrictly, type Parsed } from "./parse.ts";
import { notJson, refused, tooLong } from "./refused.ts";
import { exceedsValues } from "./values.ts";

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes one frame: text, or bytes in UTF-8. No input makes it throw: input that is not a message
 * is returned as `Malformed` with the error for the response.
 *
 * The text is parsed once; the result is the parsed object itself. Keys such as `__proto__` and
 * `constructor` are ordinary data.
 *
 * @param input - One JSON value. A byte order mark is tolerated, invalid UTF-8 is refused.
 * @param limits - See {@link DecodeLimits}.
 * @throws `TypeError` for limits that do not exist or are out of range.
 * @source R-111
 */
export function decode(input: string | Uint8Array, limits?: DecodeLimits): Incoming {
  return decodeWith(input, limits === undefined ? defaultLimits : readLimits(limits, decodeLimits));
}

/** {@link decode} with its limits checked once. @throws As {@link decode}. */
export function createDecoder(limits?: DecodeLimits): (input: string | Uint8Array) => Incoming {
  const resolved = readLimits(limits, decodeLimits);
  return (input) => decodeWith(input, resolved);
}

function decodeWith(input: string | Uint8Array, limits: ResolvedLimits<DecodeLimits>): Incoming {
  if (input.length > limits.maxMessageBytes) {
    return tooLong(limits.maxMessageBytes, input);
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
  if (exceedsValues(text, limits.maxValues)) {
    return refused(`more than ${limits.maxValues} values (maxValues)`, text);
  }
  let parsed: Parsed;
  try {
    parsed = parseStrictly(text);
  } catch {
    return notJson("not valid JSON", text);
  }
  const { value, problem } = parsed;
  // Each level costs at least two characters, so shorter text cannot be too deep.
  if (text.length >= 2 * limits.maxDepth && isTooDeep(value, limits.maxDepth)) {
    return refused(`nested deeper than ${limits.maxDepth} levels`, text);
  }
  return problem === undefined ? classify(value, limits) : invalid(problem);
}

function isTooDeep(value: unknown, maxDepth: number): boolean {
  return typeof value === "object" && value !== null && exceedsDepth(value, maxDepth);
}
