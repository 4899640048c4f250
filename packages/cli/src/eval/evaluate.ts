import { converse, type ChatModel } from "@tenon/inspector";
import type { ClientSession } from "@tenon/mcp/client";
import type { CallToolResult, Tool } from "@tenon/protocol";

import type { EvalCase } from "./cases.ts";
import { askHashOf, redactResponse, type RecordedResponse } from "./recording.ts";
import { scoreOf, type Score } from "./score.ts";

/** Everything that {@link evaluate} uses. */
export interface EvaluateSetup {
  readonly session: ClientSession;
  readonly tools: readonly Tool[];
  readonly cases: readonly EvalCase[];
  /** The names of the models. */
  readonly models: readonly string[];
  /** The number of runs of each case. */
  readonly repetitionsOf: (model: string) => number;
  /** The model of one run. */
  readonly modelFor: (run: Pick<RecordedResponse, "model" | "ask" | "repetition">) => ChatModel;
  /** Whether tools with effects are called too. */
  readonly callsAll: boolean;
  /** Whether the models repeat a recording. */
  readonly isRecorded: boolean;
  /** Whether a hidden value is unexpected by a recording. */
  readonly hidesMistake: (run: Pick<RecordedResponse, "model" | "ask" | "repetition">) => boolean;
  /** Stores the responses of a run without their secrets, before the next run. */
  readonly onResponses: (responses: readonly RecordedResponse[]) => Promise<void>;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

const hiddenProblem = "A value that the recording hides was unexpected; correct it and record it again.";

const notCalled: CallToolResult = {
  content: [
    {
      type: "text",
      text: "This is an evaluation: the tool was not called. Go on as if it had done what you asked.",
    },
  ],
};

/**
 * Runs every case with every model, one after the other, so that no vendor refuses, and returns the
 * scores of all runs.
 */
export async function evaluate(setup: EvaluateSetup): Promise<readonly Score[]> {
  const { session, tools, cases, models, isRecorded, signal } = setup;
  const scores: Score[] = [];
  for (const name of models) {
    const repetitions = setup.repetitionsOf(name);
    for (const [index, one] of cases.entries()) {
      for (let repetition = 1; repetition <= repetitions; repetition++) {
        setup.onProgress(`${name}: ${index + 1}/${cases.length}, repetition ${repetition}`);
        const run = { model: name, ask: one.ask, repetition };
        const messages = await converse({
          model: setup.modelFor(run),
          system: session.instructions,
          messages: [{ role: "user", text: one.ask }],
          tools,
          signal,
          call: ({ name: tool, arguments: args }) => callTool(setup, tool, args),
        });
        const own = messages.filter((message) => message.role === "assistant");
        const askHash = askHashOf(one.ask);
        const judged = { model: name, repetition, tools };
        const score = scoreOf(one, { ...judged, isRecorded }, messages);
        const responses = own.map(({ text, calls, usage }, turn) =>
          redactResponse({ ...run, askHash, turn, response: { text, calls, usage } }),
        );
        const seen = responses.map(({ response }) => ({ role: "assistant" as const, ...response }));
        const isHidden = !score.passed && scoreOf(one, { ...judged, isRecorded: true }, seen).passed;
        await setup.onResponses(
          isHidden ? responses.map((each) => ({ ...each, hidesMistake: true })) : responses,
        );
        scores.push(
          score.passed && setup.hidesMistake(run)
            ? { ...score, rightArguments: false, passed: false, problem: hiddenProblem }
            : score,
        );
      }
    }
  }
  return scores;
}

async function callTool(
  { session, tools, callsAll, signal }: EvaluateSetup,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const tool = tools.find((each) => each.name === name);
  return tool === undefined || callsAll || tool.annotations?.readOnlyHint === true
    ? session.callTool({ name, arguments: args }, { signal })
    : notCalled;
}
