import { readFileSync, statSync } from "node:fs";

/** Maximum size of a file, in bytes. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Reads a text file in one of the encodings that editors write: UTF-8, UTF-16 of both orders, with
 * or without a byte order mark, and Windows-1252. It reads only regular files: a device or
 * a pipe may never end.
 *
 * @throws If there is none, or it is longer than 16 MiB.
 */
export function readText(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile() || stat.size > maxBytes) {
    throw new Error(stat.isFile() ? `It is longer than ${maxBytes} bytes.` : "It is not a regular file.");
  }
  return decode(readFileSync(path));
}

function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  // The first character of a configuration is ASCII, whose other byte in UTF-16 is 0.
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) {
    return new TextDecoder("utf-16le").decode(bytes);
  }
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) {
    return new TextDecoder("utf-16be").decode(bytes);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
