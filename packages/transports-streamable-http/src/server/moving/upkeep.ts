import { unref } from "@tenon/http/transport";
import type { SessionRecord } from "@tenon/stores";

import { attempt } from "../../shared/attempt.ts";
import type { AnonymousSessions } from "./anonymous.ts";
import type { Records } from "./records.ts";
import type { Entry, MovingSetup, ReplicaTable } from "./replica-table.ts";
import type { SharedRevocations } from "./shared-revocations.ts";

/** The dependencies of {@link Upkeep}. */
export interface UpkeepSetup {
  readonly records: Records;
  readonly replicas: ReplicaTable;
  readonly anonymous: AnonymousSessions;
  readonly revocations: SharedRevocations;
  /** Notifies the other processes that a session has ended. */
  announceEnd(id: string): void;
}

/** Extends the sessions in use, drops replicas out of use, and ends the sessions out of use. */
export class Upkeep {
  readonly #setup: MovingSetup;
  readonly #parts: UpkeepSetup;
  readonly #every: number;
  readonly #timer: ReturnType<typeof setInterval>;
  #isRunning = false;

  constructor(setup: MovingSetup, parts: UpkeepSetup) {
    this.#setup = setup;
    this.#parts = parts;
    this.#every = Math.max(10, Math.min(setup.limits.idleMs / 4, 60_000));
    this.#timer = setInterval(() => void this.#visit().catch(setup.settings.onError), this.#every);
    unref(this.#timer);
  }

  /** Stops the visits. */
  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * A session gets a message. Extends its record at once, but not more often than the visits.
   *
   * @param entry - `undefined` if this process does not serve the session yet.
   * @param isUse - Whether it is more than a notification.
   */
  used({ id, expiresAt }: SessionRecord, entry: Entry | undefined, isUse: boolean): void {
    const { anonymous, records } = this.#parts;
    if (isUse) {
      anonymous.used(id, expiresAt);
    }
    const now = performance.now();
    if (entry !== undefined && now - entry.touchedAt < this.#every) {
      return;
    }
    if (entry !== undefined) {
      entry.touchedAt = now;
    }
    records.touch(id).catch((error: unknown) => {
      if (entry !== undefined) {
        // The next request tries it again.
        entry.touchedAt = -Infinity;
      }
      this.#setup.settings.onError(error);
    });
  }

  async #visit(): Promise<void> {
    // A store that needs longer than the interval is not visited twice at a time.
    if (this.#isRunning) {
      return;
    }
    this.#isRunning = true;
    try {
      await this.#expire();
    } finally {
      this.#isRunning = false;
    }
  }

  async #expire(): Promise<void> {
    const { records, replicas, anonymous, revocations, announceEnd } = this.#parts;
    const { limits, options, settings } = this.#setup;
    const now = performance.now();
    revocations.catchUp().catch(settings.onError);
    for (const entry of replicas.all()) {
      const { session, lastSeen } = entry;
      if (session.busy || lastSeen > now - this.#every) {
        entry.touchedAt = now;
        if (!(await records.touch(session.sessionId))) {
          await replicas.drop(entry, 0);
        }
      } else if (lastSeen < now - limits.idleMs) {
        void replicas.drop(entry, 0).catch(settings.onError);
      }
    }
    for await (const { id, principal } of records.sweep()) {
      anonymous.ended(id);
      announceEnd(id);
      attempt(() => options.onSessionClosed?.({ id, principal }, "idle"), settings.onError);
    }
  }
}
