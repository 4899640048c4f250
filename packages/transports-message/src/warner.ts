import { takeLateFailure } from "@tenon/base";

/**
 * Creates a function that reports dropped messages. It reports the first message, the second, the
 * fourth, the eighth and so on, so that a flood of messages does not become a flood of reports.
 *
 * @param onWarning - The callback of the user. Its errors are discarded.
 */
export function createWarner(
  onWarning: ((message: string) => unknown) | undefined,
): (message: string) => void {
  let count = 0;
  return (message) => {
    count++;
    if (onWarning !== undefined && Number.isInteger(Math.log2(count))) {
      try {
        takeLateFailure(onWarning(`${message} ${count} dropped so far.`), () => {});
      } catch {
        // A dropped message must not end the connection.
      }
    }
  };
}
