import { isRecord } from "@tenon/base";
import type { Cassette, CassetteEntry } from "@tenon/testing/cassette";

const replayable = new Set([
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/get",
  "completion/complete",
  "tools/call",
]);

/** A request of the client that got a response. */
export interface RecordedRequest {
  readonly method: string;
  readonly params: unknown;
  readonly response: unknown;
  /** The entry that has the response. */
  readonly entry: CassetteEntry;
}

/** Returns the requests of the client that got a response and can be sent again. */
export function requestsOf({ entries, header }: Cassette): readonly RecordedRequest[] {
  const fromClient = header.side === "client" ? "write" : "read";
  const open = new Map<string, { method: string; params: unknown }>();
  const found: RecordedRequest[] = [];
  for (const entry of entries) {
    const message = "message" in entry ? entry.message : undefined;
    if (!isRecord(message)) {
      continue;
    }
    const key = `${entry.connection} ${JSON.stringify(message["id"])}`;
    const { method } = message;
    if (entry.dir === fromClient && typeof method === "string" && replayable.has(method)) {
      open.set(key, { method, params: message["params"] });
    }
    const request = entry.dir === fromClient ? undefined : open.get(key);
    if (request !== undefined && method === undefined) {
      open.delete(key);
      found.push({ ...request, response: message["result"] ?? message["error"], entry });
    }
  }
  return found;
}
