import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { CodegenError } from "./error.ts";

const fetchTimeoutMs = 30_000;
const maxBytes = 16 * 1024 * 1024;

/** True for a document to be fetched rather than read. */
export function isUrl(location: string): boolean {
  return /^https?:\/\//.test(location);
}

/**
 * The text of a document, from a file or a URL (30 s, 16 MiB at most).
 *
 * @param location a path, relative to `folder`, or an http(s) URL
 * @throws CodegenError `unreadable`
 */
export async function readSource(location: string, folder: string): Promise<string> {
  try {
    return isUrl(location) ? await download(location) : await readFile(resolve(folder, location), "utf8");
  } catch (cause) {
    if (cause instanceof CodegenError) {
      throw cause;
    }
    throw new CodegenError("unreadable", `cannot read ${location}: ${reasonOf(cause)}`, { cause });
  }
}

/** The message of an error; `fetch` hides why a connection failed in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const cause = error.cause;
  if (!(cause instanceof Error)) {
    return error.message;
  }
  const code = "code" in cause ? String(cause.code) : cause.name;
  return `${error.message} (${cause.message.includes(code) ? cause.message : code})`;
}

async function download(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(fetchTimeoutMs) });
  if (!response.ok) {
    throw new CodegenError("unreadable", `cannot read ${url}: HTTP status ${response.status}`);
  }
  const text = await response.text();
  if (text.length > maxBytes) {
    throw new CodegenError("unreadable", `cannot read ${url}: longer than ${maxBytes} bytes`);
  }
  return text;
}
