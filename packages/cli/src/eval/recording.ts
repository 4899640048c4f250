import { readFile } from "node:fs/promises";

import { isRecord } from "@tenon/base";
import { redactor } from "@tenon/http/redact";
import type { ChatModel, ModelResponse } from "@tenon/inspector";
import { parseLock, type Lock } from "@tenon/testing";

import { CliError, usageError } from "../exit.ts";

/** One response of a model, and the place to which it belongs. */
export interface RecordedResponse {
  readonly model: string;
  readonly ask: string;
  /** From 1. */
  readonly repetition: number;
  /** From 0. */
  readonly turn: number;
  readonly response: ModelResponse;
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
  return isRecord(response) && Array.isArray(response["calls"]) && isRecord(response["usage"]);
}

/** The text of a recording, without secrets. */
export function recordingText({ lock, responses }: EvalRecording): string {
  const redact = redactor();
  // Definitions are compared later, so nothing is redacted in them.
  const lines = responses.map((each) => redact(each));
  return [{ tenonEval: 1, redacted: true, lock }, ...lines]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

/** A model that repeats its recorded responses in one run. */
export function recordedModel(
  { responses }: EvalRecording,
  { model, ask, repetition }: Pick<RecordedResponse, "model" | "ask" | "repetition">,
): ChatModel {
  let turn = 0;
  return {
    name: model,
    respond() {
      const found = responses.find(
        (each) =>
          each.model === model && each.ask === ask && each.repetition === repetition && each.turn === turn,
      );
      turn++;
      return found === undefined
        ? Promise.reject(
            new CliError(
              "drift",
              `Expected response ${turn} of ${model} to ${JSON.stringify(ask)} in the recording.`,
              {
                hint: "record again: tenon eval with --model and --update",
              },
            ),
          )
        : Promise.resolve(found.response);
    },
  };
}
