import type { Writable } from "node:stream";

import type { Transport } from "mcp-sdk-1/shared/transport.js";

import type { TransportConnection } from "./connection.ts";
import { closed } from "./errors.ts";
import type { Negotiate, Negotiated } from "./internals.ts";

/**
 * The negotiation on a new connection, and the time after it until the first message of the server.
 * A server may end the connection, and is then started once more, of which the program notices
 * nothing. If the program ends it, it has ended.
 */
export class Attempt {
  readonly #transport: Transport;
  readonly #stopped = new AbortController();
  #isRunning = true;
  #isNegotiated = false;
  #hasReceived = false;
  #settle: (isRepeated: boolean) => void = () => {};
  /** The end of the transport that the program has called for. */
  #closing: Promise<void> | undefined;

  /** An attempt that {@link run} starts. */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Whether the end of the connection is not reported. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Starts the transport, and negotiates.
   *
   * @throws What prevented the start; `McpError` `ConnectionClosed` if the program has closed the
   *   client or the transport.
   */
  async run(connection: TransportConnection, negotiate: Negotiate): Promise<Negotiated> {
    const unwatch = this.#watch(connection);
    const release = this.#holdStderr();
    this.#settle = (isRepeated) => {
      this.#settle = () => {};
      this.#isRunning = false;
      unwatch();
      release(isRepeated);
    };
    try {
      await connection.start();
      const negotiated = await negotiate(connection, this.#stopped.signal);
      if (this.#stopped.signal.aborted) {
        await Promise.allSettled([negotiated.session?.close(), this.#closing]);
        throw closed();
      }
      this.#isNegotiated = true;
      const isUsed = negotiated.connection !== undefined && this.#hasReceived;
      if (negotiated.session !== undefined || isUsed) {
        this.#settle(false);
      }
      return negotiated;
    } catch (error) {
      this.#stop(connection);
      throw error;
    }
  }

  /** Called with each message of the server, which has not ended at the first request then. */
  received(): void {
    this.#hasReceived = true;
    if (this.#isNegotiated && this.#isRunning) {
      this.#settle(false);
    }
  }

  /** Called before the server is started once more. */
  repeat(): void {
    this.#settle(true);
  }

  /** Ends the connection. */
  async close(connection: TransportConnection): Promise<void> {
    this.#stop(connection);
    await connection.close();
  }

  #stop(connection: TransportConnection): void {
    this.#settle(false);
    this.#stopped.abort();
    connection.reportEnd();
  }

  /**
   * The stream in which the program reads standard error ends with the first process, so the second
   * process could not write to it.
   *
   * @returns Ends the stream if it was to end, unless there is a second process.
   */
  #holdStderr(): (isRepeated: boolean) => void {
    const { _stderrStream: stream } = this.#transport as { readonly _stderrStream?: Writable | null };
    if (stream === undefined || stream === null) {
      return () => {};
    }
    let hasEnded = false;
    Object.defineProperty(stream, "end", {
      configurable: true,
      value: () => {
        hasEnded = true;
        return stream;
      },
    });
    return (isRepeated) => {
      Reflect.deleteProperty(stream, "end");
      if (hasEnded && !isRepeated) {
        stream.end();
      }
    };
  }

  /** Programs with a time limit of their own close the transport, and not the client. */
  #watch(connection: TransportConnection): () => void {
    const transport = this.#transport;
    const own = Object.getOwnPropertyDescriptor(transport, "close");
    const { close } = transport;
    transport.close = () => {
      this.#stop(connection);
      this.#closing = close.call(transport);
      return this.#closing;
    };
    return () => {
      if (own === undefined) {
        Reflect.deleteProperty(transport, "close");
      } else {
        Object.defineProperty(transport, "close", own);
      }
    };
  }
}
