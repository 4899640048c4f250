import { isRecord } from "@tenon/base";
import type { Cassette } from "@tenon/testing/cassette";

import { textOf } from "../output/escape.ts";

/** A request of a recording with its response. */
export interface Span {
  readonly connection: number;
  readonly id: unknown;
  readonly method: string;
  /** The tool, the prompt or the resource that the request names. */
  readonly subject: string | undefined;
  readonly from: "client" | "server";
  /** In milliseconds since the connection was opened. */
  readonly startMs: number;
  /** Absent if the recording has no response. */
  readonly durationMs: number | undefined;
  /** Messages that belong to the request, such as progress. */
  readonly messages: number;
  readonly error: string | undefined;
  readonly request: unknown;
  readonly response: unknown;
}

type Open = { -readonly [K in keyof Span]: Span[K] };

/** Pairs the requests of a recording with their responses, in the order of the requests. */
export function spansOf({ header, entries }: Cassette): readonly Span[] {
  const spans: Open[] = [];
  const open = new Map<string, Open>();
  for (const entry of entries) {
    const message = "message" in entry ? entry.message : undefined;
    if (!isRecord(message)) {
      continue;
    }
    const fromClient = (entry.dir === "write") === (header.side === "client");
    const from = fromClient ? "client" : "server";
    const { id, method } = message;
    const keyOf = (side: string): string => `${entry.connection} ${side} ${JSON.stringify(id)}`;
    if (typeof method === "string" && id !== undefined) {
      const span = newSpan(entry.connection, entry.at, from, message, method);
      spans.push(span);
      open.set(keyOf(from), span);
    } else if (typeof method === "string") {
      const token = isRecord(message["params"]) ? message["params"]["progressToken"] : undefined;
      const span = [...open.values()].find((each) => token !== undefined && tokenOf(each.request) === token);
      if (span !== undefined) {
        span.messages++;
      }
    } else {
      const key = keyOf(fromClient ? "server" : "client");
      const span = open.get(key);
      open.delete(key);
      if (span !== undefined) {
        span.durationMs = Math.round((entry.at - span.startMs) * 1000) / 1000;
        span.response = message;
        span.error = errorOf(message);
      }
    }
  }
  return spans;
}

function newSpan(
  connection: number,
  startMs: number,
  from: Span["from"],
  message: Record<string, unknown>,
  method: string,
): Open {
  const params = isRecord(message["params"]) ? message["params"] : {};
  const subject = params["name"] ?? params["uri"];
  return {
    connection,
    id: message["id"],
    method,
    subject: typeof subject === "string" ? subject : undefined,
    from,
    startMs,
    durationMs: undefined,
    messages: 0,
    error: undefined,
    request: message,
    response: undefined,
  };
}

function tokenOf(request: unknown): unknown {
  const params = isRecord(request) ? request["params"] : undefined;
  const meta = isRecord(params) ? params["_meta"] : undefined;
  return isRecord(meta) ? meta["progressToken"] : undefined;
}

function errorOf(message: Record<string, unknown>): string | undefined {
  const { error, result } = message;
  if (isRecord(error)) {
    return `${textOf(error["code"])} ${textOf(error["message"])}`;
  }
  return isRecord(result) && result["isError"] === true ? "isError" : undefined;
}
