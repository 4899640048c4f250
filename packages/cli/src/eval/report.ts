import type { DefinitionChange } from "@tenon/testing";

import { visibleLine } from "../output/escape.ts";
import type { Printer } from "../output/printer.ts";
import { table } from "../output/table.ts";
import type { Score } from "./score.ts";

/** The sums of one model. */
export interface ModelSum {
  readonly model: string;
  readonly runs: number;
  readonly passed: number;
  readonly rightTools: number;
  readonly rightArguments: number;
  /** On average of a run. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A choice of a model that differs from the recorded one. */
export interface ChangedChoice {
  readonly model: string;
  readonly ask: string;
  readonly repetition: number;
  readonly before: string;
  readonly after: string;
}

/** The report of an evaluation. Plain JSON. */
export interface EvalReport {
  readonly target: string;
  /** Whether the responses were recorded earlier. */
  readonly isRepeated: boolean;
  /** The share of runs that passed, in percent. */
  readonly percent: number;
  readonly models: readonly ModelSum[];
  readonly scores: readonly Score[];
  /** The changes of the tools since the recording. */
  readonly changes: readonly DefinitionChange[];
  readonly changedChoices: readonly ChangedChoice[];
}

/** Sums the scores of each model. */
export function sumsOf(scores: readonly Score[]): readonly ModelSum[] {
  return [...new Set(scores.map(({ model }) => model))].map((model) => {
    const own = scores.filter((score) => score.model === model);
    const mean = (value: (score: Score) => number): number =>
      Math.round((own.reduce((sum, score) => sum + value(score), 0) / own.length) * 10) / 10;
    return {
      model,
      runs: own.length,
      passed: own.filter(({ passed }) => passed).length,
      rightTools: own.filter(({ rightTools }) => rightTools).length,
      rightArguments: own.filter(({ rightArguments }) => rightArguments).length,
      calls: mean(({ calls }) => calls.length),
      inputTokens: mean(({ tokens }) => tokens.input),
      outputTokens: mean(({ tokens }) => tokens.output),
    };
  });
}

/** The calls of a run in one line. */
export function choiceOf({ calls }: Pick<Score, "calls">): string {
  return calls.length === 0
    ? "no call"
    : calls.map(({ tool, arguments: args }) => `${tool}(${JSON.stringify(args)})`).join(", ");
}

/** The report as text: a table of the models, then what went wrong and what changed. */
export function reportText(
  { models, scores, changes, changedChoices }: EvalReport,
  { style, width }: Printer,
): string {
  const head = ["model", "passed", "tools", "arguments", "calls", "tokens in", "out"].map(style.dim);
  const rows = models.map((sum) => [
    visibleLine(sum.model),
    `${sum.passed}/${sum.runs}`,
    `${sum.rightTools}/${sum.runs}`,
    `${sum.rightArguments}/${sum.runs}`,
    String(sum.calls),
    String(sum.inputTokens),
    String(sum.outputTokens),
  ]);
  const failed = scores
    .filter(({ passed }) => !passed)
    .flatMap((score) => [
      `${style.bad("✗")} ${visibleLine(score.ask)} ${style.dim(visibleLine(`${score.model}, ${score.repetition}`))}`,
      `    ${visibleLine(score.problem)} ${visibleLine(choiceOf(score)).slice(0, 200)}`,
    ]);
  const changed = changes.map(({ name, path, message }) => `  ${visibleLine(`${name} ${path}: ${message}`)}`);
  const choices = changedChoices.flatMap(({ model, ask, repetition, before, after }) => [
    `${style.warning("≠")} ${visibleLine(ask)} ${style.dim(visibleLine(`${model}, ${repetition}`))}`,
    `    ${visibleLine(before).slice(0, 200)} → ${visibleLine(after).slice(0, 200)}`,
  ]);
  return [
    ...(models.length === 0 ? [] : table([head, ...rows], { width })),
    ...failed,
    ...(changed.length === 0 ? [] : ["The tools differ from the recording:", ...changed]),
    ...(choices.length === 0 ? [] : ["Choices differ from the recording:", ...choices]),
  ].join("\n");
}
