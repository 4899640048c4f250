import type { Readable } from "node:stream";

import { takeLateFailure } from "@tenon/base";

const maxTailLines = 10;
const maxTailLineLength = 500;

/** What a process has written to its standard error. */
export interface StandardError {
  /** The last lines. */
  readonly tail: readonly string[];
  /** Resolves when everything has been read, at once if it is not read here. Never rejects. */
  readonly ended: Promise<void>;
}

/**
 * Reads standard error to the last byte, so that the child never blocks on it, and keeps its last
 * lines.
 */
export function watchStandardError(
  stream: Readable | undefined,
  onLine: ((line: string) => void) | undefined,
): StandardError {
  const tail: string[] = [];
  let rest = "";
  const take = (line: string): void => {
    // The text may be printed to a terminal.
    tail.push(line.slice(0, maxTailLineLength).replace(/\p{Cc}+/gu, " "));
    if (tail.length > maxTailLines) {
      tail.shift();
    }
    try {
      takeLateFailure(onLine?.(line), () => {});
    } catch {
      // Standard error does not belong to the conversation, nor do its listeners.
    }
  };
  stream?.setEncoding("utf8");
  stream?.on("data", (text: string) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? "";
    // A line without an end must not be stored without limit.
    if (rest.length > 64 * 1024) {
      lines.push(rest);
      rest = "";
    }
    for (const line of lines) {
      take(line);
    }
  });
  stream?.on("end", () => {
    if (rest !== "") {
      take(rest);
    }
  });
  stream?.on("error", () => {});
  const ended = new Promise<void>((resolve) => {
    if (stream === undefined) {
      resolve();
    }
    stream?.once("close", resolve);
  });
  return { tail, ended };
}
