import process from "node:process";
import type { Readable, Writable } from "node:stream";

import {
  isBatch,
  isMalformed,
  type Connection,
  type Incoming,
  type Message,
  type Outgoing,
} from "@tenon/jsonrpc2/core";
import { StdioTransport } from "@tenon/transports-stdio/server";
import { STDIO_DEFAULT_MAX_BUFFER_SIZE as defaultMaxBytes } from "mcp-sdk-1/shared/stdio.js";
import type { Transport } from "mcp-sdk-1/shared/transport.js";
import type { JSONRPCMessage } from "mcp-sdk-1/types.js";

import { offerConnection } from "../shared/connection.ts";

const woken: unique symbol = Symbol("woken");
/** How many messages that an `onmessage` of the program has passed on may wait. */
const maxPassed = 65_536;
const lineFeed = 0x0a;

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
  // Not `#private`: programs may call the methods on a proxy of the transport.
  private readonly _stdin: Readable;
  private readonly _stdout: Writable;
  private readonly _maxMessageBytes: number;
  private _connection: Promise<Connection> | undefined;
  private _isDirect = false;
  /** Stops watching the length of lines. */
  private _unwatch = (): void => {};

  /** Does not read yet. */
  constructor(
    stdin: Readable = process.stdin,
    stdout: Writable = process.stdout,
    options?: StdioServerOptions,
  ) {
    this._stdin = stdin;
    this._stdout = stdout;
    this._maxMessageBytes = options?.maxBufferSize ?? defaultMaxBytes;
    offerConnection(this, () => this._connectDirectly());
  }

  private _open(): Promise<Connection> {
    if (this._connection !== undefined) {
      throw new Error(
        "StdioServerTransport already started! If using Server class, note that connect() calls start() automatically.",
      );
    }
    this._watch();
    this._connection = openStdio(this._stdin, this._stdout, this._maxMessageBytes);
    return this._connection;
  }

  /** Closes at a line above the limit without waiting for its end, as officially. */
  private _watch(): void {
    let pending = 0;
    const onData = (chunk: Uint8Array): void => {
      const length = pending + chunk.length;
      if (length > this._maxMessageBytes) {
        this._unwatch();
        this.onerror?.(new Error(`ReadBuffer exceeded maximum size of ${this._maxMessageBytes} bytes`));
        this.close().catch((error: unknown) => this.onerror?.(error as Error));
        return;
      }
      const end = chunk.lastIndexOf(lineFeed);
      pending = end < 0 ? length : chunk.length - end - 1;
    };
    this._stdin.on("data", onData);
    this._unwatch = () => {
      this._stdin.off("data", onData);
    };
    // A listener starts the stream. The connection, which pulls, starts it again.
    this._stdin.pause();
  }

  /** The messages as Tenon reads them. `undefined` if the program has put itself between. */
  private _connectDirectly(): Promise<Connection> | undefined {
    const { start, send } = StdioServerTransport.prototype;
    this._isDirect = this.onmessage === undefined && this.send === send && this.start === start;
    return this._isDirect ? this._open().then((connection) => this._observable(connection)) : undefined;
  }

  /** Calls `onmessage` and `send` that were set after `connect`, as monitoring agents do. */
  private _observable(inner: Connection): Connection {
    let seen: ((message: JSONRPCMessage) => void) | undefined;
    const passed: Message[] = [];
    /** Ends the read that waits: there may be something else to do. */
    let wake: (() => void) | undefined;
    const pass = (message: JSONRPCMessage): void => {
      if (passed.length >= maxPassed) {
        const problem = `More than ${maxPassed} messages were passed on at a time: one was dropped.`;
        this.onerror?.(new Error(problem));
        return;
      }
      passed.push(message as Message);
      wake?.();
    };
    /** How many calls of a program's asynchronous `onmessage` run. */
    let running = 0;
    const show = async (message: Incoming): Promise<void> => {
      running++;
      try {
        const shown: unknown = seen?.call(this, message as JSONRPCMessage);
        await shown;
      } catch (error) {
        this.onerror?.(error as Error);
      } finally {
        running--;
        wake?.();
      }
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
    let isClosed = false;
    const close: Connection["close"] = (reason) => {
      isClosed = true;
      this._unwatch();
      wake?.();
      return inner.close(reason);
    };
    let reading: Promise<Incoming | undefined> | undefined;
    const read = async (): Promise<Incoming | undefined> => {
      for (;;) {
        const ready = passed.shift();
        if (ready !== undefined) {
          return ready;
        }
        const next = (reading ??= inner.read());
        const message = await new Promise<Incoming | undefined | typeof woken>((resolve, reject) => {
          wake = () => resolve(woken);
          next.then(resolve, reject);
        });
        wake = undefined;
        if (message === woken) {
          continue;
        }
        if (message === undefined && running > 0 && !isClosed) {
          // The last requests are still with the program.
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        reading = message === undefined ? reading : undefined;
        if (seen === undefined || message === undefined || isBatch(message) || isMalformed(message)) {
          return message;
        }
        void show(message);
      }
    };
    return {
      network: inner.network,
      read,
      write: (outgoing: Outgoing, options) =>
        send === write ? inner.write(outgoing, options) : send.call(this, outgoing as JSONRPCMessage),
      close,
      [Symbol.asyncDispose]: () => close(),
    };
  }

  /** Reads, and calls `onmessage`. Protocols do not call it: they read the connection. */
  async start(): Promise<void> {
    const connection = await this._open();
    void this._pump(connection).catch((error: unknown) => this.onerror?.(error as Error));
  }

  private async _pump(connection: Connection): Promise<void> {
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
    this._connection ??= openStdio(this._stdin, this._stdout, this._maxMessageBytes);
    const connection = await this._connection;
    await connection.write(message as Message);
  }

  /** Stops reading. */
  async close(): Promise<void> {
    this._unwatch();
    const connection = await this._connection;
    await connection?.close();
    if (!this._isDirect) {
      this.onclose?.();
    }
  }
}

function openStdio(stdin: Readable, stdout: Writable, maxMessageBytes: number): Promise<Connection> {
  return new StdioTransport({
    stdin,
    stdout,
    // Programs of the official package may print to standard output; clients pass over such lines.
    divertStdout: false,
    // The official transport never ends the process.
    limits: { exitAfterMs: Infinity, maxMessageBytes },
  }).connect();
}
