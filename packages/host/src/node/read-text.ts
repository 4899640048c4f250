import { readFileSync, statSync } from "node:fs";

/** Maximum size of a file, in bytes. */
const maxBytes = 16 * 1024 * 1024;

/**
 * Reads a text file, and nothing that only has the name of one: a device or a pipe may never end.
 *
 * @throws If there is none, or it is longer than 16 MiB.
 */
export function readText(path: string): string {
  const stat = statSync(path);
  if (!stat.isFile() || stat.size > maxBytes) {
    throw new Error(stat.isFile() ? `It is longer than ${maxBytes} bytes.` : "It is not a regular file.");
  }
  return readFileSync(path, "utf8");
}
