import { resolve } from "node:path";

import { diffDefinitions, lockOf, type DefinitionChange, type Lock } from "@tenon/testing";

import type { Invocation } from "../command/invocation.ts";
import { readCases } from "../eval/cases.ts";
import { evaluate } from "../eval/evaluate.ts";
import { readRecording, recordedModel, recordingText, type EvalRecording } from "../eval/recording.ts";
import { choiceOf, reportText, sumsOf, type ChangedChoice, type EvalReport } from "../eval/report.ts";
import { scoreOf, type Score } from "../eval/score.ts";
import { exitCodes, usageError } from "../exit.ts";
import { openModel } from "../model/open-model.ts";
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
  const asked = new Map(names.map((name) => [name, openModel(invocation, name)]));
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
  const repetitions = isRepeated
    ? Math.max(1, ...(earlier?.responses.map(({ repetition }) => repetition) ?? []))
    : (flags.integer("repeat", 1) ?? 1);
  const isStale = isRepeated && changes.length > 0;
  const { tools } = lock.definitions;
  const { scores, responses } = isStale
    ? { scores: [], responses: [] }
    : await evaluate({
        session,
        tools,
        cases,
        models,
        repetitions,
        modelFor: (each) => asked.get(each.model) ?? recordedModel(earlier ?? { lock, responses: [] }, each),
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
  if (!isRepeated && (earlier === undefined || flags.has("update"))) {
    await replaceFile(path, recordingText({ lock, responses }));
    printer.note(`${path} has the responses.`);
  } else if (changedChoices.length > 0) {
    return exitCodes.drift;
  }
  return report.percent >= (flags.integer("min") ?? 100) ? exitCodes.ok : exitCodes.failed;
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
  for (const { model, ask, repetition, response } of responses) {
    const key = JSON.stringify([model, ask, repetition]);
    const { calls: own } = scoreOf(
      { ask, expect: [], maxCalls: Infinity },
      { model, repetition, tools: lock.definitions.tools },
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
    const recorded = before.get(JSON.stringify([model, ask, repetition]));
    const after = choiceOf(score);
    return recorded === undefined || recorded === after
      ? []
      : [{ model, ask, repetition, before: recorded, after }];
  });
}
