import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

import { isRecord } from "@tenon/base";
import { redactor } from "@tenon/http/redact";
import type { ChatModel, ModelResponse } from "@tenon/inspector";
import { parseLock, type Lock } from "@tenon/testing";

import { CliError, usageError } from "../exit.ts";

/** One response of a model, and the place to which it belongs. */
export interface RecordedResponse {
  readonly model: string;
  /** For people: a file has it without secrets. */
  readonly ask: string;
  /** Of {@link askHashOf}. */
  readonly askHash: string;
  /** From 1. */
  readonly repetition: number;
  /** From 0. */
  readonly turn: number;
  readonly response: ModelResponse;
  /** True if a value that the recording hides was unexpected. */
  readonly hidesMistake?: true | undefined;
}

/** Finds the responses to a prompt, even if a secret was hidden in the prompt. */
export function askHashOf(ask: string): string {
  return createHash("sha256").update(ask).digest("hex").slice(0, 32);
}

/** The responses of models, bound to the definitions that the models saw. */
export interface EvalRecording {
  readonly lock: Lock;
  readonly responses: readonly RecordedResponse[];
}

/** Reads a recording; `undefined` without a file. @throws `CliError` for another file. */
export async function readRecording(path: string): Promise<EvalRecording | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ENOENT") {
      return undefined;
    }
    throw error;
  }
  try {
    const [head, ...lines] = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as unknown);
    if (!isRecord(head) || head["tenonEval"] !== 1 || !lines.every(isResponse)) {
      throw new SyntaxError('its first line has no "tenonEval": 1, or a line is not a response');
    }
    return { lock: parseLock(JSON.stringify(head["lock"])), responses: lines };
  } catch (cause) {
    throw usageError(
      `${path} is not a recording of tenon eval: ${(cause as Error).message}`,
      "name another file with --recording",
    );
  }
}

function isResponse(value: unknown): value is RecordedResponse {
  const response: unknown = isRecord(value) ? value["response"] : undefined;
  return (
    isRecord(value) &&
    typeof value["askHash"] === "string" &&
    isRecord(response) &&
    Array.isArray(response["calls"]) &&
    isRecord(response["usage"])
  );
}

/** The text of a recording, whose responses are from {@link redactResponse}. */
export function recordingText({ lock, responses }: EvalRecording): string {
  return [{ tenonEval: 1, redacted: true, lock }, ...responses]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

const redact = redactor();

/** A response without secrets. The names by which it is found and judged are kept. */
export function redactResponse(each: RecordedResponse): RecordedResponse {
  const { text, calls, usage } = each.response;
  return {
    ...each,
    ask: String(redact(each.ask)),
    response: {
      text: String(redact(text)),
      calls: calls.map((call) => ({ ...call, arguments: redactRecord(call.arguments) })),
      usage,
    },
  };
}

/** Whether a mistake of a run is in a value that the recording hides. */
export function hidesMistake(
  { responses }: EvalRecording,
  run: Pick<RecordedResponse, "model" | "ask" | "repetition">,
): boolean {
  const key = runOf({ ...run, askHash: askHashOf(run.ask) });
  return responses.some((each) => each.hidesMistake === true && runOf(each) === key);
}

/** Arguments as a recording has them. */
export function redactRecord(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const safe = redact(value);
  return isRecord(safe) ? safe : {};
}

/** Adds responses to a recording. They replace the responses of the same runs. */
export function mergeResponses(
  before: readonly RecordedResponse[],
  added: readonly RecordedResponse[],
): readonly RecordedResponse[] {
  const runs = new Set(added.map(runOf));
  return [...before.filter((each) => !runs.has(runOf(each))), ...added];
}

function runOf({
  model,
  askHash,
  repetition,
}: Pick<RecordedResponse, "model" | "askHash" | "repetition">): string {
  return JSON.stringify([model, askHash, repetition]);
}

/**
 * Checks that a recording has every case for every model.
 *
 * @throws `CliError` with the first missing case and the flags that record it.
 */
export function checkComplete(
  { responses }: EvalRecording,
  models: readonly string[],
  asks: readonly string[],
): void {
  for (const model of models) {
    const own = new Set(responses.filter((each) => each.model === model).map(({ askHash }) => askHash));
    const missing = asks.filter((ask) => !own.has(askHashOf(ask)));
    const [first] = missing;
    if (first !== undefined) {
      const more = missing.length === 1 ? "" : `, and ${missing.length - 1} further responses`;
      throw new CliError(
        "drift",
        `Expected a response of ${model} to ${JSON.stringify(first)}${more} in the recording.`,
        { hint: `record it: the same command with --model ${model} --update` },
      );
    }
  }
}

/** A model that repeats its recorded responses in one run. */
export function recordedModel(
  { responses }: EvalRecording,
  { model, ask, repetition }: Pick<RecordedResponse, "model" | "ask" | "repetition">,
): ChatModel {
  let turn = 0;
  const askHash = askHashOf(ask);
  return {
    name: model,
    respond() {
      const found = responses.find(
        (each) =>
          each.model === model &&
          each.askHash === askHash &&
          each.repetition === repetition &&
          each.turn === turn,
      );
      turn++;
      return found === undefined
        ? Promise.reject(
            new CliError(
              "drift",
              `Expected response ${turn} of ${model} to ${JSON.stringify(ask)} in the recording.`,
              {
                hint: `record it again: the same command with --model ${model} --update`,
              },
            ),
          )
        : Promise.resolve(found.response);
    },
  };
}
