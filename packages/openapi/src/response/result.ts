import { isRecord } from "@tenon/base";
import { mediaType as parseMediaType, retryAfter } from "@tenon/http/client";
import { ToolError } from "@tenon/mcp";
import type { CallToolResult, ContentBlock } from "@tenon/protocol";

import { toBase64 } from "../bytes/bytes.ts";
import { decodeText, readBytes } from "../bytes/read.ts";
import { isJsonType, isTextType } from "../operation/read-body.ts";
import { withoutSecrets, withoutSecretsIn } from "../redact.ts";
import { quoteLongIntegers } from "../schema/long-integers.ts";
import { cutJson } from "./cut.ts";

/** Options of {@link resultOf}. */
export interface ResultSetting {
  /** The operation, for errors: `GET /pets/{id}`. */
  readonly where: string;
  /** Origin and path of the request. */
  readonly url: string;
  /** Whether the tool has an output schema, so that the result must be structured. */
  readonly isStructured: boolean;
  /** Whether the output schema accepts objects only. */
  readonly isObject: boolean;
  /** Whether a response that does not match the document is refused. */
  readonly isStrict: boolean;
  readonly maxMessageBytes: number;
  readonly maxResultBytes: number;
  readonly secrets: readonly string[];
  /** Checks JSON against the documented schema. Returns the problem. */
  check(value: unknown): string | undefined;
  onWarning(message: string): void;
}

/** Maximum length of an excerpt of a body in an error. */
const maxExcerpt = 2000;

/**
 * Makes the result of a call from a successful response: JSON becomes structured content, images
 * and audio their own blocks, other bytes an embedded resource.
 *
 * @throws `ToolError` for a response that is too large or does not match the document.
 */
export async function resultOf(response: Response, setting: ResultSetting): Promise<CallToolResult> {
  const { where, maxMessageBytes, isStructured } = setting;
  const contentType = response.headers.get("content-type") ?? "";
  const type = parseMediaType(contentType) ?? "";
  const { bytes, isCut } = await readBytes(response, maxMessageBytes);
  if (isCut) {
    throw new ToolError(
      `${where}: the response has more than ${maxMessageBytes} bytes, and was not read further. Ask for less.`,
    );
  }
  if (bytes.length === 0) {
    return nothing(response, setting);
  }
  if (isJsonType(type) || (type === "" && isStructured)) {
    return jsonResult(decodeText(bytes, contentType), setting);
  }
  if (isStructured) {
    const text = decodeText(bytes, contentType);
    if (!setting.isStrict && isJsonObject(text)) {
      setting.onWarning(`${where}: the response is JSON, and its media type is ${type}.`);
      return jsonResult(text, setting);
    }
    throw new ToolError(
      `${where}: expected JSON; the API responded with ${response.status} and ${type}: ` +
        excerptOf(text, setting.secrets),
    );
  }
  return { content: [blockOf(bytes, contentType, type, setting)] };
}

/** Whether a string is a JSON object or array. Text of another type never is by chance. */
function isJsonObject(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) {
    return false;
  }
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function nothing(response: Response, { where, isStructured, isStrict }: ResultSetting): CallToolResult {
  const { status } = response;
  if (isStructured && isStrict) {
    throw new ToolError(`${where}: expected JSON; the API responded with ${status} and no content.`);
  }
  return {
    content: [{ type: "text", text: `The API responded with ${status} and no content.` }],
    ...(isStructured ? { structuredContent: {} } : {}),
  };
}

function jsonResult(received: string, setting: ResultSetting): CallToolResult {
  const { where, isStrict, maxResultBytes, secrets } = setting;
  // Parsed before the secrets are removed: JSON has several spellings of a string, and a secret
  // may be a number.
  const { value: original, hasLongIntegers } = parsed(received, setting);
  const value = withoutSecretsIn(original, secrets);
  const problem = setting.check(value);
  if (problem !== undefined) {
    const long = hasLongIntegers
      ? " (The response has integers beyond 2^53, which are strings here: JavaScript would round them.)"
      : "";
    const message = `${where}: the response does not match its schema: ${problem}${long}`;
    setting.onWarning(message);
    if (isStrict) {
      throw new ToolError(message);
    }
  }
  const text = JSON.stringify(value);
  if (text.length <= maxResultBytes) {
    return { content: [{ type: "text", text }], ...structured(value, setting) };
  }
  const cut = cutJson(value, maxResultBytes);
  if (cut === undefined) {
    throw new ToolError(
      `${where}: the response has ${text.length} characters; at most ${maxResultBytes} fit. Ask for less.`,
    );
  }
  return {
    content: [
      { type: "text", text: JSON.stringify(cut.value) },
      { type: "text", text: `The response was too long. Left out: ${cut.notes.join("; ")}.` },
    ],
    ...structured(cut.value, setting),
  };
}

/** Maximum depth of a response. Recursion into deeper values can overflow the stack. */
const maxDepth = 100;

/** The JSON of a response. @throws `ToolError` if it is not valid or too deep. */
function parsed(
  text: string,
  { where, secrets }: ResultSetting,
): { readonly value: unknown; readonly hasLongIntegers: boolean } {
  let value: unknown;
  let quoted: string | undefined;
  try {
    value = JSON.parse(text) as unknown;
    quoted = quoteLongIntegers(text);
    value = quoted === undefined ? value : (JSON.parse(quoted) as unknown);
  } catch {
    // Without the cause: its message quotes the response, which may repeat a secret.
    throw new ToolError(
      `${where}: the API responded with JSON that is not valid: ${excerptOf(text, secrets)}`,
    );
  }
  if (isDeeper(value, maxDepth)) {
    throw new ToolError(
      `${where}: the response is nested more than ${maxDepth} levels deep, and was not read further.`,
    );
  }
  return { value, hasLongIntegers: quoted !== undefined };
}

function isDeeper(value: unknown, depth: number): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    (depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1)))
  );
}

/**
 * Clients of all revisions accept objects as structured content. Under an output schema for
 * objects, another value is put into one, which only the lenient schema accepts.
 */
function structured(
  value: unknown,
  { isStructured, isObject }: ResultSetting,
): Pick<CallToolResult, "structuredContent"> {
  if (isStructured && isObject && !isRecord(value)) {
    return { structuredContent: { value } };
  }
  return isRecord(value) || isStructured ? { structuredContent: value } : {};
}

function blockOf(bytes: Uint8Array, contentType: string, type: string, setting: ResultSetting): ContentBlock {
  const { where, url, secrets, maxResultBytes } = setting;
  const isText = isTextType(type) || (type === "" && isUtf8(bytes));
  if (isText) {
    const text = withoutSecrets(decodeText(bytes, contentType), secrets);
    const note = `… (${text.length - maxResultBytes} of ${text.length} characters were left out)`;
    return {
      type: "text",
      text: text.length > maxResultBytes ? `${text.slice(0, maxResultBytes)}${note}` : text,
    };
  }
  if (bytes.length > maxResultBytes) {
    throw new ToolError(
      `${where}: the response has ${bytes.length} bytes of ${type}; at most ${maxResultBytes} fit into a result.`,
    );
  }
  const data = toBase64(bytes);
  if (type.startsWith("image/")) {
    return { type: "image", data, mimeType: type };
  }
  if (type.startsWith("audio/")) {
    return { type: "audio", data, mimeType: type };
  }
  return {
    type: "resource",
    resource: { uri: url, blob: data, mimeType: type === "" ? "application/octet-stream" : type },
  };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The start of a body in one line, for an error. */
function excerptOf(text: string, secrets: readonly string[]): string {
  // The secrets first: half of one, at the end of the excerpt, would not be found.
  const line = withoutSecrets(text, secrets)
    .slice(0, maxExcerpt * 2)
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return line.length > maxExcerpt ? `${line.slice(0, maxExcerpt)}…` : line;
}

/** How much of the body of an error is read, in bytes. */
const maxErrorBytes = 16_384;

/** The error for a response with an error status: status and excerpt, for the model to read. */
export async function errorOf(
  response: Response,
  {
    where,
    secrets,
    hint,
  }: { readonly where: string; readonly secrets: readonly string[]; readonly hint: string },
): Promise<ToolError> {
  const contentType = response.headers.get("content-type") ?? "";
  let body = "";
  try {
    const { bytes, isCut } = await readBytes(response, maxErrorBytes);
    const isReadable = /^$|^text\/|json|xml/.test(parseMediaType(contentType) ?? "");
    const text = isReadable ? decodeText(bytes, contentType) : "";
    // The end of a part may be half of a secret, of which each character may be an escape.
    const longest = Math.max(0, ...secrets.map(({ length }) => length)) * 6;
    body = excerptOf(isCut ? text.slice(0, Math.max(0, text.length - longest)) : text, secrets);
  } catch {
    // The status says enough.
  }
  const { status, statusText } = response;
  const reason = /^[\x20-\x7e]{1,80}$/.test(statusText) ? ` ${withoutSecrets(statusText, secrets)}` : "";
  const waitMs = retryAfter(response.headers.get("retry-after") ?? undefined);
  const later = waitMs === undefined ? "" : ` Retry after ${Math.ceil(waitMs / 1000)} seconds.`;
  return new ToolError(
    `${where}: the API responded with ${status}${reason}${body === "" ? "." : `: ${body}`}${hint}${later}`,
  );
}
