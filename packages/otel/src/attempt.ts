import { diag } from "@opentelemetry/api";

/**
 * Calls a function of the options. Its error goes to the logger of OpenTelemetry: it must not end
 * the message that is observed.
 *
 * @param otherwise - The result if the function throws an error.
 */
export function attempt<T>(option: string, call: () => T, otherwise: T): T {
  try {
    return call();
  } catch (error) {
    diag.error(`@tenon/otel: the option ${option} must not throw an error.`, error);
    return otherwise;
  }
}
