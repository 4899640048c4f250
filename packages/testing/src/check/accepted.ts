import { redactText } from "@tenon/http/redact";
import { compile } from "@tenon/jsonschema";
import type { ValueGenerator } from "@tenon/jsonschema/generate";
import type { Tool } from "@tenon/protocol";

import { isEqual } from "../definitions/change.ts";
import { messageOf, type CallOutcome, type CheckContext } from "./context.ts";
import { failureOf, hasTrace, type Failure, type FailureKind } from "./failure.ts";
import type { CheckName, ServerFinding } from "./report.ts";
import { shrink, type Arguments } from "./shrink.ts";

/** The failures of one kind: their number, and the first of them. */
interface Tally {
  count: number;
  readonly first: Failure;
  readonly args: Arguments;
}

/** The arguments of a generated value, if it has any. */
export function argumentsFrom([value]: readonly unknown[]): Arguments | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

/** The subject of findings about a tool. */
export function subjectOf({ name }: Tool): string {
  return `tool ${JSON.stringify(name)}`;
}

/**
 * Calls a tool with arguments that its schema allows.
 *
 * @returns Whether the server survived all calls.
 */
export async function checkAccepted(
  context: CheckContext,
  tool: Tool,
  generator: ValueGenerator,
): Promise<boolean> {
  const { findings, runs, signal } = context;
  const subject = subjectOf(tool);
  const failures = new Map<FailureKind, Tally>();
  let accepted = 0;
  let called = 0;
  for (let run = 0; run < runs && !failures.has("ended"); run++) {
    signal?.throwIfAborted();
    const args = argumentsFrom(generator.valid());
    if (args === undefined) {
      const message = "No arguments could be generated: inputSchema seems to allow none.";
      findings.add("accepts-valid-arguments", subject, message, { severity: "warning" });
      return true;
    }
    const outcome = await context.call(tool.name, args);
    called++;
    const failure = failureOf(outcome);
    if (failure !== undefined) {
      const tally = failures.get(failure.kind) ?? { count: 0, first: failure, args };
      tally.count++;
      failures.set(failure.kind, tally);
      continue;
    }
    accepted++;
    await checkSuccess(context, tool, args, outcome, accepted === 1);
  }
  for (const [kind, tally] of failures) {
    await reportFailures(context, tool, kind, { ...tally, called, accepted });
  }
  return !failures.has("ended");
}

async function checkSuccess(
  context: CheckContext,
  tool: Tool,
  args: Arguments,
  outcome: CallOutcome,
  isFirst: boolean,
): Promise<void> {
  const lacksOutput = "result" in outcome && outcome.result.structuredContent === undefined;
  if (tool.outputSchema !== undefined && lacksOutput) {
    const message = "Expected structuredContent, because the tool has an outputSchema; it is missing.";
    context.findings.add("keeps-output-schema", subjectOf(tool), message, { arguments: args });
  }
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  if (isFirst && (readOnlyHint === true || idempotentHint === true)) {
    await checkHints(context, tool, args, outcome);
  }
}

async function checkHints(
  context: CheckContext,
  tool: Tool,
  args: Arguments,
  first: CallOutcome,
): Promise<void> {
  const second = await context.call(tool.name, args);
  if (
    !("result" in first) ||
    !("result" in second) ||
    !isEqual(first.result.content, second.result.content)
  ) {
    const message =
      "Two equal calls gave different results, although the tool is annotated as read-only or idempotent.";
    context.findings.add("keeps-hints", subjectOf(tool), message, { severity: "warning", arguments: args });
  }
}

/** The check, the severity and the message of each kind of failure. */
const meanings: Readonly<
  Record<FailureKind, readonly [CheckName, ServerFinding["severity"], (count: string) => string]>
> = {
  ended: ["survives-calls", "error", () => "The server ended during a call that inputSchema allows:"],
  output: ["keeps-output-schema", "error", (count) => `The output does not match outputSchema in ${count}:`],
  crash: ["accepts-valid-arguments", "error", (count) => `The tool crashed in ${count}:`],
  invalid: [
    "accepts-valid-arguments",
    "error",
    (count) => `inputSchema allows these arguments, but the server refused them in ${count}:`,
  ],
  error: ["accepts-valid-arguments", "error", (count) => `Expected a result; an error came in ${count}:`],
  timeout: ["accepts-valid-arguments", "error", (count) => `No response in ${count}:`],
  refusal: ["accepts-valid-arguments", "warning", (count) => `The tool refused ${count}:`],
};

async function reportFailures(
  context: CheckContext,
  tool: Tool,
  kind: FailureKind,
  { count, first, args, called, accepted }: Tally & { readonly called: number; readonly accepted: number },
): Promise<void> {
  const { findings } = context;
  const subject = subjectOf(tool);
  const [check, severity, say] = meanings[kind];
  const number = `${count} of ${called} calls with arguments that inputSchema allows`;
  if (kind === "refusal" && accepted === 0) {
    // Arguments from a schema alone seldom name things that exist.
    const none = `None of ${called} calls with arguments that inputSchema allows succeeded. A refusal: ${messageOf(first.message)}`;
    findings.add(check, subject, none, { severity });
  } else {
    // A call that hangs would hang as often as smaller arguments are tried.
    const smallest = kind === "timeout" ? args : await smallestOf(context, tool, kind, args);
    const isRepeatable = kind !== "ended" || smallest !== undefined;
    const doubt = isRepeatable ? "" : " It did not end again with these arguments: an earlier call may have.";
    findings.add(check, subject, `${say(number)} ${messageOf(first.message)}${doubt}`, {
      severity,
      arguments: smallest ?? args,
    });
  }
  const shown = hasTrace(first.message) ? "a stack trace" : undefined;
  const secret = redactText(first.message) === first.message ? undefined : "a secret";
  if (kind !== "ended" && (shown ?? secret) !== undefined) {
    const what = [shown, secret].filter((one) => one !== undefined).join(" and ");
    const message = `The failure of a call shows ${what} to models and clients. Expected a sentence about what went wrong.`;
    findings.add("hides-internals", subject, message, { severity: "warning", arguments: args });
  }
}

/** The smallest arguments that fail in the same way; `undefined` if not even the given ones do. */
async function smallestOf(
  { call, signal }: CheckContext,
  { name, inputSchema }: Tool,
  kind: FailureKind,
  args: Arguments,
): Promise<Arguments | undefined> {
  const { check } = compile(inputSchema, { untrusted: true });
  const shows = async (candidate: Arguments): Promise<boolean> => {
    signal?.throwIfAborted();
    return failureOf(await call(name, candidate))?.kind === kind;
  };
  return (await shows(args)) ? shrink(args, (candidate) => check(candidate).valid, shows) : undefined;
}

/** The text of the failure of a call, for the report of a call that ended the server. */
export function endOf(outcome: CallOutcome): string | undefined {
  const failure = failureOf(outcome);
  return failure?.kind === "ended" ? failure.message : undefined;
}
