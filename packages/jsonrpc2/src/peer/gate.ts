import type { Clock } from "@tenon/base";

import type { Inbox } from "./inbox.ts";
import type { Outbox } from "./outbox.ts";
import type { Replies } from "./replies.ts";

/** How long a full peer waits for a handler to finish before it reads on and rejects requests. */
const patienceMs = 1000;

/** The parts of a peer that may have no room. */
interface Parts {
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly replies: Replies;
}

/**
 * Decides when a peer reads. Back pressure lets a burst wait. Handlers that hang must not make the
 * peer deaf: cancellations, notifications and responses arrive on the same stream.
 */
export class Gate {
  readonly #parts: Parts;
  readonly #clock: Clock;
  readonly #read: () => void;
  #isWaiting = false;
  #isClosing = false;
  /** Whether nothing finished for {@link patienceMs} while there was no room. */
  #isStuck = false;
  #timer: unknown;

  /** @param read - Reads the next message. */
  constructor(parts: Parts, clock: Clock, read: () => void) {
    this.#parts = parts;
    this.#clock = clock;
    this.#read = read;
  }

  /** Whether reading may continue. If not, `read` is called when it may. */
  pass(): boolean {
    if (!this.#isShut()) {
      return true;
    }
    this.#isWaiting = true;
    if (!this.#isClosing) {
      const readOn = (): void => {
        this.#isStuck = true;
        this.onRoom();
      };
      this.#timer = this.#clock.setTimeout(readOn, patienceMs, true);
    }
    return false;
  }

  /** To be called when there may be room again. */
  onRoom(): void {
    if (this.#isStuck && this.#parts.inbox.eased) {
      this.#isStuck = false;
    }
    if (this.#isWaiting && !this.#isShut()) {
      this.#isWaiting = false;
      this.#clock.clearTimeout(this.#timer);
      this.#read();
    }
  }

  /** From now on requests are rejected, so nothing needs room but the rejections. */
  close(): void {
    this.#isClosing = true;
    this.#clock.clearTimeout(this.#timer);
    this.onRoom();
  }

  #isShut(): boolean {
    const { inbox, outbox, replies } = this.#parts;
    return replies.congested || (!this.#isClosing && !this.#isStuck && inbox.full && outbox.size === 0);
  }
}
