import type { LoggingLevel } from "@tenon/protocol";

/**
 * The levels of severity as numbers, ascending: debug, info, warning and error as loggers have
 * them, the others between and above.
 *
 * @source S-189, S-190
 */
export const LogLevel: { readonly [L in LoggingLevel]: number } = {
  debug: -4,
  info: 0,
  notice: 2,
  warning: 4,
  error: 8,
  critical: 12,
  alert: 16,
  emergency: 20,
};

/** True for one of the eight levels. */
export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return typeof value === "string" && Object.hasOwn(LogLevel, value);
}
