import { crc32 } from "node:zlib";

import { isRecord } from "@tenon/base";

import type { JournalEntry, TaskRecord } from "../store/record.ts";
import { rowOf, type Row } from "../store/row.ts";
import type { TableChange } from "../store/table.ts";

/** The first line of a log. */
export const header: string = encode({ log: "@tenon/tasks", version: 1 });

/** Returns the line of a change: a checksum, a space, JSON and a line feed. */
export function encodeChange({ id, before, after }: TableChange): string {
  if (after === undefined) {
    return encode({ delete: id });
  }
  if (before === undefined) {
    return encode({
      create: after.record,
      ...(after.journal.length === 0 ? {} : { journal: after.journal }),
    });
  }
  const set: Record<string, unknown> = {};
  const unset: string[] = [];
  for (const [name, value] of Object.entries(after.record)) {
    if (value !== before.record[name as keyof TaskRecord]) {
      if (value === undefined) {
        unset.push(name);
      } else {
        set[name] = value;
      }
    }
  }
  const journal = after.journal.slice(before.journal.length);
  return encode({
    update: id,
    set,
    ...(unset.length === 0 ? {} : { unset }),
    ...(journal.length === 0 ? {} : { journal }),
  });
}

/** Returns the line that creates a row. */
export function encodeRow(row: Row): string {
  return encodeChange({ id: row.record.id, before: undefined, after: row });
}

/** The content of a log. */
export interface Decoded {
  readonly rows: ReadonlyMap<string, Row>;
  /** False if the bytes begin with something else than a log. */
  readonly isLog: boolean;
  /** Number of lines before the last good one that are damaged. */
  readonly damaged: number;
  /** Length of the bytes up to the end of the last good line. */
  readonly length: number;
}

/**
 * Reads a log. Lines that are cut off or damaged are left out. Later lines still count, because
 * each contains whole values.
 */
export function decodeLog(bytes: Uint8Array): Decoded {
  const rows = new Map<string, Row>();
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let isLog = false;
  let length = 0;
  let bad = 0;
  let damaged = 0;
  for (let start = 0; start < buffer.length;) {
    const end = buffer.indexOf(10, start);
    const line = end === -1 ? undefined : decode(buffer.subarray(start, end));
    if (start === 0) {
      // A process may have ended while it wrote the first line of a new log.
      isLog =
        line === undefined
          ? header.startsWith(buffer.toString("latin1"))
          : line["log"] === "@tenon/tasks" && line["version"] === 1;
      if (!isLog) {
        break;
      }
    }
    if (line === undefined) {
      bad++;
    } else {
      apply(rows, line);
      damaged += bad;
      bad = 0;
      length = end + 1;
    }
    start = end === -1 ? buffer.length : end + 1;
  }
  return { rows, isLog: isLog || buffer.length === 0, damaged, length };
}

function apply(rows: Map<string, Row>, line: Readonly<Record<string, unknown>>): void {
  const { create, update, set, unset = [], journal = [] } = line;
  if (isRecord(create)) {
    const record = { ...blank, ...create } as unknown as TaskRecord;
    rows.set(record.id, rowOf(record, undefined, journal as readonly JournalEntry[]));
    return;
  }
  const row = typeof update === "string" ? rows.get(update) : undefined;
  if (row !== undefined && isRecord(set)) {
    const none = Object.fromEntries((unset as readonly string[]).map((name) => [name, undefined]));
    const record = { ...row.record, ...set, ...none } as TaskRecord;
    rows.set(record.id, rowOf(record, row, journal as readonly JournalEntry[]));
  } else if (typeof line["delete"] === "string") {
    rows.delete(line["delete"]);
  }
}

/** Defaults for the properties that JSON omits because they are `undefined`. */
const blank = { statusMessage: undefined, progress: undefined, outcome: undefined, worker: undefined };

function encode(line: object): string {
  const text = JSON.stringify(line);
  return `${checksum(text)} ${text}\n`;
}

/** Returns `undefined` for a line that is damaged. */
function decode(line: Buffer): Record<string, unknown> | undefined {
  const text = line.toString("utf8", 9);
  if (line.length < 10 || line.toString("latin1", 0, 9) !== `${checksum(text)} `) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, "0");
}
