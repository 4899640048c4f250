import process from "node:process";
import type { Readable, Writable } from "node:stream";

import {
  isBatch,
  isMalformed,
  type Connection,
  type Incoming,
  type Message,
  type Outgoing,
} from "@tenon/jsonrpc2";
import { StdioTransport } from "@tenon/transports-stdio/server";
import type { Transport } from "mcp-sdk-1/shared/transport.js";
import type { JSONRPCMessage } from "mcp-sdk-1/types.js";

import { offerConnection } from "../shared/connection.ts";

/** Options of {@link StdioServerTransport}. */
export interface StdioServerOptions {
  /** Maximum size of a message, in bytes. Default: `10_485_760` (10 MiB). */
  readonly maxBufferSize?: number | undefined;
}

/**
 * Standard input and output as a transport of the official interface. Functions that the program
 * sets as `onmessage` or `send` get every message, even if they are set after `connect`.
 */
export class StdioServerTransport implements Transport {
  /** Called when the transport has closed. */
  onclose?: () => void;
  /** Called with errors, such as input that is not a message. */
  onerror?: (error: Error) => void;
  /** Called with every message. */
  declare onmessage?: (message: JSONRPCMessage) => void;
  readonly #stdin: Readable;
  readonly #stdout: Writable;
  readonly #maxMessageBytes: number | undefined;
  #connection: Promise<Connection> | undefined;
  #isDirect = false;

  /** Does not read yet. */
  constructor(
    stdin: Readable = process.stdin,
    stdout: Writable = process.stdout,
    options?: StdioServerOptions,
  ) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#maxMessageBytes = options?.maxBufferSize;
    offerConnection(this, () => this.#connectDirectly());
  }

  #open(): Promise<Connection> {
    if (this.#connection !== undefined) {
      throw new Error(
        "StdioServerTransport already started! If using Server class, note that connect() calls start() automatically.",
      );
    }
    this.#connection = openStdio(this.#stdin, this.#stdout, this.#maxMessageBytes);
    return this.#connection;
  }

  /** The messages as Tenon reads them. `undefined` if the program has put itself between. */
  #connectDirectly(): Promise<Connection> | undefined {
    const { start, send } = StdioServerTransport.prototype;
    this.#isDirect = this.onmessage === undefined && this.send === send && this.start === start;
    return this.#isDirect ? this.#open().then((connection) => this.#observable(connection)) : undefined;
  }

  /** Calls `onmessage` and `send` that were set after `connect`, as monitoring agents do. */
  #observable(inner: Connection): Connection {
    let seen: ((message: JSONRPCMessage) => void) | undefined;
    let passed: Incoming | undefined;
    const pass = (message: JSONRPCMessage): void => {
      passed = message as Message;
    };
    const write = async (message: JSONRPCMessage): Promise<void> => {
      await inner.write(message as Message);
    };
    let send = write;
    Object.defineProperties(this, {
      onmessage: {
        configurable: true,
        enumerable: true,
        get: () => seen ?? pass,
        set: (value: typeof seen) => {
          seen = value;
        },
      },
      send: {
        configurable: true,
        enumerable: true,
        get: () => send,
        set: (value: typeof write) => {
          send = value;
        },
      },
    });
    const read = async (): Promise<Incoming | undefined> => {
      for (;;) {
        const message = await inner.read();
        if (seen === undefined || message === undefined || isBatch(message) || isMalformed(message)) {
          return message;
        }
        passed = undefined;
        seen.call(this, message as JSONRPCMessage);
        if (passed !== undefined) {
          return passed;
        }
      }
    };
    return {
      network: inner.network,
      read,
      write: (outgoing: Outgoing, options) =>
        send === write ? inner.write(outgoing, options) : send.call(this, outgoing as JSONRPCMessage),
      close: (reason) => inner.close(reason),
      [Symbol.asyncDispose]: () => inner.close(),
    };
  }

  /** Reads, and calls `onmessage`. Protocols do not call it: they read the connection. */
  async start(): Promise<void> {
    const connection = await this.#open();
    void this.#pump(connection).catch((error: unknown) => this.onerror?.(error as Error));
  }

  async #pump(connection: Connection): Promise<void> {
    for (;;) {
      const incoming = await connection.read();
      if (incoming === undefined) {
        return;
      }
      for (const message of isBatch(incoming) ? incoming.batch : [incoming]) {
        if (isMalformed(message)) {
          this.onerror?.(new Error(message.malformed.message));
        } else {
          this.onmessage?.(message as JSONRPCMessage);
        }
      }
    }
  }

  /** Writes a message. */
  async send(message: JSONRPCMessage): Promise<void> {
    this.#connection ??= openStdio(this.#stdin, this.#stdout, this.#maxMessageBytes);
    const connection = await this.#connection;
    await connection.write(message as Message);
  }

  /** Stops reading. */
  async close(): Promise<void> {
    const connection = await this.#connection;
    await connection?.close();
    if (!this.#isDirect) {
      this.onclose?.();
    }
  }
}

function openStdio(
  stdin: Readable,
  stdout: Writable,
  maxMessageBytes: number | undefined,
): Promise<Connection> {
  return new StdioTransport({
    stdin,
    stdout,
    // Programs of the official package may print to standard output; clients pass over such lines.
    divertStdout: false,
    // The official transport never ends the process.
    limits: { exitAfterMs: Infinity, ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }) },
  }).connect();
}
