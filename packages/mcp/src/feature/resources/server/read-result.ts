import { isRecord } from "@tenon/base";
import type { BlobResourceContents, ReadResourceResult, TextResourceContents } from "@tenon/protocol";

import { defined } from "../../../base/values.ts";
import { blobResource, textResource } from "./contents.ts";

type Contents = TextResourceContents | BlobResourceContents;

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
