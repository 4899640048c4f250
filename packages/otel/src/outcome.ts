import { SpanStatusCode, type Attributes, type Span } from "@opentelemetry/api";
import { isLocalError, isRpcError } from "@tenon/jsonrpc2/core";

import { Attribute } from "./names.ts";
import type { Side } from "./telemetry.ts";

/** The outcome of a message, for its span and its metrics. */
export interface Outcome {
  readonly attributes: Attributes;
  /** Why it failed. Absent: it did not. */
  readonly error?: { readonly message: string; readonly cause: unknown } | undefined;
  /** Whether the remote peer does not know the target, which must then not become a series. */
  readonly isUnknownTarget: boolean;
}

/** Codes of errors that the caller made. A server that responds with them has not failed. */
const errorsOfCaller: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602, -32_002]);

/** The value of the conventions for errors that have no name of their own. */
const other = "_OTHER";

/** A remote peer chooses its codes. Only the codes of JSON-RPC and MCP may become series. */
const nameOf = (code: number): string =>
  Number.isInteger(code) && code >= -32_768 && code <= -32_000 ? String(code) : other;

/** The outcome of a message that got this result. */
export function succeeded(method: string, result: unknown): Outcome {
  const isFailure =
    method === "tools/call" &&
    typeof result === "object" &&
    result !== null &&
    "isError" in result &&
    result.isError === true;
  return isFailure
    ? {
        attributes: { [Attribute.errorType]: "tool_error" },
        error: { message: firstText(result) ?? "The tool reported an error.", cause: undefined },
        isUnknownTarget: false,
      }
    : { attributes: {}, isUnknownTarget: false };
}

/** The outcome of a message that failed. */
export function failed(side: Side, isOutgoing: boolean, error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  if (isRpcError(error)) {
    const code = nameOf(error.code);
    const isExpected = side === "server" && !isOutgoing && errorsOfCaller.has(error.code);
    return {
      attributes: {
        [Attribute.statusCode]: code,
        ...(isExpected ? {} : { [Attribute.errorType]: code }),
      },
      error: isExpected ? undefined : { message, cause: error },
      isUnknownTarget: error.code === -32_602 || error.code === -32_002,
    };
  }
  return {
    attributes: { [Attribute.errorType]: typeOf(error) },
    error: { message, cause: error },
    isUnknownTarget: false,
  };
}

function typeOf(error: unknown): string {
  if (isLocalError(error)) {
    return error.code.toLowerCase();
  }
  if (error instanceof Error && error.name === "AbortError") {
    return "cancelled";
  }
  return error instanceof Error ? error.name : other;
}

function firstText(result: object): string | undefined {
  const content: unknown = "content" in result ? result.content : undefined;
  const [first] = Array.isArray(content) ? (content as unknown[]) : [];
  return typeof first === "object" && first !== null && "text" in first && typeof first.text === "string"
    ? first.text.slice(0, 500)
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
