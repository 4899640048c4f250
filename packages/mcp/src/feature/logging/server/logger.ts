import type { LoggingLevel } from "@tenon/protocol";

/** Anything that takes log messages: the context of a handler, or a session. */
export interface LogTarget {
  /**
   * Sends one message.
   *
   * @param data - A value that JSON can represent.
   * @param logger - The name of the part of the program.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): Promise<void>;
}

/** Writes one message with attributes. Never rejects. */
export type LogMethod = (msg: string, attributes?: Readonly<Record<string, unknown>>) => Promise<void>;

/** A logger with a method for each level. */
export type Logger = { readonly [L in LoggingLevel | "warn" | "log"]: LogMethod };

/**
 * Creates a logger for a target. The data of its messages is always an object with the message
 * under `msg` and the attributes next to it. `warn` and `log` are aliases of `warning` and `info`,
 * so that the logger can replace a `console`.
 *
 * @param options - `name` is sent in the `logger` field. Default: the name of the server's option
 *   `logging`.
 * @deprecated Logging is deprecated since 2026-07-28 (SEP-2577): use stderr or OpenTelemetry.
 *   Earliest removal: the first revision released on or after 2027-07-28.
 * @source S-184, S-188
 */
export function createLogger(
  target: LogTarget,
  options: { readonly name?: string | undefined } = {},
): Logger {
  const { name } = options;
  const at =
    (level: LoggingLevel): LogMethod =>
    (msg, attributes) =>
      target.log(level, { ...attributes, msg }, name);
  return {
    debug: at("debug"),
    info: at("info"),
    log: at("info"),
    notice: at("notice"),
    warning: at("warning"),
    warn: at("warning"),
    error: at("error"),
    critical: at("critical"),
    alert: at("alert"),
    emergency: at("emergency"),
  };
}
