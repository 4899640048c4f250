import type { RequestId } from "../message.ts";
import { readHead, type EnvelopeHead } from "./envelope.ts";
import { readTail } from "./tail.ts";

/** A message whose payload has not been checked. Its version and its method are valid. */
export interface Assembled {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId | null | undefined;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/**
 * Parses a message in the usual notation: its envelope by hand, its payload by `JSON.parse`.
 * Returns `undefined` for any other notation, for text that is not JSON, and if the envelope
 * repeats a property.
 */
export function assemble(text: string): Assembled | undefined {
  const head = readHead(text);
  if (head === undefined) {
    return undefined;
  }
  if (head.payload === undefined) {
    return head.at === text.length - 1 ? envelopeOf(head, undefined) : undefined;
  }
  const end = head.jsonrpc ? text.length - 1 : takeTail(text, head);
  if (text.charCodeAt(text.length - 1) !== 0x7d || end < head.at) {
    return undefined;
  }
  try {
    return envelopeOf(head, JSON.parse(text.slice(head.at, end)));
  } catch {
    return undefined;
  }
}

/**
 * Adds the properties after the payload to the head. Returns the index where they start, or `-1`
 * for an unusual notation.
 */
function takeTail(text: string, head: EnvelopeHead): number {
  const tail = readTail(text);
  if (tail === undefined || (tail.id !== undefined && head.id !== undefined)) {
    return -1;
  }
  head.id ??= tail.id;
  head.jsonrpc = true;
  return text.length - tail.length;
}

/**
 * The envelope as an object. Absent properties stay absent. Each kind has one shape, which engines
 * optimize.
 */
function envelopeOf({ id, method, payload, jsonrpc }: EnvelopeHead, value: unknown): Assembled | undefined {
  if (!jsonrpc) {
    return undefined;
  }
  if (method !== undefined) {
    return methodEnvelope(id, method, payload, value);
  }
  if (payload === "result") {
    return id === undefined ? { jsonrpc: "2.0", result: value } : { jsonrpc: "2.0", id, result: value };
  }
  return payload === "error" && id !== undefined ? { jsonrpc: "2.0", id, error: value } : undefined;
}

function methodEnvelope(
  id: RequestId | undefined,
  method: string,
  payload: string | undefined,
  params: unknown,
): Assembled | undefined {
  if (payload === undefined) {
    return id === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", id, method };
  }
  if (payload !== "params") {
    return undefined;
  }
  return id === undefined ? { jsonrpc: "2.0", method, params } : { jsonrpc: "2.0", id, method, params };
}
