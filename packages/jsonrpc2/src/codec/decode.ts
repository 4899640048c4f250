import type { Incoming } from "../message.ts";
import { classify, invalid } from "./classify.ts";
import { exceedsDepth } from "./depth.ts";
import { type DecodeLimits, defaultLimits, resolveLimits, type ResolvedLimits } from "./limits.ts";
import { parseStrictly, type Parsed } from "./parse.ts";
import { notJson, refused, tooLong } from "./refused.ts";
import { exceedsValues } from "./values.ts";

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

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
  if (exceedsValues(text, limits.maxValues)) {
    return refused(`more than ${limits.maxValues} values (maxValues)`, text);
  }
  let parsed: Parsed;
  try {
    parsed = limits.duplicateKeys === "refuse" ? parseStrictly(text) : { value: JSON.parse(text) };
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
