/** The parts of an event ID. */
export interface EventIdParts {
  readonly streamId: string;
  /** The number of the event in its session, from 1 on. */
  readonly sequence: number;
}

/** Returns the ID of an event: its stream, a hyphen and its number. For authors of event stores. */
export function eventIdOf(streamId: string, sequence: number): string {
  return `${encodeURIComponent(streamId)}-${sequence}`;
}

/**
 * Returns the parts of an event ID, or `undefined` for a string that {@link eventIdOf} does not
 * return. For authors of event stores.
 */
export function parseEventId(eventId: string): EventIdParts | undefined {
  const [, encoded = "", digits = ""] = /^(.*)-([1-9]\d{0,14})$/s.exec(eventId) ?? [];
  const sequence = Number(digits);
  try {
    const streamId = decodeURIComponent(encoded);
    return sequence > 0 && eventIdOf(streamId, sequence) === eventId ? { streamId, sequence } : undefined;
  } catch {
    return undefined;
  }
}
