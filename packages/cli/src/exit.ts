/** The exit codes of every command. */
export const exitCodes = {
  /** Done. */
  ok: 0,
  /** The tool reported an error, or a check failed. */
  failed: 1,
  /** Wrong usage. */
  usage: 2,
  /** No connection. */
  connection: 3,
  /** Authorization is required or was refused. */
  authorization: 4,
  /** An error of the protocol, or an error response. */
  protocol: 5,
  /** A time limit expired. */
  timeout: 6,
  /** Definitions differ. */
  drift: 7,
  /** Interrupted by the user. */
  interrupted: 130,
} as const;

/** The kind of an error, which determines the exit code. */
export type ErrorKind = Exclude<keyof typeof exitCodes, "ok">;

/** An error of a command, with advice for the user. */
export class CliError extends Error {
  readonly kind: ErrorKind;
  /** Advice that names the flag or the command. */
  readonly hint: string | undefined;

  constructor(
    kind: ErrorKind,
    message: string,
    { hint, cause }: { readonly hint?: string | undefined; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CliError";
    this.kind = kind;
    this.hint = hint;
  }
}

/** An error of usage. @param hint - The flag or the form that is right. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError("usage", message, { hint });
}
