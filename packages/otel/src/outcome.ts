import { SpanStatusCode, type Attributes, type Span } from "@opentelemetry/api";
import { isRpcError } from "@tenon/jsonrpc2/core";
import { getToolError, isMcpError, isToolError } from "@tenon/mcp/errors";

import { Attribute, other } from "./names.ts";
import type { Side } from "./telemetry.ts";

/** The outcome of a message, for its span and its metrics. */
export interface Outcome {
  readonly attributes: Attributes;
  /** Why it failed. Absent: it did not. */
  readonly error?: { readonly message: string; readonly cause: unknown } | undefined;
  /** Whether there was a result, which shows that the target exists. */
  readonly hasResult: boolean;
}

/** Codes of errors that the caller made. A server that responds with them has not failed. */
const errorsOfCaller: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602, -32_002]);

/** A remote peer chooses its codes. Only the codes of JSON-RPC and MCP may become series. */
const nameOf = (code: number): string =>
  Number.isInteger(code) && code >= -32_768 && code <= -32_000 ? String(code) : other;

/** Maximum length of the message of an error, in characters. Remote peers choose some of them. */
const maxMessage = 500;

/** The outcome of a message that got this result. */
export function succeeded(method: string, result: unknown): Outcome {
  const isFailure =
    method === "tools/call" &&
    typeof result === "object" &&
    result !== null &&
    "isError" in result &&
    result.isError === true;
  if (!isFailure) {
    return { attributes: {}, hasResult: true };
  }
  // On the server: the exception of a handler that did not expect it.
  const cause = getToolError(result);
  const isExpected = cause === undefined || isToolError(cause) || isRpcError(cause) || isMcpError(cause);
  return {
    attributes: { [Attribute.errorType]: isExpected ? "tool_error" : typeOf(cause) },
    error: {
      message: firstText(result) ?? "The tool reported an error.",
      cause: isExpected ? undefined : cause,
    },
    hasResult: true,
  };
}

/** The outcome of a message that failed. */
export function failed(side: Side, isOutgoing: boolean, error: unknown): Outcome {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, maxMessage);
  if (isRpcError(error)) {
    const code = nameOf(error.code);
    const isExpected = side === "server" && !isOutgoing && errorsOfCaller.has(error.code);
    return {
      attributes: {
        [Attribute.statusCode]: code,
        ...(isExpected ? {} : { [Attribute.errorType]: code }),
      },
      error: isExpected ? undefined : { message, cause: error },
      hasResult: false,
    };
  }
  return {
    attributes: { [Attribute.errorType]: typeOf(error) },
    error: { message, cause: error },
    hasResult: false,
  };
}

/** Codes of our packages and of Node, such as `STORE_FAILED` and `ECONNRESET`. */
const codes = /^[A-Z][A-Z0-9_]{1,63}$/;

/** The value of `error.type` for an error that is not a JSON-RPC error. */
function typeOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return other;
  }
  if ("code" in error && typeof error.code === "string" && codes.test(error.code)) {
    return error.code.toLowerCase();
  }
  return error.name === "AbortError" ? "cancelled" : error.name.slice(0, 64);
}

function firstText(result: object): string | undefined {
  const content: unknown = "content" in result ? result.content : undefined;
  const [first] = Array.isArray(content) ? (content as unknown[]) : [];
  return typeof first === "object" && first !== null && "text" in first && typeof first.text === "string"
    ? first.text.slice(0, maxMessage)
    : undefined;
}

/** Ends a span with an outcome. */
export function endSpan(span: Span, { attributes, error }: Outcome): void {
  span.setAttributes(attributes);
  if (error !== undefined) {
    span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  }
  span.end();
}
