import { isRecord } from "@tenon/base";

import { textOf, visibleLine } from "../output/escape.ts";

/** A line of a recording for people. */
export function summaryOf(line: string): string {
  const entry: unknown = JSON.parse(line);
  if (!isRecord(entry) || !isRecord(entry["message"])) {
    return visibleLine(line);
  }
  const { message, dir, at } = entry as {
    readonly message: Record<string, unknown>;
    readonly dir: string;
    readonly at: number;
  };
  const what = message["method"] ?? ("error" in message ? "error" : "result");
  return visibleLine(
    `${Math.round(at)} ms ${dir === "write" ? "→" : "←"} ${textOf(what)} ${JSON.stringify(message["id"] ?? "")}`,
  );
}
