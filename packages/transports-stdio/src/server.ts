import type { Readable, Writable } from "node:stream";

import { checkOptionNames, readLimits, systemClock, type ResolvedLimits } from "@tenon/base";
import { LocalError, type Connection, type ConnectOptions, type Transport } from "@tenon/jsonrpc2/core";
import { ndjsonConnection } from "@tenon/jsonrpc2/stream";
import { decodeLimitsOf } from "@tenon/jsonrpc2/transport";

import { divertStdout } from "./divert.ts";
import { stdioLimits, type StdioLimits } from "./limits.ts";
import { settledWithin } from "./settled-within.ts";
import { createSink } from "./sink.ts";
import { createSource } from "./source.ts";

export type { StdioLimits } from "./limits.ts";

/** Options of {@link StdioTransport}. */
export interface StdioOptions {
  /** The stream of incoming messages. Default: `process.stdin`. */
  readonly stdin?: Readable | undefined;
  /** The stream for outgoing messages. Default: `process.stdout`. */
  readonly stdout?: Writable | undefined;
  /**
   * Whether everything else that is written to `process.stdout` goes to `process.stderr` while
   * connected. Default: true, if `stdout` is the process's own.
   */
  readonly divertStdout?: boolean | undefined;
  /**
   * Limits of received and written messages. A line is a message. Each limit has its own default.
   */
  readonly limits?: StdioLimits | undefined;
}

/** How long `close` waits for the client to take what was written. */
const flushMs = 500;

/**
 * The server's end of stdio: messages on the standard input and output of this process, one per
 * line. The end of standard input ends the connection normally.
 *
 * @example await server.run(new StdioTransport());
 *
 * @source S-019
 */
export class StdioTransport implements Transport {
  readonly #options: StdioOptions;
  readonly #limits: ResolvedLimits<StdioLimits>;
  #used = false;

  /** Does not read yet. @throws `TypeError` for options that do not exist or are out of range. */
  constructor(options: StdioOptions = {}) {
    checkOptionNames("new StdioTransport", options, "stdin stdout divertStdout limits", stdioLimits);
    this.#limits = readLimits(options.limits, stdioLimits);
    this.#options = options;
  }

  /** @throws `LocalError` `INVALID_STATE` on the second call: a process has one standard input. */
  connect(options?: ConnectOptions): Promise<Connection> {
    if (options?.signal?.aborted === true) {
      return Promise.reject(options.signal.reason);
    }
    if (this.#used) {
      return Promise.reject(new LocalError("INVALID_STATE", "This StdioTransport is connected already."));
    }
    this.#used = true;
    return Promise.resolve(this.#open());
  }

  #open(): Connection {
    const { stdin = process.stdin, stdout = process.stdout, limits: given } = this.#options;
    const { divertStdout: divert = stdout === process.stdout } = this.#options;
    const limits = this.#limits;
    const exitAfterMs = stdin === process.stdin ? limits.exitAfterMs : (given?.exitAfterMs ?? Infinity);
    const diverted = divert ? divertStdout() : undefined;
    const source = createSource(stdin);
    const sink = createSink(
      stdout,
      limits.maxBufferedBytes,
      stdout === process.stdout ? diverted?.write : undefined,
    );
    let isClientGone = false;
    const onGone = (): void => {
      isClientGone = true;
    };
    stdin.once("end", onGone).once("close", onGone);
    return ndjsonConnection(
      {
        network: { transport: "pipe" },
        read: source.read,
        write: sink.write,
        async close() {
          source.end();
          await settledWithin(sink.flush(), flushMs);
          isClientGone ||= sink.failed;
          sink.end();
          diverted?.restore();
          release(stdin);
          if (isClientGone && exitAfterMs < Infinity) {
            // Fires only if something else keeps the process alive.
            systemClock.setTimeout(() => process.exit(), exitAfterMs, false);
          }
        },
      },
      decodeLimitsOf(limits),
    );
  }
}

/**
 * A paused stream must not keep the process alive. Standard input may be a file, which holds
 * nothing to release.
 */
function release(stream: Readable): void {
  if ("unref" in stream && typeof stream.unref === "function") {
    stream.unref();
  }
}
