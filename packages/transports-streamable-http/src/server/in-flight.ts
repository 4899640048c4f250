import { adjustCount } from "@tenon/base";
import type { Handling } from "@tenon/jsonrpc2";

import type { Beating, Heartbeat } from "./heartbeat.ts";
import { refusal, type Refusal } from "./refusal.ts";
import type { RequestInfo } from "./request-info.ts";

/** A message without a session, from its arrival until its handler has settled. */
export interface Guest extends Beating {
  /** Its sender: clients are told apart by principal, otherwise by network. */
  readonly extra: RequestInfo;
  /** The handling of the message, once the server has taken it. */
  readonly handling: Handling | undefined;
  /** Whether it counts for its principal. Only {@link InFlight} changes it. */
  isCounted: boolean;
  /** Ends it because its sender is no longer authorized. */
  revoke(): void;
}

/** How many messages there may be at a time. */
export interface InFlightLimits {
  /** Of all senders. One of them may use half. */
  readonly max: number;
  /** The option that sets `max`, for the message of a refusal. */
  readonly option: string;
  readonly perPrincipal: number;
}

/**
 * The messages without a session that a handler serves at a time, up to a limit. One client may use
 * half of it, so that one client alone never keeps out the others.
 */
export class InFlight {
  readonly #guests: Heartbeat<Guest>;
  readonly #limits: InFlightLimits;
  readonly #share: number;
  /** How many messages each principal has. */
  readonly #counts = new Map<string, number>();

  /** @param guests - Keeps the messages, and their streams alive. */
  constructor(limits: InFlightLimits, guests: Heartbeat<Guest>) {
    this.#limits = limits;
    this.#share = Math.ceil(limits.max / 2);
    this.#guests = guests;
  }

  /** Returns why one more message of a client must be refused; `undefined` if it may be served. */
  refusal(sender: RequestInfo): Refusal | undefined {
    const { max, option, perPrincipal } = this.#limits;
    const { size } = this.#guests;
    if (size < this.#share && size < perPrincipal) {
      return undefined;
    }
    if (size >= max) {
      return refusal(503, `Too many requests in flight: the limit is ${max} (${option})`);
    }
    if (sender.auth !== undefined && this.#countOf(sender) >= perPrincipal) {
      return refusal(
        503,
        `Too many requests of this principal in flight: the limit is ${perPrincipal} (maxInFlightPerPrincipal)`,
      );
    }
    if (size < this.#share || this.#countOf(sender) < this.#share) {
      return undefined;
    }
    return refusal(
      503,
      `Too many requests of this client in flight: one client may have half of ${max} (${option})`,
    );
  }

  add(guest: Guest): void {
    this.#guests.add(guest);
    if (!guest.isCounted) {
      guest.isCounted = true;
      this.#count(guest, 1);
    }
  }

  /** Its place among the guests may be free already, because its heartbeat has failed. */
  delete(guest: Guest): void {
    this.#guests.delete(guest);
    if (guest.isCounted) {
      guest.isCounted = false;
      this.#count(guest, -1);
    }
  }

  /** The principals of the messages. */
  principals(): readonly string[] {
    return [...this.#counts.keys()];
  }

  /** Ends the messages of a principal. */
  revoke(principal: string): void {
    for (const guest of this.#guests.members()) {
      if (guest.extra.auth?.principal === principal) {
        guest.revoke();
      }
    }
  }

  /** Closes the handling of every message: see `Handling.close`. */
  async close(drainMs: number | undefined): Promise<void> {
    await Promise.all(this.#guests.members().map(async ({ handling }) => handling?.close({ drainMs })));
  }

  #count({ extra: { auth } }: Guest, change: 1 | -1): void {
    if (auth !== undefined) {
      adjustCount(this.#counts, auth.principal, change);
    }
  }

  /**
   * Networks are counted only near the limit, because to count them for each message would cost
   * more than all the rest of this class.
   */
  #countOf({ auth, network }: RequestInfo): number {
    if (auth !== undefined) {
      return this.#counts.get(auth.principal) ?? 0;
    }
    const isSame = ({ extra }: Guest): boolean => extra.auth === undefined && extra.network === network;
    return network === undefined ? 0 : this.#guests.members().filter(isSame).length;
  }
}
