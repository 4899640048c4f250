/** The rows of a query. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
}

/** The parts of a client of `pg` that the stores use. */
export interface PostgresClient {
  /** Runs a statement. */
  query(text: string): Promise<unknown>;
  /** Adds a listener of `notification`, `error` and `end`. */
  on(event: string, listener: (value: PostgresNotification) => void): unknown;
  /** Closes the connection if `destroys` is true; otherwise the pool uses it again. */
  release(destroys?: boolean): void;
}

/** A notification of `LISTEN`. */
export interface PostgresNotification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

/** A `Pool` of `pg`. */
export interface PostgresPool {
  /** Runs a statement on a free connection. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Returns a connection, which the pool does not use until it is released. */
  connect(): Promise<PostgresClient>;
}

/** A row of a table. */
export type Row = Readonly<Record<string, unknown>>;

/** The parts that the stores of one pool share. */
export interface Connection {
  readonly pool: PostgresPool;
  /** Maximum time of a call, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Runs a statement. `{now}` is replaced by an expression for the time of the server, in
   * milliseconds since 1970.
   */
  rows(text: string, ...values: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs a statement. @returns The first row. */
  row(text: string, ...values: readonly unknown[]): Promise<Row | undefined>;
}

/**
 * Creates a {@link Connection}.
 *
 * @param offsetMs - Returns how much to add to the time of the server, in milliseconds.
 */
export function createConnection(pool: PostgresPool, timeoutMs: number, offsetMs: () => number): Connection {
  async function rows(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    const now = `(floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint + ${Math.round(offsetMs())})`;
    const result = await pool.query(text.replaceAll("{now}", now), [...values]);
    return result.rows as readonly Row[];
  }
  return {
    pool,
    timeoutMs,
    rows,
    row: async (text, ...values) => (await rows(text, ...values))[0],
  };
}
