import { isRecord } from "@tenon/base";
import { canonicalJson } from "@tenon/base/canonical-json";

import type { Cassette } from "./format.ts";

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** A request of the recorded client, and everything that the server wrote until its response. */
export interface Exchange {
  readonly request: Json;
  /** In the recorded order. The response, if the server sent one, is last. */
  readonly answers: readonly Json[];
}

/**
 * The exchanges of a cassette, in the order of their requests. Messages of the server belong to the
 * request whose stream they name, and otherwise to the request that was sent last.
 */
export function exchangesOf(cassette: Cassette): Exchange[] {
  const exchanges: { request: Json; answers: Json[]; key: string }[] = [];
  const fromClient = cassette.header.side === "client" ? "write" : "read";
  for (const entry of cassette.entries) {
    if (entry.dir === "end" || !("message" in entry)) {
      continue;
    }
    const messages: readonly unknown[] = Array.isArray(entry.message) ? entry.message : [entry.message];
    for (const message of messages.filter(isRecord)) {
      const key = `${entry.connection} ${entry.stream ?? ""}`;
      if (entry.dir !== fromClient) {
        const owner = "method" in message ? key : `${entry.connection} ${JSON.stringify(message["id"])}`;
        (exchanges.findLast((exchange) => exchange.key === owner) ?? exchanges.at(-1))?.answers.push(message);
      } else if ("method" in message && "id" in message) {
        exchanges.push({
          request: message,
          answers: [],
          key: `${entry.connection} ${JSON.stringify(message["id"])}`,
        });
      }
    }
  }
  return exchanges;
}

/** Properties of `params` that differ between runs of the same program. */
const volatileMembers = new Set(["_meta", "clientInfo", "cursor"]);

/**
 * The method and the parameters of a request as JSON, without the properties that differ between
 * runs. Two equal requests give the same string.
 */
export function questionOf(request: Json): string {
  const { method, params } = request;
  const kept = isRecord(params)
    ? Object.fromEntries(Object.entries(params).filter(([name]) => !volatileMembers.has(name)))
    : params;
  return canonicalJson([method, kept ?? {}]);
}
