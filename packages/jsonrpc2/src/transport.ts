import type { Incoming, Outgoing, RequestId } from "./message.ts";

/**
 * Opens a logical stream of messages, and does nothing else: correlation, cancellation and
 * lifecycle belong to `Peer`, so they behave the same on every transport.
 *
 * @typeParam C - What `connect` gives: a connection, perhaps with properties of its own.
 * @source S-010, S-012, S-208
 */
export interface Transport<C extends Connection = Connection> {
  /**
   * Opens the stream.
   *
   * @param options - `signal` ends the attempt: everything acquired so far (a process, a socket) is
   *   released and the promise rejects with `signal.reason`. It has no effect once connected.
   * @throws Whatever prevented the connection, with its cause.
   */
  connect(options?: ConnectOptions): Promise<C>;
  /** The credentials that the transport sends with, if it has any. */
  readonly authorization?: Authorization | undefined;
}

/**
 * The facts about the credentials of a {@link Transport} that programs may know. The `auth` of the
 * HTTP transports fits.
 */
export interface Authorization {
  /**
   * Identifies the account and its grant. Not secret; changes when another account logs in, but not
   * when a token is renewed.
   */
  readonly authorizationContext?: string | undefined;
  /**
   * The extension of the protocol by which credentials are obtained, if it is one: clients declare
   * it.
   */
  readonly extension?: string | undefined;
  /**
   * Registers a listener that is called when requests that were refused may succeed now. Returns a
   * function that removes the listener.
   */
  changed?(listener: () => void): () => void;
  /**
   * Registers a listener that is called with `true` when requests wait for a user who logs in, and
   * with `false` when they no longer do. Timeouts of requests pause meanwhile. Returns a function
   * that removes the listener.
   */
  waiting?(listener: (isWaiting: boolean) => void): () => void;
  /** Has the user authorize this program. Resolves when requests can be sent. */
  login?(options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/** Options of {@link Transport.connect}. */
export interface ConnectOptions {
  /**
   * Ends the attempt: the promise rejects with `signal.reason`. No effect once connected. By
   * default only `connect` itself ends the attempt.
   */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A bidirectional message stream. Messages are pulled: if the consumer does not read, the producer
 * is slowed down.
 *
 * @source S-011
 */
export interface Connection extends AsyncDisposable {
  /**
   * The next message, in the order in which the remote peer wrote it. `undefined` at the normal
   * end, and on every later read; rejects if the stream broke. Input that is not a message is
   * returned as `Malformed`, never thrown. Called by one reader at a time: the next read starts
   * after the last one settled.
   */
  read(): Promise<Incoming | undefined>;
  /**
   * Sends a message. Settles when the transport has accepted it, which waits while its buffer is
   * full. Messages leave in the order of the calls. After `close`, or after the stream has broken,
   * it rejects with a `LocalError` `CONNECTION_CLOSED`, and `Peer` then ends within its `drainMs`.
   * Any other rejection concerns only this message. A request that can never be delivered rejects
   * with `undeliverable`: callers get `CONNECTION_CLOSED`, and the connection stays open.
   */
  write(message: Outgoing, options?: WriteOptions): Promise<void>;
  /**
   * Ends the stream and releases everything it holds. Idempotent, allowed at any time; a pending
   * read settles.
   *
   * @param reason - Why; transports may write it to logs, but never send it to the remote peer.
   */
  close(reason?: unknown): Promise<void>;
  /**
   * The transport's own name for this stream, where it has one (Streamable HTTP in the legacy era).
   */
  readonly sessionId?: string | undefined;
  /**
   * Whether input that is not a message gets an error response without a request ID. A transport
   * sets it to false if remote peers reject such a response, as over HTTP. Default: `true`.
   */
  readonly answersUnidentified?: boolean | undefined;
  /**
   * Returns an observation of the transport that may explain why a call gets no response, as a
   * sentence for the message of a call that times out, or that waited when the connection ended.
   */
  readonly diagnosis?: string | undefined;
  /**
   * Resolves when the remote peer has written its first byte, whatever it is, or has ended. Only
   * transports that start the remote peer have it: a process may take long to start, and limits of
   * its first response begin with this.
   */
  readonly started?: Promise<unknown> | undefined;
  /** The network to the remote peer. `undefined` in memory, or if it is unknown. */
  readonly network?: Network | undefined;
}

/** The network between a {@link Connection} and its remote peer, for traces and logs. */
export interface Network {
  /** `pipe` for standard streams, `tcp` for HTTP and WebSockets. */
  readonly transport: "pipe" | "tcp" | "quic" | "unix";
  /** The protocol that carries the messages, such as `http`. */
  readonly protocol?: string | undefined;
  /** The name or the address of the server, for its clients. */
  readonly address?: string | undefined;
  /** The port of the server, for its clients. */
  readonly port?: number | undefined;
}

/** Options of {@link Connection.write}. */
export interface WriteOptions {
  /**
   * The inbound request on whose behalf this message is sent. Transports with a stream per request
   * route by it.
   */
  readonly relatedTo?: RequestId | undefined;
  /**
   * Ends the wait for a full buffer: the promise rejects with the reason. Whether the message is
   * still sent depends on how far it had come. A signal that is already aborted sends nothing.
   */
  readonly signal?: AbortSignal | undefined;
}
