import { readFile } from "node:fs/promises";

import { isRecord } from "@tenon/base";

import { parseJson } from "../command/parse-json.ts";
import { usageError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";

/** A call that is expected, with the arguments that matter. */
export interface ExpectedCall {
  readonly tool: string;
  /** Each must be equal; the model may give further arguments. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A prompt, and the calls that a model should make for it. */
export interface EvalCase {
  readonly ask: string;
  /** In this order, with other calls in between. Empty: no tool should be called. */
  readonly expect: readonly ExpectedCall[];
  /** The maximum number of calls. By default there is no limit. */
  readonly maxCalls: number;
}

const maxCases = 1_000;
const example = '{"cases": [{"ask": "What is 2 + 3?", "expect": [{"tool": "add", "arguments": {"a": 2}}]}]}';

/** Reads a file of cases. @throws `CliError` with the place of a wrong entry. */
export async function readCases(path: string): Promise<readonly EvalCase[]> {
  let value: unknown;
  try {
    value = parseJson(await readFile(path, "utf8"));
  } catch (cause) {
    throw usageError(`${path} cannot be read: ${messageOf(cause)}`, `write cases as in ${example}`);
  }
  const list: unknown = isRecord(value) ? value["cases"] : undefined;
  if (!Array.isArray(list) || list.length === 0 || list.length > maxCases) {
    throw usageError(`Expected "cases" with 1 to ${maxCases} entries in ${path}.`, example);
  }
  const cases = list.map((entry: unknown, index) => caseOf(entry, `${path}: /cases/${index}`));
  const places = new Map<string, number>();
  for (const [index, { ask }] of cases.entries()) {
    const earlier = places.get(ask);
    if (earlier !== undefined) {
      throw usageError(
        `/cases/${earlier} and /cases/${index} of ${path} have the same "ask".`,
        "join them to one case, and run it several times with --repeat",
      );
    }
    places.set(ask, index);
  }
  return cases;
}

function caseOf(entry: unknown, where: string): EvalCase {
  const {
    ask,
    expect,
    maxCalls = Infinity,
    ...rest
  }: Readonly<Record<string, unknown>> = isRecord(entry) ? entry : {};
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw usageError(`${where} has an unknown property ${JSON.stringify(unknown)}.`, example);
  }
  if (typeof ask !== "string" || ask.trim() === "") {
    throw usageError(`${where}/ask must be a string.`, example);
  }
  if (!Array.isArray(expect)) {
    throw usageError(`${where}/expect must be a list of calls; [] if no tool should be called.`, example);
  }
  if (typeof maxCalls !== "number" || !(maxCalls >= 0)) {
    throw usageError(`${where}/maxCalls must be a number.`, example);
  }
  return {
    ask,
    maxCalls,
    expect: expect.map((call: unknown, index) => {
      const args: unknown = isRecord(call) ? (call["arguments"] ?? {}) : undefined;
      if (!isRecord(call) || typeof call["tool"] !== "string" || !isRecord(args)) {
        throw usageError(
          `${where}/expect/${index} must have a "tool", and "arguments" that are an object.`,
          example,
        );
      }
      return { tool: call["tool"], arguments: args };
    }),
  };
}
