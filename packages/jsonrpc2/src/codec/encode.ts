import { LocalError } from "../error.ts";
import { isMany, type Message, type Outgoing } from "../message.ts";
import { preparedMember, preparedText, type PreparedMember } from "./prepared.ts";

/**
 * The JSON text of a message, or of several as one batch. Contains no line break, so it can be framed by lines.
 *
 * @throws `LocalError` `NOT_SERIALIZABLE` for what JSON cannot carry: a cycle, a bigint, a `toJSON` that throws, a result that is a function or otherwise
 *   absent from JSON, parameters that are neither an object nor an array in JSON.
 * @source R-251
 */
export function encode(message: Outgoing): string {
  if ("result" in message) {
    const prepared = preparedText(message.result);
    if (prepared !== undefined) {
      return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${prepared}}`;
    }
  }
  let text: string;
  let isLossy: boolean;
  try {
    isLossy = isMany(message) ? message.some(losesPayload) : losesPayload(message);
    text = isLossy || isMany(message) ? JSON.stringify(message) : textOf(message);
  } catch (cause) {
    throw new LocalError("NOT_SERIALIZABLE", "The message cannot be written as JSON.", { cause });
  }
  if (isLossy) {
    throw new LocalError(
      "NOT_SERIALIZABLE",
      "The message would lose its result or its parameters when written as JSON.",
    );
  }
  return text;
}

/** A prepared member is left out of what is written, and its text put in at the end. */
function textOf(message: Message): string {
  const payload = "method" in message ? message.params : "result" in message ? message.result : undefined;
  const member = typeof payload === "object" && payload !== null ? preparedMember(payload) : undefined;
  if (member === undefined || hasOwnJson(payload as object)) {
    return JSON.stringify(message);
  }
  const { [member.name as never]: _, ...rest } = payload as object;
  return withMember(JSON.stringify(carrying(message, rest)), member);
}

/** The message with another payload, as its last member. */
function carrying(message: Message, payload: object): object {
  if (!("method" in message)) {
    return { jsonrpc: "2.0", id: message.id, result: payload };
  }
  const { method } = message;
  return "id" in message
    ? { jsonrpc: "2.0", id: message.id, method, params: payload }
    : { jsonrpc: "2.0", method, params: payload };
}

/** Puts a member into the object that ends the text of an envelope. */
function withMember(text: string, { text: member }: PreparedMember): string {
  const isEmpty = text.endsWith("{}}");
  return `${text.slice(0, -2)}${isEmpty ? "" : ","}${member}}}`;
}

/** True if JSON drops the result, or turns the parameters into what parameters must not be. */
function losesPayload(message: Message): boolean {
  if ("method" in message) {
    const { params } = message;
    return params !== undefined && hasOwnJson(params) && !isStructured(toJson(params));
  }
  return "result" in message && isLost(message.result);
}

function isLost(result: unknown): boolean {
  if (typeof result === "object") {
    return result !== null && hasOwnJson(result) && toJson(result) === undefined;
  }
  return result === undefined || typeof result === "function" || typeof result === "symbol";
}

function hasOwnJson(value: object): boolean {
  return typeof value === "function" || ("toJSON" in value && typeof value.toJSON === "function");
}

function toJson(value: object): unknown {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

function isStructured(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
