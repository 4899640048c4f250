import { createGenerator, seededRandom, type ValueGenerator } from "@tenon/jsonschema/generate";
import type { Tool } from "@tenon/protocol";

import { argumentsFrom, checkAccepted, endOf, subjectOf } from "./accepted.ts";
import { messageOf, type CheckContext } from "./context.ts";

/** Calls one tool with arguments made from its schemas: conforming ones, and near misses. */
export async function checkTool(context: CheckContext, tool: Tool): Promise<void> {
  const generator = generatorOf(context, tool);
  if (generator === undefined) {
    return;
  }
  // A tool that ends the server would end it with near misses too, and hide what other tools do.
  if ((await checkAccepted(context, tool, generator)) && (await checkRefused(context, tool, generator))) {
    await checkCancelled(context, tool, generator);
  }
}

function generatorOf({ seed }: CheckContext, { inputSchema }: Tool): ValueGenerator | undefined {
  try {
    return createGenerator(inputSchema, { random: seededRandom(seed) });
  } catch {
    // The check of schemas reports it.
    return undefined;
  }
}

/** @returns Whether the server survived all calls. */
async function checkRefused(context: CheckContext, tool: Tool, generator: ValueGenerator): Promise<boolean> {
  const misses = generator.nearMisses().filter(({ at, value }) => at !== "" || argumentsFrom([value]));
  for (const { value, at, keyword } of misses.slice(0, context.runs)) {
    context.signal?.throwIfAborted();
    const args = argumentsFrom([value]);
    if (args === undefined) {
      continue;
    }
    const outcome = await context.call(tool.name, args);
    const place = at === "" ? "the arguments" : at;
    const end = endOf(outcome);
    if (end !== undefined) {
      const message = `Expected a refusal: ${keyword} of inputSchema does not hold for ${place}. The server ended: ${end}`;
      context.findings.add("survives-calls", subjectOf(tool), message, { arguments: args });
      return false;
    }
    if ("result" in outcome && outcome.result.isError !== true) {
      const message = `Expected a refusal: ${keyword} of inputSchema does not hold for ${place}. The call succeeded.`;
      context.findings.add("refuses-invalid-arguments", subjectOf(tool), message, { arguments: args });
    }
  }
  return true;
}

/** A cancelled call must not end the session, nor must the next call get its response. */
async function checkCancelled(context: CheckContext, tool: Tool, generator: ValueGenerator): Promise<void> {
  const args = argumentsFrom(generator.valid());
  if (args === undefined) {
    return;
  }
  const { session, findings, timeoutMs, signal } = context;
  const controller = new AbortController();
  const call = session.callTool({ name: tool.name, arguments: args }, { signal: controller.signal });
  const settled = call.then(
    () => {},
    () => {},
  );
  controller.abort();
  await settled;
  try {
    await session.ping(undefined, { timeoutMs, signal });
  } catch (error) {
    signal?.throwIfAborted();
    const message = `Expected the session to work after a cancelled call; a ping failed: ${messageOf(error)}`;
    findings.add("survives-cancellation", subjectOf(tool), message, { arguments: args });
    await context.revive();
  }
}
