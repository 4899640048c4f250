import type { Message, RequestId } from "../message.ts";

/**
 * Messages whose envelope is written by hand: `JSON.stringify` would take longer for it than for
 * most payloads.
 */
export type PlainMessage = Exclude<Message, { readonly error: unknown }>;

/**
 * Whether a message is a request, a notification or a result that has the properties of its kind
 * and no others. Other messages may have properties of any name, which are sent with the message.
 */
export function isPlain(message: Message): message is PlainMessage {
  let properties = 0;
  // Messages have a plain prototype, so these are own properties.
  for (const _ in message) {
    properties++;
  }
  const id: unknown = "id" in message ? message.id : undefined;
  if (
    message.jsonrpc !== "2.0" ||
    !(typeof id === "string" || Number.isSafeInteger(id) || id === undefined)
  ) {
    return false;
  }
  return "method" in message
    ? properties === 2 + Number("id" in message) + Number("params" in message) &&
        typeof message.method === "string"
    : properties === 3 && "result" in message && id !== undefined;
}

/**
 * Returns the text of a message.
 *
 * @param payload - Its payload as JSON; `""` stands for no params.
 */
export function enveloped(message: PlainMessage, payload: string): string {
  if (!("method" in message)) {
    return `{"jsonrpc":"2.0","id":${idText(message.id)},"result":${payload}}`;
  }
  const id = "id" in message ? (message.id as RequestId | undefined) : undefined;
  const identified = id === undefined ? "" : `"id":${idText(id)},`;
  const params = payload === "" ? "" : `,"params":${payload}`;
  return `{"jsonrpc":"2.0",${identified}"method":${quoted(message.method)}${params}}`;
}

function idText(id: RequestId): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}

const maxKnown = 256;
const maxKnownLength = 64;
const known = new Map<string, string>();

/** Returns the JSON of a name. Peers use few names, and repeat them with every message. */
export function quoted(name: string): string {
  let text = known.get(name);
  if (text === undefined) {
    text = JSON.stringify(name);
    if (known.size < maxKnown && name.length <= maxKnownLength) {
      known.set(name, text);
    }
  }
  return text;
}
