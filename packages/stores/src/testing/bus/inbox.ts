import type { Bus, BusListener } from "../../bus/contract.ts";

/** A subscription whose messages a check waits for. */
export interface Inbox extends AsyncDisposable {
  /** All received messages. */
  readonly messages: readonly string[];
  /** How often `gap` was called. */
  readonly gaps: number;
  /** Resolves when a message has come. */
  has(message: string): Promise<void>;
  /** Resolves when `count` messages have arrived. */
  count(count: number): Promise<void>;
  /** Resolves when `gap` was called. */
  gap(): Promise<void>;
}

/** Subscribes to a topic. */
export async function openInbox(bus: Bus, topic: string): Promise<Inbox> {
  const messages: string[] = [];
  const waiting = new Set<() => void>();
  let gaps = 0;
  const changed = (): void => waiting.forEach((look) => look());
  const listener: BusListener = {
    message(payload) {
      messages.push(payload);
      changed();
    },
    gap() {
      gaps++;
      changed();
    },
  };
  const until = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (isTrue()) {
          waiting.delete(look);
          resolve();
        }
      };
      waiting.add(look);
      look();
    });
  const subscription = await bus.subscribe(topic, listener);
  return {
    messages,
    get gaps() {
      return gaps;
    },
    has: (message) => until(() => messages.includes(message)),
    count: (count) => until(() => messages.length >= count),
    gap: () => until(() => gaps > 0),
    [Symbol.asyncDispose]: () => subscription[Symbol.asyncDispose](),
  };
}
