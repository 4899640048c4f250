import type { Transport } from "mcp-sdk-1/shared/transport.js";

import type { TransportConnection } from "./connection.ts";
import { closed } from "./errors.ts";
import type { Negotiate, Negotiated } from "./internals.ts";

/**
 * The negotiation on a new connection. A server may end it, and is then started once more, of which
 * the program notices nothing. If the program ends it, it has ended.
 */
export class Attempt {
  readonly #transport: Transport;
  readonly #stopped = new AbortController();
  #isRunning = true;
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
    try {
      await connection.start();
      const negotiated = await negotiate(connection, this.#stopped.signal);
      if (this.#stopped.signal.aborted) {
        await Promise.allSettled([negotiated.session?.close(), this.#closing]);
        throw closed();
      }
      return negotiated;
    } catch (error) {
      this.#stop(connection);
      throw error;
    } finally {
      this.#isRunning = false;
      unwatch();
    }
  }

  /** Ends the connection. */
  async close(connection: TransportConnection): Promise<void> {
    this.#stop(connection);
    await connection.close();
  }

  #stop(connection: TransportConnection): void {
    this.#isRunning = false;
    this.#stopped.abort();
    connection.reportEnd();
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
