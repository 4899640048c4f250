import { isDeepStrictEqual } from "node:util";

import { hidden } from "@tenon/http/redact";
import type { ModelCall, ModelMessage } from "@tenon/inspector";
import { compile, type ValidationIssue } from "@tenon/jsonschema";
import type { Tool } from "@tenon/protocol";

import { counted } from "../output/counted.ts";
import type { EvalCase } from "./cases.ts";
import { redactRecord } from "./recording.ts";

/** The verdict on one run of a model. Plain JSON. */
export interface Score {
  readonly ask: string;
  readonly model: string;
  /** From 1. */
  readonly repetition: number;
  /** Whether the expected tools were called in their order. */
  readonly rightTools: boolean;
  /** Whether they were called with the expected arguments, and all arguments fit their schemas. */
  readonly rightArguments: boolean;
  readonly passed: boolean;
  /** A sentence about the failure. Empty if the run passed. */
  readonly problem: string;
  readonly calls: readonly { readonly tool: string; readonly arguments: ModelCall["arguments"] }[];
  readonly tokens: { readonly input: number; readonly output: number };
}

/** A run of a model. */
interface JudgedRun {
  readonly model: string;
  readonly repetition: number;
  readonly tools: readonly Tool[];
  /** Whether the responses are from a recording, which has no secrets. */
  readonly isRecorded: boolean;
}

/** Judges the messages that a model and its tools sent for a case. */
export function scoreOf(
  one: EvalCase,
  { model, repetition, tools, isRecorded }: JudgedRun,
  messages: readonly ModelMessage[],
): Score {
  const responses = messages.filter((message) => message.role === "assistant");
  const calls = responses.flatMap((response) => response.calls);
  const missing = firstMissing(one, calls, () => true);
  const rightTools = missing === undefined && (one.expect.length > 0 || calls.length === 0);
  const wrong = firstMissing(one, calls, (expected, call) => {
    // Whether a value is a secret depends on the other arguments.
    const whole = { ...call.arguments, ...expected.arguments };
    const wanted = isRecorded ? redactRecord(whole) : whole;
    return Object.keys(expected.arguments).every((name) =>
      isDeepStrictEqual(call.arguments[name], wanted[name]),
    );
  });
  const invalid = calls.find((call) => !fits(call, tools, isRecorded));
  const rightArguments = rightTools && wrong === undefined && invalid === undefined;
  const isTooMuch = calls.length > one.maxCalls;
  const isOpen = (responses.at(-1)?.calls.length ?? 0) > 0;
  const problem = !rightTools
    ? missing === undefined
      ? `Expected no call; the model called ${namesOf(calls)}.`
      : `Expected a call of ${missing}; the model called ${namesOf(calls)}.`
    : wrong !== undefined
      ? `The arguments of ${wrong} are not the expected ones.`
      : invalid !== undefined
        ? `The arguments of ${invalid.name} are not valid.`
        : isTooMuch
          ? `${counted(calls.length, "call")}, at most ${one.maxCalls} were expected.`
          : isOpen
            ? "The model still called tools after the last turn."
            : "";
  return {
    ask: one.ask,
    model,
    repetition,
    rightTools,
    rightArguments,
    passed: problem === "",
    problem,
    calls: calls.map(({ name, arguments: args }) => ({ tool: name, arguments: args })),
    tokens: {
      input: responses.reduce((sum, { usage }) => sum + usage.input, 0),
      output: responses.reduce((sum, { usage }) => sum + usage.output, 0),
    },
  };
}

/** The first expected tool that is not among the calls, in their order. */
function firstMissing(
  { expect }: EvalCase,
  calls: readonly ModelCall[],
  fitsCall: (expected: EvalCase["expect"][number], call: ModelCall) => boolean,
): string | undefined {
  let from = 0;
  for (const expected of expect) {
    const at = calls.findIndex(
      (call, index) => index >= from && call.name === expected.tool && fitsCall(expected, call),
    );
    if (at === -1) {
      return expected.tool;
    }
    from = at + 1;
  }
  return undefined;
}

function fits({ name, arguments: args }: ModelCall, tools: readonly Tool[], isRecorded: boolean): boolean {
  const tool = tools.find((each) => each.name === name);
  try {
    const checked =
      tool === undefined ? undefined : compile(tool.inputSchema, { untrusted: true }).check(args);
    return checked === undefined || checked.valid
      ? checked !== undefined
      : isRecorded && checked.errors.every((issue) => isAboutHidden(issue, args));
  } catch {
    // The schema is at fault, which `tenon doctor` reports.
    return true;
  }
}

/** Keywords that fail for an object because of a value deep in it. */
const deepKeywords = /^(?:anyOf|oneOf|not|enum|const|contains|uniqueItems)$/;

/** Whether an issue is about a value that the recording hides. */
function isAboutHidden({ instanceLocation, keyword }: ValidationIssue, args: unknown): boolean {
  let value = args;
  for (const name of instanceLocation.split("/").slice(1)) {
    value = (value as Readonly<Record<string, unknown>>)[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  const isDeep = typeof value === "string" || deepKeywords.test(keyword);
  return isDeep && JSON.stringify(value).includes(hidden);
}

function namesOf(calls: readonly ModelCall[]): string {
  return calls.length === 0 ? "nothing" : [...new Set(calls.map(({ name }) => name))].join(", ");
}
