import type { Clock } from "@tenon/base";
import type { ResourceUpdatedNotificationParams } from "@tenon/protocol";

import { HostError } from "../error.ts";
import type { ManagedServer } from "../server/managed-server.ts";
import { alive } from "../server/wait.ts";

/** The reason for subscribing again: the previous session has been replaced. */
const renewal = Symbol("renewal");

/** The dependencies of {@link WatchedResources}. */
interface WatchedSetup {
  readonly clock: Clock;
  readonly maxWatches: number;
  /** Called with every update before the watcher is called. */
  onUpdated(uri: string): void;
}

/** The watched resources of one server. They outlive its sessions. */
export class WatchedResources {
  readonly #server: ManagedServer;
  readonly #setup: WatchedSetup;
  readonly #running = new Set<AbortController>();
  #count = 0;

  constructor(server: ManagedServer, setup: WatchedSetup) {
    this.#server = server;
    this.#setup = setup;
  }

  /** Subscribes again, because the server no longer has the subscriptions. */
  renew(): void {
    for (const round of this.#running) {
      round.abort(renewal);
    }
  }

  /**
   * The updates of a resource. After each gap, in which some may have been missed, one is given.
   * Ends when the server is closed.
   *
   * @throws `HostError` `SERVER_GONE` if the server is given up, `LIMIT_EXCEEDED`; whatever the
   *   subscription was refused with; `signal.reason`.
   */
  async *watch(
    uri: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ResourceUpdatedNotificationParams, void, undefined> {
    if (this.#count >= this.#setup.maxWatches) {
      const message = `${this.#count} resources of ${this.#server.name} are watched already (maxWatches).`;
      throw new HostError("LIMIT_EXCEEDED", message, { server: this.#server.name, phase: "read" });
    }
    this.#count++;
    let isFirst = true;
    try {
      for (;;) {
        yield* this.#round(uri, isFirst, signal);
        isFirst = false;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isFirst || this.#server.state !== "closed") {
        throw error;
      }
    } finally {
      this.#count--;
    }
  }

  /** Yields the updates of one session, until it ends or is replaced. */
  async *#round(
    uri: string,
    isFirst: boolean,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ResourceUpdatedNotificationParams, void, undefined> {
    const session = await alive(this.#setup.clock, this.#server.ready(signal));
    signal?.throwIfAborted();
    const round = new AbortController();
    const onAbort = (): void => round.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort);
    this.#running.add(round);
    const watch = session.watch(uri, { signal: round.signal });
    try {
      await watch.ready;
      if (!isFirst) {
        this.#setup.onUpdated(uri);
        yield { uri };
      }
      for await (const update of watch) {
        this.#setup.onUpdated(update.uri);
        yield update;
      }
      // The watch ends when its session does, and the server notes that only after the session.
      await session.closed;
    } catch (error) {
      signal?.throwIfAborted();
      if (error === renewal) {
        return;
      }
      if (!session.isClosed) {
        throw error;
      }
      await session.closed;
    } finally {
      this.#running.delete(round);
      signal?.removeEventListener("abort", onAbort);
      await watch.close();
    }
  }
}
