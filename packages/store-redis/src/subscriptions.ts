import { inTime, systemClock } from "@tenon/base";
import { StoreError } from "@tenon/stores";

import type { Connection } from "./connection.ts";
import type { Subscriber } from "./link.ts";

/** Listens to channels on one connection, which is opened for the first subscription. */
export interface Subscriptions {
  /** Resolves when messages of a channel reach `message`. */
  keep(channel: string): Promise<void>;
  /** Ends the subscription to a channel, unless `isWanted` returns true for it again. */
  drop(channel: string): Promise<void>;
  /** Closes the connection. */
  close(): void;
}

/** The owner of {@link Subscriptions}. */
export interface SubscriptionsOwner {
  /** Whether a channel has listeners. */
  isWanted(channel: string): boolean;
  /** All channels with listeners. */
  wanted(): readonly string[];
  message(channel: string, message: string): void;
  /** The connection was lost and works again, and all wanted channels are subscribed. */
  restored(): void;
  onError(error: unknown): void;
}

/**
 * Creates {@link Subscriptions}. The connection is checked at intervals, and replaced if the server
 * does not respond: nothing is sent on it otherwise, so neither end would learn of a network that
 * drops its packets.
 */
export function createSubscriptions(
  { link, prefix, aliveMs }: Pick<Connection, "link" | "prefix" | "aliveMs">,
  hooks: SubscriptionsOwner,
): Subscriptions {
  const active = new Set<string>();
  /** The connection that is open or being opened. */
  let subscriber: Subscriber | undefined;
  let [working, setWorking] = connecting();
  let hasWorked = false;
  let timer: unknown;
  let isClosed = false;
  /** One change at a time, so that leaving and subscribing do not overtake each other. */
  let tail: Promise<void> = Promise.resolve();

  function next(run: () => Promise<void>): Promise<void> {
    const done = tail.then(run);
    tail = done.catch(() => undefined);
    return done;
  }

  function open(): void {
    const made = link.subscriber({
      message: (channel, message) => hooks.message(channel, message),
      ready() {
        if (made === subscriber) {
          setWorking(made);
          if (hasWorked) {
            restore(made);
          }
          hasWorked = true;
        }
      },
    });
    subscriber = made;
    watch(made);
  }

  function watch(made: Subscriber): void {
    const check = (): void => {
      isAlive(made)
        .then((alive) => {
          if (made === subscriber) {
            (alive ? watch : replace)(made);
          }
        })
        .catch(hooks.onError);
    };
    timer = systemClock.setTimeout(check, aliveMs, false);
  }

  /** Whether the server responds on a connection. A refusal is a response. */
  async function isAlive(made: Subscriber): Promise<boolean> {
    const channel = `${prefix}alive`;
    const asked = made.subscribe(channel).then(() => made.unsubscribe(channel));
    const responded = asked.then(() => true, isRefusal);
    return inTime(responded, aliveMs, { expired: () => false, keepsAlive: false });
  }

  function replace(made: Subscriber): void {
    const set = setWorking;
    [working, setWorking] = connecting();
    // Calls that wait for the former connection wait for the new connection.
    working.then(set, hooks.onError);
    active.clear();
    open();
    made.close();
  }

  /** Clients subscribe again by themselves, but some report that they are ready before. */
  function restore(made: Subscriber): void {
    next(async () => {
      const channels = hooks.wanted();
      await Promise.all(channels.map((channel) => made.subscribe(channel)));
      channels.forEach((channel) => active.add(channel));
      hooks.restored();
    }).catch(hooks.onError);
  }

  /** Resolves when the connection works, because some clients do not queue commands. */
  async function opened(): Promise<Subscriber> {
    if (isClosed) {
      throw new StoreError("CLOSED", "Subscriptions are closed.");
    }
    if (subscriber === undefined) {
      open();
    }
    return working;
  }

  return {
    keep: (channel) =>
      next(async () => {
        if (active.has(channel)) {
          return;
        }
        const made = await opened();
        // The caller may have given up.
        if (hooks.isWanted(channel)) {
          await made.subscribe(channel);
          active.add(channel);
        }
        if (!hooks.isWanted(channel) && active.delete(channel)) {
          await made.unsubscribe(channel);
        }
      }),
    drop: (channel) =>
      next(async () => {
        if (active.has(channel) && !hooks.isWanted(channel)) {
          active.delete(channel);
          await (await opened()).unsubscribe(channel).catch((error: unknown) => {
            // A connection that is closed has no subscriptions.
            if (!isClosed) {
              throw error;
            }
          });
        }
      }),
    close() {
      isClosed = true;
      active.clear();
      systemClock.clearTimeout(timer);
      const made = subscriber;
      subscriber = undefined;
      made?.close();
    },
  };
}

/** A promise of a connection, and the function that resolves it. */
function connecting(): [Promise<Subscriber>, (subscriber: Subscriber) => void] {
  let resolve: (subscriber: Subscriber) => void = () => undefined;
  const promise = new Promise<Subscriber>((resolved) => {
    resolve = resolved;
  });
  return [promise, resolve];
}

/** Whether an error is a response of the server, such as `NOPERM …`, and not of the client. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^[A-Z]{2,} /.test(error.message);
}
