import type { JournalEntry, TaskRecord } from "./record.ts";

/** A task in a table. Rows do not change; a change replaces them. */
export interface Row {
  readonly record: TaskRecord;
  readonly journal: readonly JournalEntry[];
  /** The length that counts towards the limits. */
  readonly length: number;
}

/** The length of a task besides its values. */
const overhead = 512;

const noEntries: readonly JournalEntry[] = [];

/**
 * Makes a row.
 *
 * @param entries - To append; an entry with a kind and key of the journal is left out.
 */
export function rowOf(record: TaskRecord, before?: Row, entries: readonly JournalEntry[] = noEntries): Row {
  const journal = before?.journal ?? noEntries;
  const added = entries.filter(
    ({ kind, key }, index) => !holds(journal, kind, key) && !holds(entries.slice(0, index), kind, key),
  );
  return {
    record,
    journal: added.length === 0 ? journal : [...journal, ...added],
    length: lengthOf(record) + journalLength(before) + lengthOfEntries(added),
  };
}

function holds(entries: readonly JournalEntry[], kind: JournalEntry["kind"], key: string): boolean {
  return entries.some((entry) => entry.key === key && entry.kind === kind);
}

function journalLength(row: Row | undefined): number {
  return row === undefined ? 0 : row.length - lengthOf(row.record);
}

function lengthOfEntries(entries: readonly JournalEntry[]): number {
  return entries.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
}

function lengthOf(record: TaskRecord): number {
  const { questions, statusMessage, progress, outcome } = record;
  let length = overhead + record.arguments.length + record.data.length + record.principal.length;
  length += (statusMessage?.length ?? 0) + (progress?.length ?? 0) + (outcome?.length ?? 0);
  for (const [key, text] of Object.entries(questions)) {
    length += key.length + text.length;
  }
  return length;
}
