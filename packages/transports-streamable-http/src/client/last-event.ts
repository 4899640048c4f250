/** What a header can carry and any server takes: not all that may stand in an event stream. */
const sendable = /^[ -~]{1,4096}$/;

/**
 * The event to go on after, when a stream is asked for again. One whose id cannot be sent is none: a request with it would be refused for ever.
 *
 * @param before - That of the events before this one.
 * @param id - As the event says; `undefined` if it says none, empty if there is none any more.
 * @source WHATWG HTML §9.2.6, R-351
 */
export function lastEvent(before: string | undefined, id: string | undefined): string | undefined {
  return id === undefined ? before : sendable.test(id) ? id : undefined;
}
