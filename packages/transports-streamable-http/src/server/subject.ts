import type { Message } from "@tenon/jsonrpc2";

import { isRecord } from "../shared/meta.ts";

/** The notifications of which only the newest counts, and the param by which those about different things are told apart. */
const subjects: ReadonlyMap<string, string | undefined> = new Map([
  ["notifications/progress", "progressToken"],
  ["notifications/resources/updated", "uri"],
  ["notifications/resources/list_changed", undefined],
  ["notifications/tools/list_changed", undefined],
  ["notifications/prompts/list_changed", undefined],
]);

/** What a message is about, if a newer one about the same makes it worthless to a client that has not read it; `undefined` if every one counts. */
export function subjectOf(message: Message): string | undefined {
  if (!("method" in message) || "id" in message || !subjects.has(message.method)) {
    return undefined;
  }
  const param = subjects.get(message.method);
  const value = param === undefined || !isRecord(message.params) ? "" : message.params[param];
  return `${message.method} ${JSON.stringify(value)}`;
}
