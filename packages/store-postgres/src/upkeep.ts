import { inTime } from "@tenon/base";

import type { Connection } from "./pool.ts";

/** One of this many writes also deletes old rows. */
const every = 256;
/** Maximum number of rows that are deleted at a time: more than are written in between. */
const maxDeleted = 1024;

/**
 * Returns a function that counts writes to a table. One of 256 writes also deletes old rows.
 * Writers do not wait for the deletion, and it waits for no writer.
 *
 * @param column - The date from which the age of a row counts.
 * @param ageMs - The age of old rows, in milliseconds. Default: 0.
 * @param timeoutMs - After this time a deletion counts as failed, in milliseconds: a connection
 *   that loses all bytes must not prevent further deletions. Default: `60_000`.
 */
export function upkeepOf(
  row: Connection["row"],
  table: string,
  column: string,
  ageMs: number = 0,
  timeoutMs: number = 60_000,
): () => void {
  // Rows of several partitions may have one ctid.
  const sql = `DELETE FROM ${table} WHERE ${column}<={now}-$1 AND ctid=ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${column}<={now}-$1 LIMIT ${maxDeleted} FOR UPDATE SKIP LOCKED))`;
  return onceIn(every, () => inTime(row(sql, ageMs), timeoutMs, { expired: () => undefined }));
}

/**
 * Returns a function that runs `clean` once in `times` calls, and not twice at a time. The first
 * run comes at random, because many processes do not live for so many calls.
 */
export function onceIn(times: number, clean: () => Promise<unknown>): () => void {
  let left = Math.ceil(Math.random() * times);
  // The next run is counted from the end of this one. If it fails, a later run deletes the rows.
  const again = (): number => (left = times);
  return () => {
    if (--left === 0) {
      void clean().then(again, again);
    }
  };
}
