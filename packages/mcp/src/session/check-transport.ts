/**
 * Checks that a transport is one.
 *
 * @param subject - The call that takes it, and an example, as users write them.
 * @throws `TypeError` with the example.
 */
export function checkTransport(transport: unknown, subject: string, example: string): void {
  const connect: unknown = transport == null ? undefined : Reflect.get(Object(transport), "connect");
  if (typeof connect !== "function") {
    const got = transport === null ? "null" : typeof transport;
    throw new TypeError(`${subject} takes a transport; got ${got}. Write ${subject}(${example}).`);
  }
}
