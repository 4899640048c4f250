import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link HostErrorCode}. */
export const hostErrors = {
  INVALID_OPTION: "an option has a value that it cannot have",
  INVALID_CONFIG: "a configuration file or one of its entries is not understood",
  MISSING_VARIABLE: "a configuration names a variable or an input that has no value",
  UNTRUSTED: "the server configuration is new or has changed and has not been approved",
  UNKNOWN_SERVER: "no server of that name is configured",
  UNKNOWN_TOOL: "no tool has that name",
  CONNECT_FAILED: "the server could not be connected to",
  SERVER_GONE: "the server was lost and given up, closed or disabled",
  CONNECTION_LOST: "the connection ended before the response arrived",
  TIMEOUT: "the server did not respond in time",
  REMOTE_ERROR: "the server returned an error",
  REQUEST_FAILED: "the request failed locally",
  DENIED: "a policy or a person does not allow it",
  TOOL_CHANGED: "the definition of a tool differs from the pinned definition",
  INVALID_ITEM: "a server listed something that cannot be used",
  BREAKER_OPEN: "the server failed too often and is left alone for a while",
  LIMIT_EXCEEDED: "a configured limit was reached",
  CLOSED: "the manager is closed",
} as const;

/** The codes of {@link HostError}. */
export type HostErrorCode = keyof typeof hostErrors;

/** The operation that failed. */
export type Phase = "config" | "connect" | "list" | "call" | "read" | "policy";

/**
 * Whether the server got the request: `no` (certainly not), `maybe`, or `yes` (certainly, because
 * it responded).
 */
export type HostDelivered = "no" | "maybe" | "yes";

/** The properties of a {@link HostError} besides its message. */
export interface HostErrorInit {
  readonly server?: string | undefined;
  readonly phase: Phase;
  /** Whether the server got the request. Default `"no"`. */
  readonly delivered?: HostDelivered | undefined;
  /**
   * Whether the same request may succeed later, if the caller accepts that it may run twice.
   * Default: `false`.
   */
  readonly retryable?: boolean | undefined;
  /** Time after which a request may succeed, in milliseconds. By default it is not known. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

const brand = Symbol.for("@tenon/host/HostError");

/**
 * An error of a host. Recognize it by `code`. `delivered` shows whether the server may have acted
 * on the request.
 */
export class HostError extends Error {
  static {
    brandErrors(this.prototype, "HostError", brand);
  }

  readonly code: HostErrorCode;
  /** The configured name of the server that it is about. */
  readonly server: string | undefined;
  readonly phase: Phase;
  readonly delivered: HostDelivered;
  readonly retryable: boolean;
  /** Time after which a request may succeed, in milliseconds, if it is known. */
  readonly retryAfterMs: number | undefined;

  constructor(code: HostErrorCode, message: string, init: HostErrorInit) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = code;
    this.server = init.server;
    this.phase = init.phase;
    this.delivered = init.delivered ?? "no";
    this.retryable = init.retryable ?? false;
    this.retryAfterMs = init.retryAfterMs;
  }
}

/** True for any copy of {@link HostError}, optionally with this code. */
export function isHostError(value: unknown, code?: HostErrorCode): value is HostError {
  return isBranded(value, brand, code);
}
