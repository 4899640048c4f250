/** Header fields by name. Names are sent as written. */
export type HeaderFields = Readonly<Record<string, string>>;

/** One HTTP request and its response: the only interface to a runtime that a handler needs. */
export interface Exchange {
  /** As received: `POST`. */
  readonly method: string;
  /** The target as it was received: a path with its query, or a whole URL. */
  readonly url: string;
  /**
   * The address of the client, or of the last proxy before this server; absent where the runtime
   * does not provide it.
   */
  readonly remoteAddress?: string | undefined;
  /**
   * The network of that address, where the runtime can tell it: one subscriber has all IPv6
   * addresses of a network. It has no value after the connection was closed.
   */
  readonly network?: string | undefined;
  /** A header field, `undefined` if absent. @param name - In lower case. */
  header(name: string): string | undefined;
  /** All header fields, with names in lower case, where the runtime knows them. */
  headers?(): Iterable<readonly [name: string, value: string]>;
  /**
   * How many lines of the request are a header field of this name, where the runtime knows.
   *
   * @param name - In lower case.
   */
  headerLines?(name: string): number | undefined;
  /**
   * Reads the body to its end and decompresses it. Called at most once.
   *
   * @param limits - `maxBytes`: maximum size of the body, compressed and decompressed; no more is
   *   ever held in memory. `timeoutMs`: time limit for the whole body.
   * @throws `HttpError` `BODY_TOO_LARGE`, `BODY_TIMEOUT`, `BODY_INCOMPLETE` or
   *   `UNSUPPORTED_ENCODING`; `OVERLOADED` while the bodies of all requests of the process without
   *   a complete response exceed 64 MiB, or the bodies from one network exceed the space that they
   *   leave for others. Bodies up to 16 KiB are not counted.
   */
  body(limits: BodyLimits): Promise<string | Uint8Array>;
  /**
   * Calls the callback once if the client disconnects, or is disconnected, before the response is
   * complete. If it has disconnected already, the callback is called soon. Only one callback can be
   * set.
   */
  onDisconnect(callback: () => void): void;
  /**
   * Sends a complete response. Does nothing if a response was sent or started before.
   *
   * @param body - JSON, unless `headers` contain another `content-type`.
   */
  respond(status: number, headers: HeaderFields, body?: string): void;
  /**
   * Starts a response of unknown length and sends its headers.
   *
   * @throws `HttpError` `INVALID_STATE` if a response was sent or started before.
   */
  open(status: number, headers: HeaderFields): ByteSink;
}

/** Bounds on a request's body. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** The body of a response that has started. */
export interface ByteSink {
  /** Bytes (or UTF-16 code units) that were written but not yet accepted by the network. */
  readonly buffered: number;
  /** Sends text, or keeps it until the network takes it: see {@link ByteSink.buffered}. */
  write(text: string): void;
  /**
   * Calls back once when everything buffered was taken, or never will be. One callback at a time.
   */
  onDrain(callback: () => void): void;
  /** Completes the response. */
  end(): void;
  /** Aborts the response. */
  abort(): void;
}
