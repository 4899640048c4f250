import { isRecord } from "@tenon/base";

import { concat } from "../bytes/bytes.ts";
import { membersOf, textOf, type Members } from "../document/values.ts";
import { isConcrete, isFile, readFile } from "./file.ts";
import { isPresent, scalarText } from "./serialize.ts";
import type { WrittenBody } from "./written-body.ts";

interface Part {
  readonly headers: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/**
 * Writes a multipart body, with one part for each property, and for each item of an array. Objects
 * are JSON, files keep their names and media types.
 *
 * @param files - The properties that are files.
 * @source RFC 7578; OpenAPI 3.1.1 §4.8.15
 */
export function writeMultipart(
  mediaType: string,
  value: Members,
  encodings: Members,
  files: ReadonlySet<string>,
): WrittenBody {
  const encoder = new TextEncoder();
  const isForm = mediaType.startsWith("multipart/form-data");
  const parts = Object.entries(value)
    .filter(([, member]) => isPresent(member))
    .flatMap(([name, member]) =>
      (Array.isArray(member) ? (member as unknown[]) : [member]).map((item) =>
        partOf(item, {
          name,
          contentType: textOf(membersOf(encodings[name])["contentType"]),
          isForm,
          isFilePart: files.has(name),
        }),
      ),
    );
  // Random, so that no content can have it by chance or on purpose.
  const boundary = `tenon-${crypto.randomUUID()}`;
  const blocks = parts.flatMap(({ headers, content }) => [
    encoder.encode(`--${boundary}\r\n${headers}\r\n`),
    content,
    encoder.encode("\r\n"),
  ]);
  blocks.push(encoder.encode(`--${boundary}--\r\n`));
  const [type = mediaType] = mediaType.split(";");
  return { mediaType: `${type.trim()}; boundary=${boundary}`, content: concat(blocks) };
}

interface PartSetting {
  readonly name: string;
  readonly contentType: string | undefined;
  readonly isForm: boolean;
  /** Whether the document describes a file: an object of another part may have a `text`, too. */
  readonly isFilePart: boolean;
}

function partOf(value: unknown, { name, contentType, isForm, isFilePart }: PartSetting): Part {
  const disposition = isForm ? [`Content-Disposition: form-data; name="${quoted(name)}"`] : [];
  // The encoding object may list several types, or a range.
  const named = contentType
    ?.split(",")
    .map((one) => one.trim())
    .find(isConcrete);
  if (isFilePart && isFile(value)) {
    const { filename = name, mediaType = "" } = value;
    const type = isConcrete(mediaType)
      ? mediaType
      : (named ?? (value.base64 === undefined ? "text/plain" : "application/octet-stream"));
    const [first] = disposition;
    const own = first === undefined ? [] : [`${first}; filename="${quoted(filename)}"`];
    return { headers: lines([...own, `Content-Type: ${type}`]), content: readFile(value) };
  }
  const isObject = isRecord(value);
  const type = named ?? (isObject ? "application/json" : undefined);
  const text =
    isObject || (type !== undefined && /[/+]json$/.test(type)) ? JSON.stringify(value) : scalarText(value);
  const typed = type === undefined ? [] : [`Content-Type: ${type}`];
  return { headers: lines([...disposition, ...typed]), content: new TextEncoder().encode(text) };
}

function lines(headers: readonly string[]): string {
  return headers.map((header) => `${header}\r\n`).join("");
}

/** A name or file name in quotes, escaped as browsers do. */
function quoted(text: string): string {
  return text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
