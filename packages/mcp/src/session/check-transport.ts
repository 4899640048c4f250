import { kindOf } from "@tenon/base";

/**
 * Checks that a value is a transport: without types, a wrong value would fail later, by an error
 * that does not name the call.
 *
 * @param subject - The function that takes the transport, as users write it.
 * @param example - A transport, as users write it.
 * @throws `TypeError` with the example.
 */
export function checkTransport(transport: unknown, subject: string, example: string): void {
  const connect: unknown = transport == null ? undefined : Reflect.get(Object(transport), "connect");
  if (typeof connect !== "function") {
    throw new TypeError(
      `${subject} takes a transport; got ${kindOf(transport)}. Write ${subject}(${example}).`,
    );
  }
}
