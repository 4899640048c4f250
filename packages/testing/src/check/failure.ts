import { ErrorCode, isLocalError, isRpcError } from "@tenon/jsonrpc2/core";

import { messageOf, type CallOutcome } from "./context.ts";

/**
 * The kind of a failure. `ended`: the server does not respond any more. `crash`: an exception that
 * the author of the tool did not plan. `refusal`: the tool explains why it does not do it.
 */
export type FailureKind = "ended" | "output" | "crash" | "invalid" | "error" | "timeout" | "refusal";

/** The failure of a call. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
}

/** Messages of several SDKs about an output that does not match its schema. */
const badOutput =
  /does not match its (?:output )?schema|output (?:schema )?validation|has an output schema but|structured ?content/i;

/** A line of a stack trace: of JavaScript, of Python, of Java, of Go. */
const trace = /^\s*at .+[:(]\d+|Traceback \(most recent call last\)|^\s*File ".+", line \d+|^goroutine \d+/m;

/** Messages of exceptions that are not written for readers. */
const exception =
  /^The tool failed\.?\s*$|\b(?:Type|Reference|Range|Syntax|Key|Attribute|Index|ZeroDivision|Assertion)Error\b|Exception\b|Cannot read propert|is not a function|is not defined|is not iterable|\bpanic: /;

/** The failure of a call, or `undefined` if it succeeded. */
export function failureOf(outcome: CallOutcome): Failure | undefined {
  if ("result" in outcome) {
    if (outcome.result.isError !== true) {
      return undefined;
    }
    const message = textOf(outcome.result.content);
    return { kind: badOutput.test(message) ? "output" : isCrash(message) ? "crash" : "refusal", message };
  }
  const { error, ended } = outcome;
  const message = messageOf(error);
  if (ended !== undefined) {
    return { kind: "ended", message: `${message} Then: ${ended}` };
  }
  if (isRpcError(error)) {
    return { kind: error.code === ErrorCode.InvalidParams ? "invalid" : "error", message };
  }
  const isLate = isLocalError(error, "TIMEOUT");
  // The client checks outputs too; its own errors name them.
  const isOutput = /output|structuredContent/i.test(message);
  return { kind: isOutput ? "output" : isLate ? "timeout" : "error", message };
}

function isCrash(text: string): boolean {
  return trace.test(text) || exception.test(text);
}

/** Whether a message contains lines of a stack trace. */
export function hasTrace(text: string): boolean {
  return trace.test(text);
}

/** The text of a result, of at most 2,000 characters. */
function textOf(content: readonly unknown[]): string {
  return content
    .map((block) => (block as { readonly text?: unknown }).text)
    .filter((text) => typeof text === "string")
    .join("\n")
    .slice(0, 2_000);
}
