import { readLimits, type ResolvedLimits } from "@tenon/base";

import type { Incoming } from "../message.ts";
import { classify } from "./classify.ts";
import { exceedsDepth } from "./depth.ts";
import { envelopeProblem } from "./envelope-problem.ts";
import { invalid } from "./invalid.ts";
import { decodeLimits, defaultLimits, valuesAllowed, type DecodeLimits } from "./limits.ts";
import { notJson, notUtf8, refused, tooLong } from "./refused.ts";
import { decodeUsual } from "./usual.ts";
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
  const resolved = limits === undefined ? defaultLimits : readLimits(limits, decodeLimits);
  return decodeUsual(input, resolved) ?? decodeUnusual(input, resolved);
}

/** {@link decode} with its limits checked once. @throws As {@link decode}. */
export function createDecoder(limits?: DecodeLimits): (input: string | Uint8Array) => Incoming {
  const resolved = readLimits(limits, decodeLimits);
  return (input) => decodeUsual(input, resolved) ?? decodeUnusual(input, resolved);
}

/**
 * Decodes the input for which {@link decodeUsual} returned `undefined`. A repeated property of the
 * envelope is found by a search of the text, because `JSON.parse` keeps the last value.
 */
export function decodeUnusual(
  input: string | Uint8Array,
  { maxMessageBytes, maxDepth, ...limits }: ResolvedLimits<DecodeLimits>,
): Incoming {
  if (input.length > maxMessageBytes) {
    return tooLong(maxMessageBytes, input);
  }
  let text: string;
  if (typeof input === "string") {
    text = input.charCodeAt(0) === 0xfeff ? input.slice(1) : input;
  } else {
    try {
      text = utf8.decode(input);
    } catch {
      return notUtf8(input);
    }
  }
  const maxValues = valuesAllowed(limits.maxValues, text.length);
  if (exceedsValues(text, maxValues)) {
    return refused(`more than ${maxValues} values`, { name: "maxValues", maximum: maxValues }, text);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notJson("not valid JSON", text);
  }
  if (typeof value === "object" && value !== null) {
    if (exceedsDepth(value, maxDepth)) {
      return refused(`nested deeper than ${maxDepth} levels`, { name: "maxDepth", maximum: maxDepth }, text);
    }
    const problem = envelopeProblem(text, !Array.isArray(value) && !("method" in value));
    if (problem !== undefined) {
      return invalid(problem);
    }
  }
  return classify(value, limits);
}
