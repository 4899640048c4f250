import { resolve } from "node:path";

import { diffDefinitions, lockOf, type DefinitionChange, type Lock } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { readCases } from "../eval/cases.ts";
import { evaluate } from "../eval/evaluate.ts";
import {
  askHashOf,
  checkComplete,
  hidesMistake,
  mergeResponses,
  readRecording,
  recordedModel,
  recordingText,
  redactRecord,
  type EvalRecording,
  type RecordedResponse,
} from "../eval/recording.ts";
import { choiceOf, reportText, sumsOf, type ChangedChoice, type EvalReport } from "../eval/report.ts";
import { scoreOf, type Score } from "../eval/score.ts";
import { exitCodes, usageError } from "../exit.ts";
import { openModels } from "../model/open-model.ts";
import { openSession } from "../session/open.ts";
import { replaceFile } from "../write-file.ts";

/** Sends prompts to models, and judges which tools of a server they call. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell } = invocation;
  const file = invocation.required("cases");
  const cases = await readCases(resolve(shell.cwd, file));
  const path = resolve(
    shell.cwd,
    flags.text("recording") ?? `${file.replace(/\.json$/, "")}.recording.jsonl`,
  );
  const names = [...new Set(flags.list("model"))];
  const asked = openModels(invocation, names);
  const earlier = await readRecording(path);
  const isRepeated = asked.size === 0;
  if (isRepeated && earlier === undefined) {
    throw usageError(
      `There is no recording ${path}.`,
      "record one with --model, such as --model openai:gpt-5",
    );
  }
  await using opened = await openSession(invocation);
  const { session, signal, target } = opened;
  const lock = await lockOf(session);
  const changes = earlier === undefined ? [] : changesOf(earlier.lock, lock);
  const models = isRepeated ? [...new Set(earlier?.responses.map(({ model }) => model))] : names;
  const repeat = flags.integer("repeat", 1) ?? 1;
  const isStale = isRepeated && changes.length > 0;
  const isRecording = !isRepeated && (earlier === undefined || flags.has("update"));
  if (isRecording) {
    checkKept(path, changes.length === 0 ? undefined : earlier, names);
  } else if (earlier !== undefined && !isStale) {
    checkComplete(
      earlier,
      models,
      cases.map(({ ask }) => ask),
    );
  }
  const before = changes.length === 0 ? (earlier?.responses ?? []) : [];
  const responses: RecordedResponse[] = [];
  const { tools } = lock.definitions;
  const scores = isStale
    ? []
    : await evaluate({
        session,
        tools,
        cases,
        models,
        repetitionsOf: (model) => (isRepeated ? repetitionsIn(earlier, model) : repeat),
        isRecorded: isRepeated,
        async onResponses(added) {
          responses.push(...added);
          if (isRecording) {
            // Responses cost money: an error in the next run must not lose them.
            await replaceFile(path, recordingText({ lock, responses: mergeResponses(before, responses) }));
          }
        },
        modelFor: (each) => asked.get(each.model) ?? recordedModel(earlier ?? { lock, responses: [] }, each),
        hidesMistake: (each) => isRepeated && earlier !== undefined && hidesMistake(earlier, each),
        callsAll: flags.has("all"),
        onProgress: (text) => printer.progress(text),
        signal,
      });
  const changedChoices =
    isRepeated || earlier === undefined ? [] : compareChoices(scores, choicesIn(earlier));
  const passed = scores.filter((score) => score.passed).length;
  const report: EvalReport = {
    target: target.label,
    isRepeated,
    percent: scores.length === 0 ? 0 : Math.floor((passed / scores.length) * 100),
    models: sumsOf(scores),
    scores,
    changes,
    changedChoices,
  };
  printer.result(report, () => reportText(report, printer));
  const page = flags.text("html");
  if (page !== undefined) {
    const { reportPage } = await import("../eval/page.ts");
    await replaceFile(resolve(shell.cwd, page), reportPage(report));
  }
  if (isStale) {
    printer.note("Models may choose differently now. Record again with --model and --update.");
    return exitCodes.drift;
  }
  if (isRecording) {
    const kept = before.filter(({ model }) => !names.includes(model));
    await replaceFile(path, recordingText({ lock, responses: [...kept, ...responses] }));
    printer.note(`${path} has the responses.`);
  } else if (changedChoices.length > 0) {
    return exitCodes.drift;
  }
  return report.percent >= (flags.integer("min") ?? 100) ? exitCodes.ok : exitCodes.failed;
}

/**
 * Checks that no response of another model is lost.
 *
 * @param stale - The recording, if the tools have changed since.
 * @throws `CliError` if the recording has models that the command does not name.
 */
function checkKept(path: string, stale: EvalRecording | undefined, names: readonly string[]): void {
  const others = [...new Set(stale?.responses.map(({ model }) => model))].filter(
    (model) => !names.includes(model),
  );
  if (others.length > 0) {
    throw usageError(
      `${path} has responses of ${others.join(", ")} too, but the tools have changed since.`,
      `add --model ${others.join(" --model ")}, or name another file with --recording`,
    );
  }
}

/** The runs of each case in a recording. */
function repetitionsIn(recording: EvalRecording | undefined, model: string): number {
  const own = recording?.responses.filter((each) => each.model === model) ?? [];
  return own.reduce((most, { repetition }) => Math.max(most, repetition), 1);
}

/** The changes that a model sees. Annotations and outputs are for hosts. */
function changesOf(before: Lock, now: Lock): readonly DefinitionChange[] {
  return diffDefinitions(before.definitions, now.definitions).filter(
    ({ kind, path }) =>
      kind === "tool" && !/^\/(?:annotations|outputSchema|title|icons|execution)\b/.test(path),
  );
}

/** The choices of a recording. */
function choicesIn({ responses, lock }: EvalRecording): ReadonlyMap<string, string> {
  const calls = new Map<string, Score["calls"]>();
  for (const { model, ask, askHash, repetition, response } of responses) {
    const key = JSON.stringify([model, askHash, repetition]);
    const { calls: own } = scoreOf(
      { ask, expect: [], maxCalls: Infinity },
      { model, repetition, tools: lock.definitions.tools, isRecorded: true },
      [{ role: "assistant", ...response }],
    );
    calls.set(key, [...(calls.get(key) ?? []), ...own]);
  }
  return new Map([...calls].map(([key, own]) => [key, choiceOf({ calls: own })]));
}

function compareChoices(
  scores: readonly Score[],
  before: ReadonlyMap<string, string>,
): readonly ChangedChoice[] {
  return scores.flatMap((score) => {
    const { model, ask, repetition } = score;
    const recorded = before.get(JSON.stringify([model, askHashOf(ask), repetition]));
    // Redacted as in a recording: a secret is not a difference.
    const calls = score.calls.map((call) => ({ ...call, arguments: redactRecord(call.arguments) }));
    const after = choiceOf({ calls });
    return recorded === undefined || recorded === after
      ? []
      : [{ model, ask, repetition, before: recorded, after }];
  });
}
