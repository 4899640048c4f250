import { StoreError } from "../error.ts";

/** Maximum length of a payload, in UTF-16 code units. */
const maxPayload = 1_000_000;

/**
 * Checks the arguments of `Bus.publish` and `Bus.subscribe`. For authors of buses.
 *
 * @throws `TypeError` for a topic that is not allowed; `StoreError` `STORE_FULL` for a payload of
 *   more than a million characters.
 */
export function checkBusMessage(topic: string, payload = ""): void {
  if (!/^[!-~]{1,200}$/.test(topic)) {
    throw new TypeError("Topic must have 1 to 200 characters of visible ASCII.");
  }
  if (payload.length > maxPayload) {
    throw new StoreError(
      "STORE_FULL",
      `Payload of a message must have at most ${maxPayload} characters; got ${payload.length}.`,
    );
  }
}
