import { RpcError } from "@tenon/jsonrpc2";
import { isRecord } from "@tenon/jsonrpc2/transport";
import type { BlobResourceContents, ReadResourceResult, TextResourceContents } from "@tenon/protocol";

import { defined } from "../../../base/values.ts";
import type { InputRequired } from "../../../request/server/input-required.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";

type Contents = TextResourceContents | BlobResourceContents;

/** Contents whose URI and media type may be left out: the server fills them in. @source S-155 */
export type PartialContents =
  | (Omit<TextResourceContents, "uri"> & { readonly uri?: string | undefined })
  | (Omit<BlobResourceContents, "uri"> & { readonly uri?: string | undefined });

/** A `resources/read` result whose contents are partial. */
export interface PartialReadResult extends Omit<ReadResourceResult, "contents"> {
  readonly contents: readonly PartialContents[];
}

/**
 * The return value of a resource's handler: a string, bytes, contents of one or several parts, a
 * complete result with caching hints, a request for input, or `undefined` if the resource does not
 * exist.
 */
export type ResourceReturn =
  | string
  | Uint8Array
  | PartialContents
  | readonly PartialContents[]
  | PartialReadResult
  | InputRequired
  | undefined;

/**
 * Creates text contents.
 *
 * @param mimeType - By default the MIME type of the resource's definition.
 * @source S-054
 */
export function textResource(uri: string, text: string, mimeType?: string): TextResourceContents {
  return mimeType === undefined ? { uri, text } : { uri, mimeType, text };
}

/**
 * Creates binary contents, as base64.
 *
 * @param mimeType - By default the MIME type of the resource's definition.
 * @source S-054, R-553
 */
export function blobResource(uri: string, bytes: Uint8Array, mimeType?: string): BlobResourceContents {
  const blob = toBase64(bytes);
  return mimeType === undefined ? { uri, blob } : { uri, mimeType, blob };
}

/** Returns the result for a handler's return value; `undefined` if the resource does not exist. */
export function toReadResult(
  returned: unknown,
  uri: string,
  mimeType: string | undefined,
): ReadResourceResult | undefined {
  if (returned === undefined) {
    return undefined;
  }
  if (isRecord(returned) && Array.isArray(returned["contents"])) {
    const contents = returned["contents"].map((piece) => toContents(piece, uri, mimeType));
    return { ...returned, contents };
  }
  const pieces: readonly unknown[] = Array.isArray(returned) ? returned : [returned];
  return { contents: pieces.map((piece) => toContents(piece, uri, mimeType)) };
}

function toContents(piece: unknown, uri: string, mimeType: string | undefined): Contents {
  if (typeof piece === "string") {
    return textResource(uri, piece, mimeType);
  }
  if (piece instanceof Uint8Array) {
    return blobResource(uri, piece, mimeType);
  }
  if (isRecord(piece) && (typeof piece["text"] === "string" || typeof piece["blob"] === "string")) {
    const filled: unknown = defined({
      ...piece,
      uri: piece["uri"] ?? uri,
      mimeType: piece["mimeType"] ?? mimeType,
    });
    return filled as Contents;
  }
  throw new TypeError(
    `The handler of resource ${uri} must return text, bytes, contents with "text" or "blob", or undefined.`,
  );
}

const chunk = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += chunk) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunk));
  }
  return btoa(binary);
}

const maxQuoted = 2048;
const maxShown = 200;

/**
 * The error for a resource that is not there, with the code of the request's revision.
 *
 * @source, T-37
 */
export function resourceNotFound(uri: string, rules: RevisionRules): RpcError {
  const quoted = uri.slice(0, maxQuoted);
  const shown = uri.length > maxShown ? `${uri.slice(0, maxShown)}…` : uri;
  return new RpcError(rules.resourceNotFound, `Resource not found: ${shown}`, { data: { uri: quoted } });
}
