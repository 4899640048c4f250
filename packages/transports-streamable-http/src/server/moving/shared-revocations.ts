import type { KeeperSetup } from "../session-keeper.ts";
import type { Records } from "./records.ts";
import { maxRevocations, type Revocation } from "./revocation.ts";

/** The clocks of two processes may differ by so much, in milliseconds. */
const clockSkewMs = 60_000;

/** A session that is being opened. */
interface OpeningSession {
  readonly principal: string;
  isRevoked: boolean;
}

/**
 * The revocations of all processes. Each is listed in the store before it is published, so that a
 * process that has lost messages of the bus finds the revocations that it has missed.
 */
export class SharedRevocations {
  readonly #records: Records;
  readonly #settings: Pick<KeeperSetup, "revoked" | "principals" | "onError">;
  readonly #startedAt = Date.now();
  /** The IDs of the revocations that this process has applied. */
  #seen = new Set<string>();
  /** The sessions that are being opened. */
  readonly #opening = new Set<OpeningSession>();
  #isFirst = true;
  #reading: Promise<unknown> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(records: Records, settings: Pick<KeeperSetup, "revoked" | "principals" | "onError">) {
    this.#records = records;
    this.#settings = settings;
    this.catchUp().catch(settings.onError);
  }

  /**
   * Lists a revocation that this process has applied, and publishes it then, even if it could not
   * be listed.
   *
   * @throws `StoreError`
   */
  async share(principal: string, publish: (id: string) => Promise<unknown>): Promise<void> {
    const id = crypto.randomUUID();
    this.#seen.add(id);
    this.#note(principal);
    const listed = this.#records.addRevocation({ id, principal, at: Date.now() });
    await Promise.allSettled([listed]);
    await Promise.all([listed, publish(id)]);
  }

  /** Applies a revocation that another process has published. */
  apply({ id, principal }: Pick<Revocation, "id" | "principal">): void {
    this.#seen.add(id);
    this.#revoked(principal);
  }

  /**
   * Opens a session of a principal, whom this or another process may revoke at the same time.
   *
   * @param open - Creates the record, by which further revocations find the session.
   * @returns Whether the principal was not revoked.
   * @throws The rejection of `open`; `StoreError`.
   */
  async whileOpening(principal: string | undefined, open: () => Promise<void>): Promise<boolean> {
    if (principal === undefined) {
      await open();
      return true;
    }
    const opening: OpeningSession = { principal, isRevoked: false };
    this.#opening.add(opening);
    try {
      await open();
      // A revocation is listed before it reads its sessions, so one without this session is listed.
      await this.catchUp();
      return !opening.isRevoked;
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** Applies the revocations that this process has missed. @throws `StoreError` */
  catchUp(): Promise<void> {
    // A read that has begun may have been too early.
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined;
      return this.#read();
    });
    this.#reading = this.#next.catch(() => undefined);
    return this.#next;
  }

  async #read(): Promise<void> {
    const { size } = this.#seen;
    const listed = await this.#records.revocations();
    // What was revoked before this process began cannot concern it.
    const first = this.#isFirst ? this.#startedAt - clockSkewMs : -Infinity;
    const missed = listed.filter(({ id, at }) => at >= first && !this.#seen.has(id));
    // The list may lack what has arrived during the read.
    this.#seen = new Set([...listed.map(({ id }) => id), ...[...this.#seen].slice(size)]);
    this.#isFirst = false;
    const all = missed.length < maxRevocations ? [] : this.#settings.principals();
    if (missed.length === maxRevocations) {
      const message = `This process may have missed more than ${maxRevocations} revocations. The requests of all principals end.`;
      this.#settings.onError(new Error(message));
    }
    new Set([...all, ...missed.map(({ principal }) => principal)]).forEach((principal) =>
      this.#revoked(principal),
    );
  }

  #revoked(principal: string): void {
    this.#note(principal);
    this.#settings.revoked(principal);
  }

  #note(principal: string): void {
    for (const opening of this.#opening) {
      opening.isRevoked ||= opening.principal === principal;
    }
  }
}
