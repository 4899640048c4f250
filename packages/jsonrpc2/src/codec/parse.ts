import type { RequestId } from "../message.ts";
import { envelopeProblem } from "./envelope-problem.ts";
import { readHead, type EnvelopeHead } from "./envelope.ts";
import { readTail } from "./tail.ts";

/** A JSON value, and the problem in the notation of its envelope, if any. */
export interface Parsed {
  readonly value: unknown;
  readonly problem?: string | undefined;
}

/**
 * Parses a message and checks that no member of its envelope is repeated. `JSON.parse` alone cannot
 * detect that, and searching the whole text would cost as much again. Therefore the scalar members
 * before and after the payload are parsed here, and only the payload is passed to `JSON.parse`: if
 * it is one JSON value, it hides no further member. Any other notation is parsed as a whole and
 * searched.
 *
 * @throws `SyntaxError` if `text` is not JSON.
 */
export function parseStrictly(text: string): Parsed {
  const head = readHead(text);
  const value = head === undefined ? undefined : assemble(text, head);
  if (value !== undefined) {
    return { value };
  }
  const whole: unknown = JSON.parse(text);
  return {
    value: whole,
    problem: typeof whole === "object" && whole !== null ? envelopeProblem(text) : undefined,
  };
}

function assemble(text: string, head: EnvelopeHead): object | undefined {
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
function envelopeOf({ id, method, payload, jsonrpc }: EnvelopeHead, value: unknown): object | undefined {
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
): object | undefined {
  if (payload === undefined) {
    return id === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", id, method };
  }
  if (payload !== "params") {
    return undefined;
  }
  return id === undefined ? { jsonrpc: "2.0", method, params } : { jsonrpc: "2.0", id, method, params };
}
