import { isRecord } from "@tenon/base";

import type { Cassette, CassetteEntry, CassetteHeader } from "./format.ts";

/**
 * Reads a cassette from its text. Empty lines are skipped.
 *
 * @throws `SyntaxError` for a line that is not JSON, a first line that is not the header of this
 *   version of the format, and a line that is not an entry. The message names the line.
 */
export function parseCassette(text: string): Cassette {
  let header: CassetteHeader | undefined;
  const entries: CassetteEntry[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") {
      continue;
    }
    const value = parseLine(line, index + 1);
    if (header === undefined) {
      header = headerFrom(value, index + 1);
    } else {
      entries.push(entryFrom(value, index + 1));
    }
  }
  if (header === undefined) {
    throw new SyntaxError("Line 1 of the cassette is not a header: the text is empty.");
  }
  return { header, entries };
}

function parseLine(line: string, at: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new SyntaxError(`Line ${at} of the cassette is not JSON.`, { cause: error });
  }
}

function headerFrom(value: unknown, at: number): CassetteHeader {
  if (!isRecord(value) || value["tenon"] !== 1 || !isSide(value["side"])) {
    const message = `Line ${at} of the cassette is not a header: expected "tenon": 1 and "side": "client" or "server". Record the conversation again.`;
    throw new SyntaxError(message);
  }
  const { side, target } = value;
  return { tenon: 1, side, ...(typeof target === "string" ? { target } : {}), redacted: true };
}

function isSide(value: unknown): value is CassetteHeader["side"] {
  return value === "client" || value === "server";
}

function entryFrom(value: unknown, at: number): CassetteEntry {
  const dir = isRecord(value) ? value["dir"] : undefined;
  const isEntry =
    isRecord(value) &&
    typeof value["at"] === "number" &&
    // Added to the time of a start, it is a valid date.
    Math.abs(value["at"]) <= 1e15 &&
    Number.isInteger(value["connection"]) &&
    (dir === "end" ||
      ((dir === "read" || dir === "write") && ("message" in value || typeof value["error"] === "string")));
  if (!isEntry) {
    throw new SyntaxError(
      `Line ${at} of the cassette is not an entry: expected "at", "connection", "dir", and "message" or "error".`,
    );
  }
  return value as unknown as CassetteEntry;
}
