import type { Clock } from "@tenon/base";

import type { Inbox } from "./inbox.ts";
import type { Outbox } from "./outbox.ts";
import type { Replies } from "./replies.ts";

/** How long a full peer waits for a handler to finish before it reads on and rejects requests. */
const patienceMs = 1000;

/** The methods that a {@link Gate} calls of its peer. */
export interface GateOwner {
  /** Reads the next message. */
  read(): void;
}

/**
 * Decides when a peer reads. Back pressure lets a burst wait. Handlers that hang must not make the
 * peer deaf: cancellations, notifications and responses arrive on the same stream.
 */
export class Gate {
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #replies: Replies;
  readonly #clock: Clock;
  readonly #owner: GateOwner;
  #isWaiting = false;
  #isClosing = false;
  /** Whether nothing finished for {@link patienceMs} while there was no room. */
  #isStuck = false;
  #timer: unknown;

  constructor(inbox: Inbox, outbox: Outbox, replies: Replies, clock: Clock, owner: GateOwner) {
    this.#inbox = inbox;
    this.#outbox = outbox;
    this.#replies = replies;
    this.#clock = clock;
    this.#owner = owner;
  }

  /** Whether reading may continue. If not, the owner reads when it may. */
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
    if (this.#isStuck && this.#inbox.eased) {
      this.#isStuck = false;
    }
    if (this.#isWaiting && !this.#isShut()) {
      this.#isWaiting = false;
      this.#clock.clearTimeout(this.#timer);
      this.#owner.read();
    }
  }

  /** From now on requests are rejected, so nothing needs room but the rejections. */
  close(): void {
    this.#isClosing = true;
    this.#clock.clearTimeout(this.#timer);
    this.onRoom();
  }

  #isShut(): boolean {
    return (
      this.#replies.congested ||
      (!this.#isClosing && !this.#isStuck && this.#inbox.full && this.#outbox.size === 0)
    );
  }
}
