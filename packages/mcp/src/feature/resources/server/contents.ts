import type { BlobResourceContents, ReadResourceResult, TextResourceContents } from "@tenon/protocol";

import type { InputRequired } from "../../../request/server/input-required.ts";

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

const chunk = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let start = 0; start < bytes.length; start += chunk) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunk));
  }
  return btoa(binary);
}
