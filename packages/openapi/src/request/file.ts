import { isRecord } from "@tenon/base";
import { ToolError } from "@tenon/mcp";

/** A file in the arguments of a tool. */
export interface FileValue {
  readonly text?: string | undefined;
  readonly base64?: string | undefined;
  readonly filename?: string | undefined;
  readonly mediaType?: string | undefined;
}

/** Whether a value is a file, as the input schema describes it. */
export function isFile(value: unknown): value is FileValue {
  return isRecord(value) && (typeof value["text"] === "string" || typeof value["base64"] === "string");
}

/** The bytes of a file. @throws `ToolError` for invalid base64. */
export function readFile({ text, base64 }: FileValue): Uint8Array<ArrayBuffer> {
  if (base64 === undefined) {
    return new TextEncoder().encode(text ?? "");
  }
  try {
    const binary = atob(base64.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch (cause) {
    throw new ToolError("Invalid base64 in a file.", { cause });
  }
}

/** Whether a media type may be sent: a caller names it, and it becomes a header. */
export function isConcrete(mediaType: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) && mediaType.length <= 100;
}
