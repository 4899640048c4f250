import { LocalError } from "../error.ts";
import { isMany, type Message, type Outgoing } from "../message.ts";
import { copyValue, notCopied } from "./copy-value.ts";
import { enveloped, isPlain, quoted, type PlainMessage } from "./envelope-text.ts";
import { preparedMember, preparedText, type PreparedMember } from "./prepared.ts";

/**
 * The JSON text of a message, or of several as one batch. Contains no line break, so it can be
 * framed by lines.
 *
 * @throws `LocalError` `NOT_SERIALIZABLE` for what JSON cannot carry: a cycle, a bigint, a `toJSON`
 *   that throws, a result that is a function or otherwise absent from JSON, parameters that are
 *   neither an object nor an array in JSON.
 * @source R-251
 */
export function encode(message: Outgoing): string {
  let text: string | undefined;
  try {
    text = isMany(message) ? batchText(message) : textOf(message);
  } catch (cause) {
    throw unwritable(cause);
  }
  if (text === undefined) {
    throw lossy();
  }
  return text;
}

/**
 * Returns the message that a receiver parses from the text of {@link encode}, usually without
 * writing that text.
 *
 * @throws The same errors as {@link encode}.
 */
export function copyOf(message: Outgoing): Outgoing {
  if (isMany(message) || !isPlain(message)) {
    return JSON.parse(encode(message)) as Outgoing;
  }
  if (!("method" in message)) {
    return { jsonrpc: "2.0", id: message.id, result: copyOfPayload(message, message.result) };
  }
  const { params } = message;
  return copyOfCall(message, params === undefined ? params : (copyOfPayload(message, params) as object));
}

function copyOfPayload(message: PlainMessage, payload: unknown): unknown {
  const isRefused = "method" in message && (typeof payload !== "object" || payload === null);
  try {
    const copy = isRefused ? notCopied : copyValue(payload);
    if (copy !== notCopied) {
      return copy;
    }
  } catch {
    // JSON says what is wrong, if anything: it can write more than can be copied.
  }
  let text: string | undefined;
  try {
    text = payloadText(message);
  } catch (cause) {
    throw unwritable(cause);
  }
  if (text === undefined) {
    throw lossy();
  }
  return JSON.parse(text);
}

function copyOfCall(
  message: Exclude<PlainMessage, { readonly result: unknown }>,
  params: object | undefined,
): Message {
  const { method } = message;
  if (!("id" in message) || message.id === undefined) {
    return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
  }
  const { id } = message;
  return params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
}

function unwritable(cause: unknown): LocalError {
  return new LocalError("NOT_SERIALIZABLE", "The message cannot be written as JSON.", { cause });
}

function lossy(): LocalError {
  return new LocalError(
    "NOT_SERIALIZABLE",
    "The message would lose its result or its parameters when written as JSON.",
  );
}

/** Returns `undefined` if the message would lose its payload. */
function textOf(message: Message): string | undefined {
  if (!isPlain(message)) {
    return losesPayload(message) ? undefined : JSON.stringify(message);
  }
  const payload = payloadText(message);
  return payload === undefined ? undefined : enveloped(message, payload);
}

function batchText(messages: readonly Message[]): string | undefined {
  const texts = messages.map(textOf);
  return texts.includes(undefined) ? undefined : `[${texts.join(",")}]`;
}

function losesPayload(message: Message): boolean {
  return "method" in message
    ? message.params !== undefined && paramsText(message.params) === undefined
    : "result" in message && jsonOf(message.result) === undefined;
}

/**
 * Returns the JSON of the params or of the result. `""` stands for no params, `undefined` for a
 * payload that would be lost.
 */
function payloadText(message: PlainMessage): string | undefined {
  if (!("method" in message)) {
    return preparedText(message.result) ?? jsonOf(message.result);
  }
  return message.params === undefined ? "" : paramsText(message.params);
}

/** Params must be an object or an array in JSON, whatever they are here. */
function paramsText(params: object): string | undefined {
  const text = jsonOf(params);
  return text?.startsWith("{") === true || text?.startsWith("[") === true ? text : undefined;
}

/** Returns the JSON of a value, with a copy of the text of its prepared property. */
function jsonOf(value: unknown): string | undefined {
  const member = preparedMember(value);
  return member === undefined || hasOwnJson(value as object)
    ? JSON.stringify(value)
    : textWith(value as Readonly<Record<string, unknown>>, member);
}

/** The prepared property comes last. */
function textWith(payload: Readonly<Record<string, unknown>>, prepared: PreparedMember): string {
  let text = "{";
  for (const name in payload) {
    if (name !== prepared.name) {
      const value = JSON.stringify(payload[name]) as string | undefined;
      text += value === undefined ? "" : `${quoted(name)}:${value},`;
    }
  }
  return `${text}${prepared.text}}`;
}

function hasOwnJson(value: object): boolean {
  return "toJSON" in value && typeof value.toJSON === "function";
}
