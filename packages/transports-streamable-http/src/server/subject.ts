import { isRecord } from "@tenon/base";
import type { Message } from "@tenon/jsonrpc2";
import { findMethod } from "@tenon/protocol";

/**
 * Returns the subject of a message, if a newer message with the same subject replaces it for a
 * client that has not read it; `undefined` if every message counts.
 */
export function subjectOf(message: Message): string | undefined {
  if (!("method" in message) || "id" in message) {
    return undefined;
  }
  const by = findMethod(message.method)?.coalesceBy;
  if (by === undefined) {
    return undefined;
  }
  const params = isRecord(message.params) ? message.params : {};
  const [first = "", ...others] = by;
  const value = params[first];
  return others.length === 0 && typeof value === "number"
    ? `${message.method} [${value}]`
    : `${message.method} ${JSON.stringify(by.map((param) => params[param]))}`;
}
