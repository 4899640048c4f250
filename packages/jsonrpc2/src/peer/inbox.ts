import { Roster } from "@tenon/base";

import { IdTable } from "../id-table.ts";
import type { RequestId } from "../message.ts";
import type { RequestScope } from "./scope.ts";

/** Runs the handlers of messages. */
interface Starter {
  start(scope: RequestScope): void;
}

/**
 * Decides which inbound messages run, wait or are rejected. Requests, and messages that run at
 * once, have separate limits.
 */
export class Inbox {
  readonly #byId = new IdTable<RequestScope>();
  readonly #running = new Roster<RequestScope>();
  /**
   * How many of `#running` are not counted against `maxInFlight`: notifications and urgent
   * requests.
   */
  #immediate = 0;
  #parked: Set<RequestScope> | undefined;
  readonly #maxInFlight: number;
  readonly #maxHeld: number;
  readonly #starter: Starter;
  readonly #backlog: RequestScope[] = [];
  #starting = false;

  constructor(maxInFlight: number, maxBacklog: number, starter: Starter) {
    this.#maxInFlight = maxInFlight;
    this.#maxHeld = maxInFlight + maxBacklog;
    this.#starter = starter;
  }

  /** True if there is no room for one more message of some kind. */
  get full(): boolean {
    return this.#held >= this.#maxHeld || this.#immediate >= this.#maxHeld;
  }

  /** True once half of the room is free again. */
  get eased(): boolean {
    return 2 * Math.max(this.#held, this.#immediate) <= this.#maxHeld;
  }

  /** True if a request would run at once. */
  get hasPlace(): boolean {
    return this.#inFlight < this.#maxInFlight && this.#backlog.length === 0;
  }

  get #held(): number {
    return this.#inFlight + this.#backlog.length;
  }

  get #inFlight(): number {
    return this.#running.size - this.#immediate;
  }

  /** Whether no message runs or waits. Parked messages do not count. */
  get idle(): boolean {
    return this.#running.size === 0 && this.#backlog.length === 0;
  }

  /** The requests that have got no response yet. */
  requests(): readonly RequestScope[] {
    return this.#byId.values();
  }

  has(id: RequestId): boolean {
    return this.#byId.has(id);
  }

  /**
   * Starts the message, or queues a request. Notifications never wait, because behind queued
   * requests they would be handled after responses that arrived later. Urgent requests never wait
   * either. Returns false if there is no room.
   */
  admit(scope: RequestScope): boolean {
    if (scope.isImmediate) {
      if (this.#immediate >= this.#maxHeld) {
        return false;
      }
    } else if (this.#held >= this.#maxHeld) {
      return false;
    }
    if (scope.id !== undefined) {
      this.#byId.set(scope.id, scope);
    }
    if (scope.isImmediate || this.hasPlace) {
      this.#run(scope);
    } else {
      this.#backlog.push(scope);
    }
    return true;
  }

  /**
   * Releases the id of a request, so that the remote peer may reuse it. Returns false if the
   * request was already cancelled.
   */
  forget(scope: RequestScope): boolean {
    if (scope.id === undefined || this.#byId.get(scope.id) !== scope) {
      return false;
    }
    this.#byId.take(scope.id);
    return true;
  }

  /** Ends a message that ran, and starts what waited for its place. */
  finish(scope: RequestScope): void {
    this.#leave(scope);
    this.#parked?.delete(scope);
    this.#fill();
  }

  /**
   * Passes the place of a running message to the next waiting message. The message stays known and
   * may be cancelled.
   */
  park(scope: RequestScope): void {
    if (this.#leave(scope)) {
      this.#parked ??= new Set();
      this.#parked.add(scope);
      this.#fill();
    }
  }

  /** Counts a parked message as running again, even if there is no place. */
  unpark(scope: RequestScope): void {
    if (this.#parked?.delete(scope) === true) {
      this.#enter(scope);
    }
  }

  #fill(): void {
    if (this.#starting || this.#backlog.length === 0) {
      return;
    }
    // A handler that returns at once ends up here again: a loop, not a recursion as deep as the
    // backlog.
    this.#starting = true;
    while (this.#inFlight < this.#maxInFlight) {
      const next = this.#backlog.shift();
      if (next === undefined) {
        break;
      }
      this.#run(next);
    }
    this.#starting = false;
  }

  /**
   * Removes a request from the table. If its handler runs, it continues, and its result is dropped.
   */
  cancel(id: RequestId): RequestScope | undefined {
    const scope = this.#byId.take(id);
    if (scope !== undefined) {
      const waiting = this.#backlog.indexOf(scope);
      if (waiting >= 0) {
        this.#backlog.splice(waiting, 1);
      }
    }
    return scope;
  }

  /** Drops what waits and aborts what runs. */
  abortAll(reason: unknown): void {
    this.#backlog.length = 0;
    this.#byId.clear();
    for (const scope of [...this.#running.members(), ...(this.#parked ?? [])]) {
      scope.abort(reason);
    }
  }

  #run(scope: RequestScope): void {
    this.#enter(scope);
    this.#starter.start(scope);
  }

  #enter(scope: RequestScope): void {
    this.#running.add(scope);
    if (scope.isImmediate) {
      this.#immediate++;
    }
  }

  /** False if it was not running. */
  #leave(scope: RequestScope): boolean {
    const wasRunning = this.#running.delete(scope);
    if (wasRunning && scope.isImmediate) {
      this.#immediate--;
    }
    return wasRunning;
  }
}
