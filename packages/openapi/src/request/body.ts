import { isRecord, kindOf } from "@tenon/base";
import { ToolError } from "@tenon/mcp";

import { membersOf, type Members } from "../document/values.ts";
import type { Body } from "../operation/operation.ts";
import { serializationOf } from "../operation/read-parameter.ts";
import { encodeReserved } from "./encode.ts";
import { isConcrete, isFile, readFile, type FileValue } from "./file.ts";
import { writeMultipart } from "./multipart.ts";
import { isPresent, serializePairs } from "./serialize.ts";
import type { WrittenBody } from "./written-body.ts";

/**
 * Writes the body of a request.
 *
 * @param files - The properties of a multipart body that are files.
 * @throws `ToolError` for a value that cannot be written.
 */
export function writeBody(
  { kind, mediaType, encoding }: Body,
  value: unknown,
  files: ReadonlySet<string>,
): WrittenBody {
  switch (kind) {
    case "json":
      return { mediaType, content: JSON.stringify(value) };
    case "form":
      // Some documents describe a form as a string.
      return {
        mediaType,
        content: typeof value === "string" ? value : writeForm(objectOf(value), encoding),
      };
    case "multipart":
      return writeMultipart(mediaType, objectOf(value), encoding, files);
    case "text":
      return { mediaType: withCharset(mediaType), content: String(value) };
    case "binary": {
      const file: FileValue = isFile(value) ? value : { text: String(value) };
      const type = file.mediaType !== undefined && isConcrete(file.mediaType) ? file.mediaType : mediaType;
      return { mediaType: type, content: readFile(file) };
    }
  }
}

function objectOf(value: unknown): Members {
  if (!isRecord(value)) {
    throw new ToolError(`The body must be an object; got ${kindOf(value)}.`);
  }
  return value;
}

function withCharset(mediaType: string): string {
  return /^text\/[^;]+$/.test(mediaType) ? `${mediaType};charset=utf-8` : mediaType;
}

/**
 * Writes a form: properties by style if their encoding object names one, otherwise objects as JSON
 * and arrays item by item.
 *
 * @source OpenAPI 3.1.1 §4.8.15
 */
export function writeForm(value: Members, encodings: Members): string {
  return Object.entries(value)
    .filter(([, member]) => isPresent(member))
    .flatMap(([name, member]) => {
      const encoding = membersOf(encodings[name]);
      const isStyled = ["style", "explode", "allowReserved"].some((one) => encoding[one] !== undefined);
      const serialization = serializationOf(encoding, "query");
      const encode = serialization.allowReserved
        ? (text: string) => encodeReserved(text, "#[]&+=")
        : formEncoded;
      const plain = isStyled || !isRecord(member) ? member : JSON.stringify(member);
      return serializePairs(name, plain, serialization, encode);
    })
    .map(([name, text]) => `${name}=${text}`)
    .join("&");
}

/** Encodes as forms do, by the serializer of URLs. */
function formEncoded(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
