/** A source of events: a port, a channel or a window. */
export interface Emitter {
  /** Registers a listener. */
  addEventListener(type: string, listener: (event: object) => void): void;
  /** Removes a listener. */
  removeEventListener(type: string, listener: (event: object) => void): void;
}

/** The properties of an event that this package reads. */
export interface ReceivedEvent {
  readonly data?: unknown;
  readonly origin?: string;
  readonly source?: unknown;
  readonly persisted?: boolean;
}

/** Registers listeners by the type of their event. Returns a function that removes them. */
export function listen(
  emitter: Emitter,
  listeners: Readonly<Record<string, (event: ReceivedEvent) => void>>,
): () => void {
  for (const [type, listener] of Object.entries(listeners)) {
    emitter.addEventListener(type, listener);
  }
  return () => {
    for (const [type, listener] of Object.entries(listeners)) {
      emitter.removeEventListener(type, listener);
    }
  };
}
