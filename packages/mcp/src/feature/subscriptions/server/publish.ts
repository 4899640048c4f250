import type { Clock } from "@tenon/base";

import { lazy, type Lazy } from "../../../base/lazy.ts";
import type { ChangeFilter } from "../../../request/server/change.ts";
import type { InnerServerSession } from "../../../request/server/session.ts";
import { isConcerned, isWanted } from "./concerned.ts";
import type { Listen } from "./listens.ts";
import type { ServerChange } from "./server-change.ts";
import type * as watchingModule from "./watching.lazy.ts";

/**
 * The code that a server needs from the first subscription of a client, or the first change
 * notification, on.
 */
export const watching: Lazy<typeof watchingModule> = lazy(() => import("./watching.lazy.ts"));

/** The dependencies of {@link Publisher} on its server. */
export interface PublisherSetup {
  sessions(): Iterable<InnerServerSession>;
  /** The listens of all clients of the modern era. */
  readonly listens: ReadonlySet<Listen>;
  /**
   * How long changes to a list are collected before clients are notified, in milliseconds. With `0`
   * they are collected until the end of the turn.
   */
  readonly listChangedDelayMs: number;
  /** Called with each change of this server, to forward it to the other instances. */
  readonly onChange: ((change: ServerChange) => unknown) | undefined;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/**
 * Notifies clients of changes: legacy clients whose capabilities include it, and modern clients
 * with an open subscription.
 *
 * @source S-169, S-171, R-531
 */
export class Publisher {
  readonly #setup: PublisherSetup;
  #delivery: watchingModule.Delivery | undefined;
  /** The lists whose changes are being collected, and whether a local client is to be notified. */
  readonly #lists = new Map<string, boolean>();
  /**
   * Distinguishes this server's own changes from changes of other instances. Created when needed,
   * because Workers have no random numbers before their first request.
   */
  #origin: string | undefined;

  constructor(setup: PublisherSetup) {
    this.#setup = setup;
  }

  /**
   * Publishes a change of a list. Changes within the delay share one notification. New sessions are
   * not notified, because a client that connects within the delay reads the changed list.
   */
  listChanged(method: string): void {
    const isHeard = this.#isHeard(method);
    if (!isHeard && this.#setup.onChange === undefined) {
      return;
    }
    const pending = this.#lists.get(method);
    this.#lists.set(method, isHeard || pending === true);
    if (pending !== undefined) {
      return;
    }
    const tell = (): void => {
      const wasHeard = this.#lists.get(method) === true;
      this.#lists.delete(method);
      if (wasHeard) {
        this.#deliver((delivery) => delivery.publish(method, undefined, undefined));
      }
      this.#tellOthers({ method });
    };
    const { listChangedDelayMs, clock } = this.#setup;
    if (listChangedDelayMs > 0) {
      clock.setTimeout(tell, listChangedDelayMs, false);
    } else {
      queueMicrotask(tell);
    }
  }

  /** A resource has changed. A change that concerns some clients only stays on this instance. */
  resourceUpdated(uri: string, to: ChangeFilter | undefined): void {
    const method = "notifications/resources/updated";
    this.#deliver((delivery) => delivery.publish(method, uri, to));
    if (to === undefined) {
      this.#tellOthers({ method, uri });
    }
  }

  /**
   * Publishes a change on another instance. Invalid values and changes of this server are ignored.
   */
  announce(change: unknown, to: ChangeFilter | undefined): void {
    const origin = this.#origin;
    this.#deliver((delivery) => delivery.announce(change, origin, to));
  }

  #tellOthers(change: Omit<ServerChange, "origin">): void {
    const { onChange, onError } = this.#setup;
    if (onChange !== undefined) {
      const origin = (this.#origin ??= crypto.randomUUID());
      const tell = async (): Promise<unknown> => onChange({ ...change, origin });
      tell().catch(onError);
    }
  }

  /**
   * Runs `work` with the code that sends changes, in the order of the calls. Does nothing if no
   * client is connected.
   */
  #deliver(work: (delivery: watchingModule.Delivery) => void): void {
    const { listens, onError } = this.#setup;
    if (listens.size === 0 && this.#setup.sessions()[Symbol.iterator]().next().done === true) {
      return;
    }
    const done = watching.use(({ Delivery }) => {
      this.#delivery ??= new Delivery(this.#setup);
      work(this.#delivery);
    });
    if (done instanceof Promise) {
      done.catch(onError);
    }
  }

  #isHeard(method: string): boolean {
    for (const session of this.#setup.sessions()) {
      if (isConcerned(session, method, undefined)) {
        return true;
      }
    }
    for (const listen of this.#setup.listens) {
      if (isWanted(listen, method, undefined)) {
        return true;
      }
    }
    return false;
  }
}
