import { isRecord } from "@tenon/base";
import type { LogEntry } from "@tenon/jsonrpc2";

/** Requests that stay open as long as both sides like. */
const lasting = new Set(["subscriptions/listen"]);

/**
 * The requests of both sides that got no response, in order. Cancelled requests do not count, nor
 * do subscriptions.
 */
export function unansweredOf(wire: readonly LogEntry[], isAborted: (id: unknown) => boolean): unknown[] {
  const open = new Map<string, unknown>();
  for (const entry of wire) {
    const message: unknown = "message" in entry ? entry.message : undefined;
    if (entry.dir === "end" || !isRecord(message)) {
      continue;
    }
    const { dir } = entry;
    const { id, method, params } = message;
    const other = dir === "read" ? "write" : "read";
    if (method === "notifications/cancelled") {
      open.delete(keyOf(dir, isRecord(params) ? params["requestId"] : undefined));
    } else if (typeof method === "string" && id !== undefined) {
      if (!lasting.has(method)) {
        open.set(keyOf(dir, id), message);
      }
    } else if (method === undefined) {
      open.delete(keyOf(other, id));
    }
  }
  return [...open]
    .filter(([key, message]) => !(key.startsWith("write") && isRecord(message) && isAborted(message["id"])))
    .map(([, message]) => message);
}

function keyOf(dir: string, id: unknown): string {
  return `${dir} ${JSON.stringify(id)}`;
}
