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

/** A statement and its values. */
export interface PostgresQuery {
  /** The name of the prepared statement; `undefined` does not prepare it. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: unknown[];
}

/** A `Pool` of `pg`. */
export interface PostgresPool {
  /** Runs a statement on a free connection. */
  query(query: PostgresQuery): Promise<PostgresResult>;
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
   * Runs a statement. `{now}` is replaced by an expression for the time of the server when the
   * statement began, in milliseconds since 1970; `{clock}` by one for the time when the expression
   * is evaluated, such as after the wait for the lock of a row.
   */
  rows(text: string, ...values: readonly unknown[]): Promise<readonly Row[]>;
  /** Runs a statement. @returns The first row. */
  row(text: string, ...values: readonly unknown[]): Promise<Row | undefined>;
}

/** Settings of a {@link Connection}. */
export interface ConnectionSetup {
  readonly timeoutMs: number;
  /** Whether the server prepares each statement once for each connection. */
  readonly prepare: boolean;
  /** Returns how much to add to the time of the server, in milliseconds. */
  readonly offsetMs: () => number;
}

/** Creates a {@link Connection}. */
export function createConnection(
  pool: PostgresPool,
  { timeoutMs, prepare, offsetMs }: ConnectionSetup,
): Connection {
  const names = new Map<string, string>();

  /** The same statement has the same name in all objects that share a pool. */
  function nameOf(text: string): string {
    const name = names.get(text) ?? `tenon_${hashOf(text)}`;
    names.set(text, name);
    return name;
  }

  async function rows(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    const time = (name: string): string =>
      `(floor(extract(epoch FROM ${name}_timestamp()) * 1000)::bigint + ${Math.round(offsetMs())})`;
    const dated = text.replaceAll("{now}", time("statement")).replaceAll("{clock}", time("clock"));
    const query = { text: dated, values: [...values] };
    const result = await pool.query(prepare ? { ...query, name: nameOf(query.text) } : query);
    return result.rows as readonly Row[];
  }
  return {
    pool,
    timeoutMs,
    rows,
    row: async (text, ...values) => (await rows(text, ...values))[0],
  };
}

/** FNV-1a of 64 bits, as hexadecimal digits. */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16);
}
