import type { CallToolResult } from "@tenon/protocol";

import { textOf, toEngineResult, type EngineContent } from "../bridge/content.ts";

/** An image, a sound or another file: base64 without a prefix, and the registered media type. */
export interface Media {
  readonly type: "media";
  readonly data: string;
  readonly mediaType: string;
}

/** A part of a result for a vendor: a file that the vendor takes, or text. */
export type VendorPart = Media | { readonly type: "text"; readonly text: string };

/** Names that servers use, and the registered ones. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["image/pjpeg", "image/jpeg"],
  ["image/x-png", "image/png"],
  ["image/x-webp", "image/webp"],
  ["audio/x-wav", "audio/wav"],
  ["audio/wave", "audio/wav"],
  ["audio/vnd.wave", "audio/wav"],
  ["audio/mpeg", "audio/mp3"],
  ["audio/x-mpeg", "audio/mp3"],
  ["audio/x-flac", "audio/flac"],
  ["audio/x-aiff", "audio/aiff"],
  ["audio/x-aac", "audio/aac"],
  ["application/x-pdf", "application/pdf"],
]);

/**
 * The first characters of images in base64. Vendors reject an image of another type than declared,
 * and servers often declare `image/png` for every image.
 */
const beginnings: readonly (readonly [start: RegExp, type: string])[] = [
  [/^iVBORw0KGgo/, "image/png"],
  [/^\/9j\//, "image/jpeg"],
  [/^R0lGODdh|^R0lGODlh/, "image/gif"],
  [/^UklGR.{6}XRUJQ|^UklGR.{5}[AEIMQUYcgkosw048]V0VCU/, "image/webp"],
];

const dataUrl = /^data:([^,;]*)[^,]*;base64,/i;

/**
 * The content of a result for a vendor. Types of media are written in lower case, without
 * parameters and under their registered names; data URLs are taken apart. Media that the vendor
 * does not accept, and data that is not base64, are replaced by a text block that names them.
 *
 * @param takes - Whether the vendor takes media of a type.
 */
export function vendorParts(
  result: CallToolResult,
  takes: (mediaType: string) => boolean,
): { readonly content: readonly VendorPart[]; readonly isError: boolean } {
  const { content, isError } = toEngineResult(result);
  return { content: content.map((part) => vendorPart(part, takes)), isError };
}

function vendorPart(part: EngineContent, takes: (mediaType: string) => boolean): VendorPart {
  if (part.type === "media") {
    const media = readMedia(part);
    return media !== undefined && takes(media.mediaType)
      ? media
      : { type: "text", text: wellFormed(textOf(media ?? part)) };
  }
  return { type: "text", text: wellFormed(textOf(part)) };
}

/** All text of converted content; media by name. */
export function vendorText(content: readonly VendorPart[]): string {
  return content.map(textOf).join("\n");
}

/** Whether a type of media is one of those that OpenAI and Anthropic show to a model. */
export function isCommonImage(mediaType: string): boolean {
  return commonImages.has(mediaType);
}

const commonImages: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** Media in their usual form; `undefined` if the data is empty or not base64. */
function readMedia({ data: given, mediaType: named }: Media): Media | undefined {
  const [prefix = "", typeInUrl = ""] = dataUrl.exec(given.slice(0, 256)) ?? [];
  const data = padded(
    given.slice(prefix.length).replaceAll(/\s+/g, "").replaceAll("-", "+").replaceAll("_", "/"),
  );
  if (data === undefined) {
    return undefined;
  }
  const declared = typeName(named) || typeName(typeInUrl) || "application/octet-stream";
  const head = data.slice(0, 32);
  const seen = beginnings.find(([start]) => start.test(head))?.[1];
  const isVague = declared.startsWith("image/") || declared === "application/octet-stream";
  return { type: "media", data, mediaType: isVague && seen !== undefined ? seen : declared };
}

function typeName(mediaType: string): string {
  const [plain = ""] = mediaType
    .trim()
    .toLowerCase()
    .split(/[;,\s]/);
  return aliases.get(plain) ?? plain;
}

/** Base64 with its padding; `undefined` for other text. */
function padded(data: string): string | undefined {
  const plain = data.replace(/=+$/, "");
  const isBase64 = plain !== "" && plain.length % 4 !== 1 && !/[^A-Za-z0-9+/]/.test(plain);
  return isBase64 ? plain.padEnd(Math.ceil(plain.length / 4) * 4, "=") : undefined;
}

/** Text without halves of characters, which are not valid in the JSON of a request. */
export function wellFormed(text: string): string {
  return text.replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
