import type { Connection, Row, SqliteStatement, SqliteValue } from "../database.ts";

/**
 * The storage of a Durable Object whose class is one of `new_sqlite_classes`: `ctx.storage` of its
 * constructor fits unchanged.
 */
export interface ObjectStorage {
  /** The database of the object. */
  readonly sql: {
    /** Runs a statement. */
    exec(query: string, ...bindings: SqliteValue[]): { toArray(): unknown[] };
  };
  /** Runs a function in a transaction. */
  transactionSync<T>(run: () => T): T;
}

/**
 * Creates the connection to the database of an object. The platform prepares statements once, and
 * permits neither `BEGIN` nor pragmas of files.
 */
export function createObjectConnection(storage: ObjectStorage, date: () => number): Connection {
  const rows = (text: string, ...values: readonly SqliteValue[]): readonly Row[] =>
    storage.sql.exec(text, ...values).toArray() as readonly Row[];
  const row = (text: string, ...values: readonly SqliteValue[]): Row | undefined => rows(text, ...values)[0];
  const run = (text: string, ...values: readonly SqliteValue[]): number => {
    rows(text, ...values);
    return Number(row("SELECT changes() AS changes")?.["changes"]);
  };
  const sql = (text: string): SqliteStatement => ({
    run: (...values) => ({ changes: run(text, ...values) }),
    get: (...values) => row(text, ...values),
    all: (...values) => [...rows(text, ...values)],
  });
  return { sql, row, rows, run, write: (work) => storage.transactionSync(work), date };
}
