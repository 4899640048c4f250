import type { RequestId } from "../message.ts";

/** The beginning of an envelope: its scalar properties, up to the payload. */
export interface EnvelopeHead {
  jsonrpc: boolean;
  id: RequestId | undefined;
  method: string | undefined;
  /** The property whose value starts at `at`; `undefined` if the envelope ended before. */
  payload: "params" | "result" | "error" | undefined;
  /** The index at which the payload starts, or the index of the closing brace. */
  at: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const closingBrace = 0x7d;
const space = 0x20;

/**
 * The usual beginning of a request or a result. A line is a part of a longer text, of which a
 * regular expression reads characters several times as fast as other code.
 */
const usualHead = /\{"jsonrpc":"2\.0","id":(?:0|[1-9]\d{0,14}),(?:"method":"[\w/.$-]+","params"|"result"):/y;
const usualStart = '{"jsonrpc":"2.0","id":'.length;
const beforeMethod = ',"method":"'.length;
const afterMethod = '","params":'.length;

/**
 * Reads the properties of an envelope that precede its payload. It supports the usual output of
 * encoders: JSON in one line without escapes in IDs and method names. For any other text, including
 * a repeated property, it returns `undefined`, and the caller parses the whole text.
 */
export function readHead(text: string): EnvelopeHead | undefined {
  usualHead.lastIndex = 0;
  if (usualHead.test(text)) {
    return headUntil(text, usualHead.lastIndex);
  }
  if (text.charCodeAt(0) !== 0x7b) {
    return undefined;
  }
  const head: EnvelopeHead = { jsonrpc: false, id: undefined, method: undefined, payload: undefined, at: 1 };
  for (;;) {
    if (!readMember(text, head)) {
      return undefined;
    }
    if (head.payload !== undefined) {
      return head;
    }
    const next = text.charCodeAt(head.at);
    if (next === closingBrace) {
      return head;
    }
    if (next !== comma) {
      return undefined;
    }
    head.at = skipSpace(text, head.at + 1);
  }
}

/** Reads a head that matches {@link usualHead} and ends at `end`. */
function headUntil(text: string, end: number): EnvelopeHead {
  let at = usualStart;
  let id = 0;
  for (let code = text.charCodeAt(at); code !== comma; code = text.charCodeAt(++at)) {
    id = id * 10 + code - 0x30;
  }
  return text.charCodeAt(end - 3) === 0x74 // the t of result
    ? { jsonrpc: true, id, method: undefined, payload: "result", at: end }
    : {
        jsonrpc: true,
        id,
        method: text.slice(at + beforeMethod, end - afterMethod),
        payload: "params",
        at: end,
      };
}

function readMember(text: string, head: EnvelopeHead): boolean {
  const { at } = head;
  if (text.charCodeAt(at) !== quote) {
    return false;
  }
  switch (text.charCodeAt(at + 1)) {
    case 0x6a: // j
      return readVersion(text, head);
    case 0x69: // i
      return (
        text.startsWith('"id":', at) && head.id === undefined && readId(text, head, skipSpace(text, at + 5))
      );
    case 0x6d: // m
      return (
        text.startsWith('"method":', at) &&
        head.method === undefined &&
        readMethod(text, head, skipSpace(text, at + 9))
      );
    case 0x70: // p
      return readPayload(text, head, "params");
    case 0x72: // r
      return readPayload(text, head, "result");
    case 0x65: // e
      return readPayload(text, head, "error");
    default:
      return false;
  }
}

function readVersion(text: string, head: EnvelopeHead): boolean {
  if (head.jsonrpc || !text.startsWith('"jsonrpc":', head.at)) {
    return false;
  }
  const value = skipSpace(text, head.at + 10);
  head.jsonrpc = text.startsWith('"2.0"', value);
  head.at = value + 5;
  return head.jsonrpc;
}

function readId(text: string, head: EnvelopeHead, start: number): boolean {
  if (text.charCodeAt(start) === quote) {
    const end = endOfPlainString(text, start);
    if (end < 0) {
      return false;
    }
    head.id = text.slice(start + 1, end);
    head.at = end + 1;
    return true;
  }
  let at = start;
  let value = 0;
  for (let digit = text.charCodeAt(at) - 0x30; digit >= 0 && digit <= 9; digit = text.charCodeAt(at) - 0x30) {
    value = value * 10 + digit;
    at++;
  }
  // A leading zero, a sign, a fraction or an exponent: not how an id is usually written.
  if (at === start || at - start > 15 || (value === 0 ? at - start > 1 : text.charCodeAt(start) === 0x30)) {
    return false;
  }
  head.id = value;
  head.at = at;
  return true;
}

function readMethod(text: string, head: EnvelopeHead, start: number): boolean {
  const end = text.charCodeAt(start) === quote ? endOfPlainString(text, start) : -1;
  if (end < 0) {
    return false;
  }
  head.method = text.slice(start + 1, end);
  head.at = end + 1;
  return true;
}

function readPayload(text: string, head: EnvelopeHead, name: "params" | "result" | "error"): boolean {
  // Counted from the quote: the name, two quotes and the colon.
  const value = head.at + name.length + 3;
  if (
    !text.startsWith(name, head.at + 1) ||
    text.charCodeAt(value - 2) !== quote ||
    text.charCodeAt(value - 1) !== 0x3a
  ) {
    return false;
  }
  head.payload = name;
  head.at = value;
  return true;
}

/**
 * The index of the quote that closes the string opened at `start`; `-1` if it has escapes, or
 * characters that JSON forbids.
 */
function endOfPlainString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      return at;
    }
    if (code === backslash || code < space) {
      return -1;
    }
  }
  return -1;
}

function skipSpace(text: string, at: number): number {
  return text.charCodeAt(at) === space ? at + 1 : at;
}
