import { brandErrors, isBranded } from "@tenon/base";
import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import { McpErrorCode, type ClientCapabilities } from "@tenon/protocol";

/** The meaning of each {@link McpErrorCodeName}. */
export const mcpErrors = {
  CAPABILITY_MISSING: "the receiver has not declared a capability that the request requires",
  INVALID_DEFINITION: "a tool, prompt or resource was defined in a way that the protocol does not allow",
  DUPLICATE_KEY: "two inputs or steps of one request have the same key",
  INPUT_FAILED: "the input that a server requested could not be provided",
  INVALID_RESULT: "the receiver returned an invalid result",
  INVALID_SETTINGS:
    "a warning, not a failure: the remote peer declared an extension with invalid settings, and the extension is not used",
  KEEP_ALIVE_FAILED: "the remote peer did not respond to keep-alive requests, and the session was closed",
  NOT_READY: "the client has not sent notifications/initialized yet",
  NOT_IN_REVISION: "the negotiated revision of the protocol has no such method",
  TOLERATED:
    "a warning, not a failure: the remote peer deviates from the protocol, and the deviation is tolerated (`strictness`)",
  UNKNOWN_STATE_KEY: "a requestState was sealed by a key that this server does not have",
  UNEXPECTED_MESSAGE: "the server sent a message that the client does not expect",
  STATE_REFUSED: "a requestState could not be opened with the key that it names",
  UNSUPPORTED_REVISION: "client and server have no revision of the protocol in common",
} as const;

/** The codes of {@link McpError}. */
export type McpErrorCodeName = keyof typeof mcpErrors;

const brand = Symbol.for("@tenon/mcp/McpError");

/**
 * An error that this client or server raised itself, for example because the protocol does not
 * allow a request. An error response of the remote peer is an `RpcError` instead. Recognize it by
 * `code`.
 */
export class McpError extends Error {
  static {
    brandErrors(this.prototype, "McpError", brand);
  }

  /** The reason. {@link mcpErrors} describes each code. */
  readonly code: McpErrorCodeName;
  /**
   * The rejected result, for `INVALID_RESULT` of a tool whose structured content does not match its
   * `outputSchema`: the tool has run.
   */
  declare readonly result?: unknown;

  /**
   * Creates an error.
   *
   * @param options - `cause`: the error that led to this one. `result`: the rejected result.
   */
  constructor(code: McpErrorCodeName, message: string, options?: { cause?: unknown; result?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options?.result !== undefined) {
      this.result = options.result;
    }
  }
}

/** True for any copy of {@link McpError}, optionally with this code. */
export function isMcpError(value: unknown, code?: McpErrorCodeName): value is McpError {
  return isBranded(value, brand, code);
}

/** True for the error of a server that has no such resource, in any revision. @source R-515 */
export function isResourceNotFound(value: unknown): value is RpcError {
  if (!isRpcError(value)) {
    return false;
  }
  const { code, data } = value;
  const namesUri = typeof data === "object" && data !== null && "uri" in data;
  return code === McpErrorCode.ResourceNotFound || (code === ErrorCode.InvalidParams && namesUri);
}

const toolBrand = Symbol.for("@tenon/mcp/ToolError");

/**
 * A failure of a tool that the model should read and may correct: the result of the call has
 * `isError` and this message. Any other error of a handler becomes a generic message, so that no
 * internals leak.
 */
export class ToolError extends Error {
  static {
    brandErrors(this.prototype, "ToolError", toolBrand);
  }

  /**
   * An error whose message is shown to the model.
   *
   * @param message - Sent to the model.
   * @param options - `cause` stays in this process; in a client it is the complete result.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
  }
}

/** True for any copy of {@link ToolError}. */
export function isToolError(value: unknown): value is ToolError {
  return isBranded(value, toolBrand);
}

/** `-32022` with the revisions that are served. @source R-191 */
export function unsupportedProtocolVersion(requested: string, supported: readonly string[]): RpcError {
  const message = `Unsupported protocol version: ${requested.slice(0, 40)}`;
  return new RpcError(McpErrorCode.UnsupportedProtocolVersion, message, { data: { supported, requested } });
}

/** `-32021` naming the capabilities that the request should have declared. @source R-143 */
export function missingClientCapability(requiredCapabilities: ClientCapabilities): RpcError {
  const { extensions = {}, ...own } = requiredCapabilities;
  const names = [...Object.keys(own), ...Object.keys(extensions)].join(", ");
  const message = `Missing client capabilities: ${names}`;
  return new RpcError(McpErrorCode.MissingRequiredClientCapability, message, {
    data: { requiredCapabilities },
  });
}
