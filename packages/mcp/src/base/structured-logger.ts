/**
 * A logger of the program: `console`, a logger of pino, and any other object with these methods.
 * The fields come first, because pino drops whatever follows a message. It is not the logger of the
 * protocol, whose messages go to the client.
 *
 * @example
 * const logger: StructuredLogger = console;
 */
export interface StructuredLogger {
  /** Records something normal. */
  info(fields: object, message: string): void;
  /** Records a problem that the program handles itself. */
  warn(fields: object, message: string): void;
  /** Records a failure. */
  error(fields: object, message: string): void;
}
