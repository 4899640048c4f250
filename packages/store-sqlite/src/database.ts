/** A value that a statement takes or returns. */
export type SqliteValue = string | number | null;

/** A prepared statement. */
export interface SqliteStatement {
  /** Runs the statement. @returns The number of changed rows. */
  run(...values: readonly SqliteValue[]): { readonly changes: number | bigint };
  /** Returns the first row, or `undefined`. */
  get(...values: readonly SqliteValue[]): unknown;
  /** Returns all rows. */
  all(...values: readonly SqliteValue[]): unknown[];
}

/**
 * A SQLite database. A `DatabaseSync` of `node:sqlite`, a `Database` of `better-sqlite3` and a
 * `Database` of `libsql` fit unchanged.
 */
export interface SqliteDatabase {
  /** Runs statements without values. */
  exec(sql: string): unknown;
  /** Returns a {@link SqliteStatement}, whose types differ between the libraries. */
  prepare(sql: string): { readonly [Method in keyof SqliteStatement]: unknown };
}

/** A row of a table. */
export type Row = Readonly<Record<string, unknown>>;

/** The parts that the stores of one database share. */
export interface Connection {
  /** Returns the prepared statement, which is prepared once. */
  sql(text: string): SqliteStatement;
  /** Returns the first row. */
  row(text: string, ...values: readonly SqliteValue[]): Row | undefined;
  /** Returns all rows. */
  rows(text: string, ...values: readonly SqliteValue[]): readonly Row[];
  /** Runs a statement. @returns The number of changed rows. */
  run(text: string, ...values: readonly SqliteValue[]): number;
  /** Runs a function in a transaction that locks the database for writing. */
  write<T>(run: () => T): T;
  /** The date, which never goes backwards, in milliseconds since 1970. */
  readonly date: () => number;
}

/** Creates a {@link Connection}. */
export function createConnection(database: SqliteDatabase, date: () => number): Connection {
  const statements = new Map<string, SqliteStatement>();

  function sql(text: string): SqliteStatement {
    const statement = statements.get(text) ?? (database.prepare(text) as SqliteStatement);
    statements.set(text, statement);
    return statement;
  }

  return {
    sql,
    row: (text, ...values) => (sql(text).get(...values) ?? undefined) as Row | undefined,
    rows: (text, ...values) => sql(text).all(...values) as readonly Row[],
    run: (text, ...values) => Number(sql(text).run(...values).changes),
    write(run) {
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = run();
        database.exec("COMMIT");
        return result;
      } catch (error) {
        try {
          database.exec("ROLLBACK");
        } catch {
          // SQLite has rolled back by itself, on a full disk for example. The reason counts.
        }
        throw error;
      }
    },
    date,
  };
}
