import { isRecord } from "@tenon/base";
import type { CallToolResult, Tool } from "@tenon/protocol";

import { McpError } from "../../../base/error.ts";
import { lazy, type Lazy } from "../../../base/lazy.ts";
import { isFinal } from "../../../base/result.ts";
import { stateKey } from "../../../base/state.ts";
import type { InnerClientSession } from "../../../request/client/inner-session.ts";
import type * as outputProblemModule from "./output-problem.lazy.ts";

const judging: Lazy<typeof outputProblemModule> = lazy(() => import("./output-problem.lazy.ts"));

/** The output schema of a listed tool; compiled when the tool is first called. */
export interface ListedOutput {
  readonly schema: object;
  /** Describes why a value is not valid. */
  judge?: (value: unknown) => OutputProblem | undefined;
}

/** Why the structured content of a result is not accepted. */
export interface OutputProblem {
  readonly text: string;
  /** Whether the fault is in the schema, so that nothing is known about the content. */
  readonly isOfSchema: boolean;
}

const listedOutputs = stateKey(() => new Map<string, ListedOutput>());

/** Remembers the output schemas of a page of tools, as far as `maxListedOutputs` goes. */
export function rememberOutputs(session: InnerClientSession, tools: readonly Tool[]): void {
  const { maxListedOutputs } = session;
  if (session.rules.structuredContent === "none" || maxListedOutputs === 0) {
    return;
  }
  const known = session.state.get(listedOutputs);
  for (const { name, outputSchema } of tools.filter(isRecord)) {
    if (!isRecord(outputSchema)) {
      known.delete(name);
    } else if (
      known.get(name)?.schema !== outputSchema &&
      (known.has(name) || known.size < maxListedOutputs)
    ) {
      known.set(name, { schema: outputSchema });
    }
  }
}

/** Forgets the output schemas, because the list of tools has changed. */
export function forgetOutputs(session: InnerClientSession): void {
  session.state.peek(listedOutputs)?.clear();
}

/** The output schema that a tool was listed with, if it was. */
export function listedOutput(session: InnerClientSession, name: string): ListedOutput | undefined {
  return session.state.peek(listedOutputs)?.get(name);
}

/**
 * Validates a tool's result against the schema that it was listed with. Failures have no output,
 * nor do results that require input.
 *
 * @throws `McpError` `INVALID_RESULT` with the `result`, for structured content that is missing,
 *   does not match, or has an unusable schema, unless that is tolerated.
 * @source R-471
 */
export async function checkListedOutput(
  session: InnerClientSession,
  name: string,
  listed: ListedOutput,
  result: CallToolResult,
): Promise<CallToolResult> {
  if (result.isError === true || !isFinal(result)) {
    return result;
  }
  const problem = await judging.use(({ outputProblem }) => outputProblem(listed, result));
  if (problem !== undefined) {
    const { text, isOfSchema } = problem;
    const message = `The result of tool ${name.slice(0, 128)} does not keep what its outputSchema promises: ${text}`;
    const refusal = new McpError("INVALID_RESULT", message, { result });
    session.tolerate(isOfSchema ? "unusableOutputSchema" : "unfitOutput", refusal);
  }
  return result;
}
