import type { ResolvedLimits } from "@tenon/base";

import type { Message } from "../message.ts";
import { assemble, type Assembled } from "./assemble.ts";
import { exceedsDepth } from "./depth.ts";
import { isErrorObject } from "./invalid.ts";
import { valuesAllowed, type DecodeLimits } from "./limits.ts";
import { exceedsValues } from "./values.ts";

const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

/**
 * Decodes a message in the notation of most encoders. Returns `undefined` for any other notation,
 * for a batch, and for input that exceeds a limit or is not a message. For all other input,
 * `decode` returns an equal value.
 */
export function decodeUsual(
  input: string | Uint8Array,
  limits: ResolvedLimits<DecodeLimits>,
): Message | undefined {
  if (input.length > limits.maxMessageBytes) {
    return undefined;
  }
  const text = typeof input === "string" ? input : textOf(input);
  if (text === undefined || exceedsValues(text, valuesAllowed(limits.maxValues, text.length))) {
    return undefined;
  }
  const message = assemble(text);
  return message !== undefined && isMessage(message, limits) && !isTooDeep(message, text, limits)
    ? message
    : undefined;
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether the payload and the length of the ID are valid. */
function isMessage(message: Assembled, { maxIdLength }: ResolvedLimits<DecodeLimits>): message is Message {
  const { id, method, params, error } = message;
  if (typeof id === "string" && id.length > maxIdLength) {
    return false;
  }
  return method === undefined
    ? id !== undefined && (error === undefined || isErrorObject(error))
    : params === undefined || (typeof params === "object" && params !== null);
}

/** Each level costs at least two characters, so shorter text cannot be too deep. */
function isTooDeep(message: Message, text: string, { maxDepth }: ResolvedLimits<DecodeLimits>): boolean {
  return text.length >= 2 * maxDepth && exceedsDepth(message, maxDepth);
}
