import type { Link, Subscriber } from "./link.ts";

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

/** Creates {@link Subscriptions}. */
export function createSubscriptions(link: Link, hooks: SubscriptionsOwner): Subscriptions {
  const active = new Set<string>();
  let subscriber: Subscriber | undefined;
  let ready: Promise<Subscriber> | undefined;
  /** One change at a time, so that leaving and subscribing do not overtake each other. */
  let tail: Promise<void> = Promise.resolve();

  function next(run: () => Promise<void>): Promise<void> {
    const done = tail.then(run);
    tail = done.catch(() => undefined);
    return done;
  }

  /** Opens the connection. Resolves when it works, because some clients do not queue commands. */
  function open(): Promise<Subscriber> {
    return new Promise((resolve) => {
      let isFirst = true;
      const made = link.subscriber({
        message: (channel, message) => hooks.message(channel, message),
        ready() {
          if (isFirst) {
            isFirst = false;
            resolve(made);
          } else {
            restore(made);
          }
        },
      });
      subscriber = made;
    });
  }

  /** Clients subscribe again by themselves, but some report that they are ready before. */
  function restore(made: Subscriber): void {
    next(async () => {
      await Promise.all(hooks.wanted().map((channel) => made.subscribe(channel)));
      hooks.restored();
    }).catch(hooks.onError);
  }

  function opened(): Promise<Subscriber> {
    ready ??= open();
    return ready;
  }

  return {
    keep: (channel) =>
      next(async () => {
        if (!active.has(channel)) {
          await (await opened()).subscribe(channel);
          active.add(channel);
        }
      }),
    drop: (channel) =>
      next(async () => {
        if (active.has(channel) && !hooks.isWanted(channel)) {
          active.delete(channel);
          await (await opened()).unsubscribe(channel);
        }
      }),
    close() {
      subscriber?.close();
      subscriber = undefined;
    },
  };
}
