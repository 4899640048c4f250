import type { Records } from "./records.ts";

/** How many sessions are looked at for one that can be ended. */
const maxTries = 8;
/** Time after its use in which a session is not ended for another, in milliseconds. */
const safeMs = 60_000;

/** A session without a principal that this process has opened. */
interface Opened {
  /** The end of its record, as far as this process knows. It grows when any process uses it. */
  expiresAt: number;
  usedAt: number;
}

/**
 * Bounds the records of sessions without a principal: each process ends one of those that it has
 * opened for a new session. Unused sessions come first.
 */
export class AnonymousSessions {
  readonly #max: number;
  readonly #unused = new Map<string, Opened>();
  readonly #used = new Map<string, Opened>();

  /** @param max - Maximum number of sessions that one process has opened. */
  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a session that this process has opened. */
  opened(id: string, expiresAt: number): void {
    this.#unused.set(id, { expiresAt, usedAt: -Infinity });
  }

  /** A session gets a request. Sessions of other processes are ignored. */
  used(id: string, expiresAt: number): void {
    const session = this.#unused.get(id) ?? this.#used.get(id);
    if (session !== undefined) {
      this.#setUsed(id, expiresAt);
    }
  }

  /** A session has ended. */
  ended(id: string): void {
    this.#unused.delete(id);
    this.#used.delete(id);
  }

  /**
   * Makes room for a new session.
   *
   * @param end - Ends a session.
   * @returns False if all sessions are in use.
   */
  async makeRoom(records: Records, end: (id: string) => Promise<void>): Promise<boolean> {
    for (let tries = 0; this.#unused.size + this.#used.size >= this.#max; tries++) {
      const [oldest] = this.#unused.size > 0 ? this.#unused : this.#used;
      const isSafe = oldest !== undefined && oldest[1].usedAt > performance.now() - safeMs;
      if (oldest === undefined || isSafe || tries >= maxTries) {
        return false;
      }
      const [id, { expiresAt }] = oldest;
      const record = await records.get(id, undefined);
      if (record !== undefined && record.expiresAt > expiresAt) {
        // Another process serves it.
        this.#setUsed(id, record.expiresAt);
        continue;
      }
      this.ended(id);
      if (record !== undefined) {
        await end(id);
      }
    }
    return true;
  }

  #setUsed(id: string, expiresAt: number): void {
    this.ended(id);
    this.#used.set(id, { expiresAt, usedAt: performance.now() });
  }
}
