import { takeLateFailure } from "@tenon/base";

import type { BusListener } from "./contract.ts";

/** The listeners of one process, by topic. For authors of buses. */
export interface BusListeners {
  /** Adds a listener. @returns Removes it; true if its topic has no listeners left. */
  add(topic: string, listener: BusListener): () => boolean;
  /** Whether a topic has listeners. */
  has(topic: string): boolean;
  /** All topics with listeners. */
  topics(): readonly string[];
  /** Calls the listeners of a topic. */
  message(topic: string, payload: string): void;
  /** Calls `gap` of the listeners of a topic, or of all topics. */
  gap(topic?: string): void;
  /** Removes all listeners. */
  clear(): void;
}

/**
 * Creates {@link BusListeners}. @param onError - Receives what listeners throw.
 */
export function createBusListeners(onError: (error: unknown) => void): BusListeners {
  const topics = new Map<string, Set<{ readonly listener: BusListener }>>();

  function each(topic: string, call: (listener: BusListener) => unknown): void {
    for (const entry of topics.get(topic) ?? []) {
      try {
        takeLateFailure(call(entry.listener), onError);
      } catch (error) {
        onError(error);
      }
    }
  }

  return {
    add(topic, listener) {
      const entries = topics.get(topic) ?? new Set();
      topics.set(topic, entries);
      // An object of its own, because the same listener may be added twice.
      const entry = { listener };
      entries.add(entry);
      return () => {
        entries.delete(entry);
        const isLast = entries.size === 0 && topics.get(topic) === entries;
        if (isLast) {
          topics.delete(topic);
        }
        return isLast;
      };
    },
    has: (topic) => topics.has(topic),
    topics: () => [...topics.keys()],
    message: (topic, payload) => each(topic, (listener) => listener.message(payload)),
    gap: (topic) =>
      (topic === undefined ? [...topics.keys()] : [topic]).forEach((name) =>
        each(name, (listener) => listener.gap()),
      ),
    clear: () => topics.clear(),
  };
}
