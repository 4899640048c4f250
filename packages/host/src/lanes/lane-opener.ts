import { backoff, inTime, quotedMessage, type Clock } from "@tenon/base";
import { connectionClosed } from "@tenon/jsonrpc2/core";
import type { ClientSession } from "@tenon/mcp";

import { onLaneEnd } from "./lane-end.ts";
import type { LaneSetup } from "./lane-setup.ts";
import type { Lane } from "./lane.ts";
import { notSent } from "./refusals.ts";

/** Time in which connections must stop opening when all are closed, in milliseconds. */
const openingMs = 10_000;

/** Opens connections to a server. One that failed to connect is left alone for a while. */
export class LaneOpener {
  readonly #connect: (setup: LaneSetup) => Promise<ClientSession>;
  readonly #onEnd: (lane: Lane) => void;
  readonly #clock: Clock;
  /** The connections that are being opened, or have not ended. */
  readonly #lanes = new Set<Lane>();
  readonly #opening = new Set<Promise<void>>();
  #failures = 0;
  /** The error of the last attempt to connect. */
  #failure: unknown;
  #retryAt = 0;
  #isClosed = false;

  /**
   * Creates an opener without failures.
   *
   * @param onEnd - Called when a connection that was opened has ended.
   */
  constructor(
    connect: (setup: LaneSetup) => Promise<ClientSession>,
    onEnd: (lane: Lane) => void,
    clock: Clock,
  ) {
    this.#connect = connect;
    this.#onEnd = onEnd;
    this.#clock = clock;
  }

  /**
   * Opens a connection.
   *
   * @param place - Called when the connection is open, in the same turn.
   * @throws The error of `connect`; `RpcError` after `close`.
   */
  async open(lane: Lane, place: () => void): Promise<void> {
    this.expectOpen();
    if (this.#clock.now() < this.#retryAt) {
      const why = quotedMessage(this.#failure);
      const message = `it failed to connect a moment ago, and is left alone for a while. ${why}`;
      throw new Error(message, { cause: this.#failure });
    }
    const failures = this.#failures;
    const opening = lane.open(this.#connect);
    this.#lanes.add(lane);
    this.#opening.add(opening);
    try {
      await opening;
      if (lane.wasLost) {
        throw connectionClosed("The server ended the connection when it was opened.");
      }
      this.#failures = 0;
      this.#retryAt = 0;
    } catch (error) {
      this.#lanes.delete(lane);
      if (lane.isDead && !lane.wasLost) {
        // The caller has left, and the server may be fine.
        throw notSent("The connection was closed while it opened.", error);
      }
      this.#failed(error, failures);
      throw error;
    } finally {
      this.#opening.delete(opening);
    }
    onLaneEnd(lane, () => {
      this.#lanes.delete(lane);
      this.#onEnd(lane);
    });
    this.expectOpen();
    place();
  }

  /** @param before - The failures in a row when the attempt began. */
  #failed(error: unknown, before: number): void {
    this.#failure = error;
    // Attempts of many callers that fail at the same time are one failure of the server.
    if (before === this.#failures) {
      this.#failures++;
      this.#retryAt = this.#clock.now() + backoff(before, { initialDelayMs: 100, maxDelayMs: 10_000 });
    }
  }

  /** Checks that connections may be opened. @throws `RpcError` `-32603` after `close`. */
  expectOpen(): void {
    if (this.#isClosed) {
      throw notSent("Cannot connect to the server: the proxy was closed.");
    }
  }

  /**
   * Opens no more connections, and ends all. Those that are being opened have ended too, unless
   * `connect` takes longer than 10 seconds: then they end later.
   *
   * @param drainMs - The time for running calls to finish.
   */
  async close(drainMs: number): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([...this.#lanes].map((lane) => lane.close(drainMs)));
    await inTime<unknown>(Promise.allSettled(this.#opening), openingMs, {
      expired: () => undefined,
      clock: this.#clock,
    });
  }
}
