/**
 * An event ID that a header can contain and any server accepts. Event streams allow more
 * characters.
 */
const sendable = /^[ -~]{1,4096}$/;

/**
 * The event after which a stream resumes. An event ID that cannot be sent in a header is ignored,
 * because every request with it would be rejected.
 *
 * @param before - The result for the previous events.
 * @param id - The `id` field of the event; `undefined` if the event has no such field, empty to
 *   reset the last event ID.
 * @source WHATWG HTML §9.2.6, R-351
 */
export function lastEvent(before: string | undefined, id: string | undefined): string | undefined {
  return id === undefined ? before : sendable.test(id) ? id : undefined;
}
