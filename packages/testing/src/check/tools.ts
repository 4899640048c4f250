import { isRpcError, ErrorCode } from "@tenon/jsonrpc2/core";
import { createGenerator, seededRandom, type ValueGenerator } from "@tenon/jsonschema/generate";
import type { Tool } from "@tenon/protocol";

import { isEqual, quoted } from "../definitions/change.ts";
import { messageOf, type CallOutcome, type CheckContext } from "./context.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Calls one tool with arguments made from its schemas: conforming ones, and near misses. */
export async function checkTool(context: CheckContext, tool: Tool): Promise<void> {
  const generator = generatorOf(context, tool);
  if (generator === undefined) {
    return;
  }
  await checkAccepted(context, tool, generator);
  await checkRefused(context, tool, generator);
  await checkCancelled(context, tool, generator);
}

function generatorOf({ seed }: CheckContext, { inputSchema }: Tool): ValueGenerator | undefined {
  try {
    return createGenerator(inputSchema, { random: seededRandom(seed) });
  } catch {
    // The check of schemas reports it.
    return undefined;
  }
}

function argumentsFrom([value]: readonly unknown[]): Arguments | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

async function checkAccepted(context: CheckContext, tool: Tool, generator: ValueGenerator): Promise<void> {
  const { findings, runs, signal } = context;
  const subject = subjectOf(tool);
  let accepted = 0;
  let called = 0;
  let refusal = "";
  for (let run = 0; run < runs; run++) {
    signal?.throwIfAborted();
    const args = argumentsFrom(generator.valid());
    if (args === undefined) {
      const message = "No arguments could be generated: inputSchema seems to allow none.";
      findings.add("accepts-valid-arguments", subject, message, { severity: "warning" });
      return;
    }
    const outcome = await context.call(tool.name, args);
    called++;
    if ("error" in outcome) {
      reportError(context, tool, args, outcome.error);
      continue;
    }
    if (outcome.result.isError === true) {
      refusal = quoted(outcome.result.content);
      continue;
    }
    accepted++;
    if (tool.outputSchema !== undefined && outcome.result.structuredContent === undefined) {
      const message = "Expected structuredContent, because the tool has an outputSchema; it is missing.";
      findings.add("keeps-output-schema", subject, message, { arguments: args });
    }
    if (run === 0) {
      await checkHints(context, tool, args, outcome);
    }
  }
  if (accepted === 0 && called > 0) {
    const message = `None of ${called} calls with arguments that inputSchema allows succeeded. The last refusal: ${refusal}`;
    findings.add("accepts-valid-arguments", subject, message, { severity: "warning" });
  }
}

function reportError({ findings }: CheckContext, tool: Tool, args: Arguments, error: unknown): void {
  const subject = subjectOf(tool);
  const message = messageOf(error);
  if (!isRpcError(error) && /output|structuredContent/i.test(message)) {
    findings.add("keeps-output-schema", subject, message, { arguments: args });
  } else if (isRpcError(error) && error.code === ErrorCode.InvalidParams) {
    const expected = `inputSchema allows these arguments, but the server refused them: ${message}`;
    findings.add("accepts-valid-arguments", subject, expected, { arguments: args });
  } else {
    const expected = `Expected a result; the call failed: ${message}`;
    findings.add("accepts-valid-arguments", subject, expected, { arguments: args });
  }
}

async function checkHints(
  context: CheckContext,
  tool: Tool,
  args: Arguments,
  first: CallOutcome,
): Promise<void> {
  if (tool.annotations?.readOnlyHint !== true && tool.annotations?.idempotentHint !== true) {
    return;
  }
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

async function checkRefused(context: CheckContext, tool: Tool, generator: ValueGenerator): Promise<void> {
  const misses = generator.nearMisses().filter(({ at, value }) => at !== "" || argumentsFrom([value]));
  for (const { value, at, keyword } of misses.slice(0, context.runs)) {
    context.signal?.throwIfAborted();
    const args = argumentsFrom([value]);
    const outcome = args === undefined ? undefined : await context.call(tool.name, args);
    if (outcome !== undefined && "result" in outcome && outcome.result.isError !== true) {
      const place = at === "" ? "the arguments" : at;
      const message = `Expected a refusal: ${keyword} of inputSchema does not hold for ${place}. The call succeeded.`;
      context.findings.add("refuses-invalid-arguments", subjectOf(tool), message, { arguments: args });
    }
  }
}

/** A cancelled call must not end the session, nor must the next call get its response. */
async function checkCancelled(context: CheckContext, tool: Tool, generator: ValueGenerator): Promise<void> {
  const args = argumentsFrom(generator.valid());
  if (args === undefined) {
    return;
  }
  const { session, findings } = context;
  const controller = new AbortController();
  const call = session.callTool({ name: tool.name, arguments: args }, { signal: controller.signal });
  const settled = call.then(
    () => {},
    () => {},
  );
  controller.abort();
  await settled;
  try {
    await session.ping();
  } catch (error) {
    const message = `Expected the session to work after a cancelled call; a ping failed: ${messageOf(error)}`;
    findings.add("survives-cancellation", subjectOf(tool), message, { arguments: args });
  }
}

function subjectOf({ name }: Tool): string {
  return `tool ${JSON.stringify(name)}`;
}
