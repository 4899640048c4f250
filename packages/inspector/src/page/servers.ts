import { signal, type Signal } from "@preact/signals";

/** The ID of the server that the page shows; "" for a tap and a recording. */
export const server: Signal<string> = signal("");

/** A signal with a value for each server. */
interface Own {
  readonly kept: Map<string, unknown>;
  readonly signal: Signal;
  readonly initial: unknown;
}

const owned: Own[] = [];

/**
 * A signal that keeps a value for each server, and has the value for the server that the page
 * shows: no form gets the values of another server.
 */
export function ownSignal<T>(initial: T): Signal<T> {
  const made = signal(initial);
  owned.push({ kept: new Map(), signal: made as Signal, initial });
  return made;
}

/** Sets the value of an own signal for a server, which the page may not show at the moment. */
export function setOwn<T>(own: Signal<T>, id: string, value: T): void {
  if (server.peek() === id) {
    own.value = value;
  } else {
    owned.find((one) => one.signal === (own as Signal))?.kept.set(id, value);
  }
}

/** Shows another server, with the values of its signals. */
export function showServer(id: string): void {
  const before = server.peek();
  if (id === before) {
    return;
  }
  for (const { kept, signal: own, initial } of owned) {
    kept.set(before, own.peek());
    own.value = kept.has(id) ? kept.get(id) : initial;
    kept.delete(id);
  }
  server.value = id;
}

/** Forgets the values of servers that were removed. */
export function keepServers(ids: readonly string[]): void {
  for (const { kept } of owned) {
    for (const id of kept.keys()) {
      if (!ids.includes(id)) {
        kept.delete(id);
      }
    }
  }
}
