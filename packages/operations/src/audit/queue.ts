import { adjustCount, backoff, type Clock, inTime, systemClock } from "@tenon/base";

import type { AuditEvent, AuditGap } from "./event.ts";

/** Stores events, such as in a table. It may be called again with events that it has stored. */
export type AuditWriter = (events: readonly (AuditEvent | AuditGap)[]) => void | Promise<void>;

/** The numbers of a queue, in milliseconds and events. */
export interface QueueSetup {
  readonly maxQueued: number;
  readonly maxBatch: number;
  readonly writeTimeoutMs: number;
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  readonly clock?: Clock | undefined;
  readonly onError: (error: unknown) => void;
}

/** Writes events in batches, in their order, and keeps them until they are written. */
export class AuditQueue {
  readonly #write: AuditWriter;
  readonly #setup: QueueSetup;
  readonly #clock: Clock;
  readonly #queued: (AuditEvent | AuditGap)[] = [];
  /** How many queued events each sender has. */
  readonly #counts = new Map<string, number>();
  #gap: { time: string; dropped: number } | undefined;
  #running: Promise<void> | undefined;
  #failures = 0;
  #wake: (() => void) | undefined;
  #isEnded = false;

  constructor(write: AuditWriter, setup: QueueSetup) {
    this.#write = write;
    this.#setup = setup;
    this.#clock = setup.clock ?? systemClock;
  }

  /** How many events wait to be written. */
  get size(): number {
    return this.#queued.length;
  }

  /** How many senders have queued events. */
  get senders(): number {
    return this.#counts.size;
  }

  /**
   * Queues an event. One sender may use half of the queue, so that it cannot displace the events of
   * others.
   */
  add(event: AuditEvent): void {
    const { maxQueued } = this.#setup;
    if (this.#isEnded) {
      this.#setup.onError(new Error(`An event of ${event.method} came after the audit was closed.`));
      return;
    }
    const size = this.#queued.length;
    const sender = senderOf(event);
    const count = this.#counts.get(sender) ?? 0;
    if (size >= maxQueued || (size >= maxQueued / 2 && count >= maxQueued / 2)) {
      if (this.#gap === undefined) {
        this.#gap = { time: event.time, dropped: 0 };
        this.#setup.onError(new Error(`Audit events are dropped: ${size} wait to be written (maxQueued).`));
      }
      this.#gap.dropped++;
      return;
    }
    this.#counts.set(sender, count + 1);
    this.#queued.push(event);
    this.#running ??= this.#run();
  }

  /**
   * Writes what is queued, and ends the queue.
   *
   * @param timeoutMs - Maximum time, in milliseconds.
   * @throws If events could not be written.
   */
  async end(timeoutMs: number): Promise<void> {
    this.#wake?.();
    await inTime(Promise.resolve(this.#running), timeoutMs, {
      expired: () => undefined,
      clock: this.#clock,
    });
    this.#isEnded = true;
    this.#wake?.();
    const lost = this.#queued.length + (this.#gap?.dropped ?? 0);
    if (lost > 0) {
      throw new Error(`${lost} audit events were not written within ${timeoutMs} ms (closeTimeoutMs).`);
    }
  }

  async #run(): Promise<void> {
    // Events of the same turn are written together.
    await Promise.resolve();
    while ((this.#queued.length > 0 || this.#gap !== undefined) && !this.#isEnded) {
      if (this.#queued.length < this.#setup.maxQueued && this.#gap !== undefined) {
        this.#queued.push({ id: crypto.randomUUID(), ...this.#gap });
        this.#gap = undefined;
      }
      const batch = this.#queued.slice(0, this.#setup.maxBatch);
      try {
        await this.#bounded(batch);
        this.#queued.splice(0, batch.length);
        batch.forEach((event) => this.#forget(event));
        this.#failures = 0;
      } catch (error) {
        this.#setup.onError(
          new Error("Audit events could not be written. They are written again.", { cause: error }),
        );
        await this.#pause(backoff(this.#failures++, this.#setup));
      }
    }
    this.#running = undefined;
  }

  #forget(event: AuditEvent | AuditGap): void {
    if ("dropped" in event) {
      return;
    }
    adjustCount(this.#counts, senderOf(event), -1);
  }

  async #bounded(batch: readonly (AuditEvent | AuditGap)[]): Promise<void> {
    const { writeTimeoutMs } = this.#setup;
    const expired = (): never => {
      throw new Error(`write did not end within ${writeTimeoutMs} ms (writeTimeoutMs).`);
    };
    const written = Promise.resolve(this.#write(batch));
    await inTime(written, writeTimeoutMs, { expired, clock: this.#clock, keepsAlive: false });
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#wake = undefined;
        this.#clock.clearTimeout(timer);
        resolve();
      };
      const timer = this.#clock.setTimeout(done, delayMs, false);
      this.#wake = done;
    });
  }
}

const senderOf = ({ principal, address }: AuditEvent): string =>
  principal === undefined ? `address ${address ?? ""}` : `principal ${principal}`;
