import { StoreError } from "../error.ts";

/** Maximum size of a value, in bytes of UTF-8. */
const maxValueBytes = 65_536;

/**
 * How long a store remembers the generation of a value that was deleted or has expired, in
 * milliseconds (1 day). For authors of stores. A writer that was suspended for this long may bring
 * the value back.
 */
export const generationMs = 86_400_000;

/**
 * Checks the key and the value of an `AuthStore`. For authors of stores.
 *
 * @throws `TypeError` for a key that is not 1 to 100 characters of printable ASCII; `StoreError`
 *   `STORE_FULL` for a value of more than 64 KiB.
 */
export function checkAuthEntry(key: string, value: string = ""): void {
  if (!/^[ -~]{1,100}$/.test(key)) {
    throw new TypeError("Key of an auth store must have 1 to 100 characters of printable ASCII.");
  }
  // A character has up to three bytes, so most values need not be encoded.
  if (value.length * 3 > maxValueBytes && new TextEncoder().encode(value).length > maxValueBytes) {
    throw new StoreError("STORE_FULL", `Value of an auth store must have at most ${maxValueBytes} bytes.`);
  }
}
