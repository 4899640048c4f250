/** How many revoked principals are remembered. */
const maxRemembered = 1000;

/**
 * Remembers which principals were revoked while requests were arriving: a request whose sender was
 * identified before that must not begin after it.
 */
export class Revocations {
  #count = 0;
  /**
   * The last revocation whose principal is forgotten. Senders that were identified before it count
   * as revoked.
   */
  #forgotten = 0;
  /** By principal, the number of its last revocation. Oldest first. */
  readonly #last = new Map<string, number>();

  /** The number of revocations so far. Note it before a sender is identified. */
  get count(): number {
    return this.#count;
  }

  /** Notes a revocation. */
  add(principal: string): void {
    this.#count++;
    this.#last.delete(principal);
    this.#last.set(principal, this.#count);
    const [oldest] = this.#last.size > maxRemembered ? this.#last : [];
    if (oldest !== undefined) {
      this.#last.delete(oldest[0]);
      this.#forgotten = oldest[1];
    }
  }

  /**
   * Returns whether a principal was revoked after a request of it had arrived. A sender without a
   * principal cannot be revoked.
   *
   * @param since - The value of `count` when the request arrived.
   */
  revokedSince(since: number, principal: string | undefined): boolean {
    if (principal === undefined || since === this.#count) {
      return false;
    }
    return since < this.#forgotten || (this.#last.get(principal) ?? 0) > since;
  }
}
