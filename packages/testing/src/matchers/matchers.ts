import { isRecord } from "@tenon/base";
import { compile } from "@tenon/jsonschema";
import type { Tool } from "@tenon/protocol";

import { isEqual, quoted } from "../definitions/change.ts";
import type { Definitions } from "../definitions/collect.ts";
import type { Pair } from "../pair/connect.ts";

/** The verdict of a matcher, as test runners take it. */
export interface Verdict {
  readonly pass: boolean;
  /** Why it passed or failed, for the message of a failed test. */
  readonly message: () => string;
}

/** A text that must be equal, or an expression that must match. */
export type Expected = string | RegExp;

/** Whether the result of a call is not an error, and its text equals or matches `expected`. */
export function toBeToolText(result: unknown, expected: Expected): Verdict {
  const { isError, text } = readResult(result);
  const pass = isError === false && fits(text, expected);
  return verdict(pass, `a result with the text ${String(expected)}`, describe(result));
}

/** Whether the result of a call is an error that the model sees, with this text if one is given. */
export function toBeToolError(result: unknown, expected?: Expected): Verdict {
  const { isError, text } = readResult(result);
  const pass = isError === true && (expected === undefined || fits(text, expected));
  const wanted = expected === undefined ? "" : ` with the text ${String(expected)}`;
  return verdict(pass, `a result with isError: true${wanted}`, describe(result));
}

/**
 * Whether `structuredContent` of a result fits a schema, or the output schema of a tool.
 *
 * @throws `TypeError` for a tool without an output schema, which every result would fit.
 */
export function toMatchOutputSchema(result: unknown, schemaOrTool: object): Verdict {
  const { name, inputSchema, outputSchema } = schemaOrTool as Partial<Tool>;
  if (inputSchema !== undefined && outputSchema === undefined) {
    throw new TypeError(
      `Expected a schema, or a tool with outputSchema; the tool ${JSON.stringify(name)} has none.`,
    );
  }
  const schema = outputSchema ?? schemaOrTool;
  const content = isRecord(result) ? result["structuredContent"] : undefined;
  const checked = compile(schema).check(content);
  const problems = checked.valid
    ? ""
    : checked.errors.map(({ instanceLocation, message }) => `${instanceLocation}: ${message}`).join("; ");
  const found = `structuredContent ${quoted(content)}${problems === "" ? "" : ` (${problems})`}`;
  return verdict(content !== undefined && checked.valid, "structuredContent that fits the schema", found);
}

/** Whether the client has sent a request of this method, with these parameters. */
export function toHaveCalled({ wire, printWire }: Pair, method: string, params?: object): Verdict {
  const requests = wire.flatMap((entry) =>
    entry.dir === "write" &&
    "message" in entry &&
    isRecord(entry.message) &&
    entry.message["method"] === method
      ? [entry.message["params"]]
      : [],
  );
  const pass = requests.some((sent) => params === undefined || contains(sent, params));
  const wanted = params === undefined ? "" : ` with ${quoted(params)}`;
  return verdict(pass, `a request of ${method}${wanted}`, `these messages:\n${printWire()}`);
}

/** Whether no error response, and nothing that is not a message, went over the wire. */
export function toHaveNoProtocolErrors({ wire, printWire }: Pair): Verdict {
  const errors = wire.filter(
    (entry) =>
      "error" in entry || ("message" in entry && isRecord(entry.message) && "error" in entry.message),
  );
  return verdict(errors.length === 0, "no error on the wire", `${errors.length}:\n${printWire()}`);
}

/** Whether the definitions contain a tool of this name, with these properties if some are given. */
export function toOfferTool({ tools }: Definitions, name: string, members: object = {}): Verdict {
  if (!Array.isArray(tools)) {
    throw new TypeError(
      "toOfferTool takes definitions: expect(await definitionsOf(session)).toOfferTool(…).",
    );
  }
  const tool = tools.find((one) => one.name === name);
  const pass = tool !== undefined && contains(tool, members);
  const found = tool === undefined ? `the tools ${quoted(tools.map((one) => one.name))}` : quoted(tool);
  return verdict(pass, `a tool ${JSON.stringify(name)}${quotedMembers(members)}`, found);
}

function quotedMembers(members: object): string {
  return Object.keys(members).length === 0 ? "" : ` with ${quoted(members)}`;
}

function verdict(pass: boolean, expected: string, found: string): Verdict {
  return { pass, message: () => `Expected ${pass ? "anything but " : ""}${expected}; got ${found}.` };
}

function readResult(result: unknown): { isError: boolean | undefined; text: string } {
  if (!isRecord(result) || !Array.isArray(result["content"])) {
    return { isError: undefined, text: "" };
  }
  const blocks: readonly unknown[] = result["content"];
  const texts = blocks.map((block) => (isRecord(block) && block["type"] === "text" ? block["text"] : ""));
  return { isError: result["isError"] === true, text: texts.join("") };
}

function describe(result: unknown): string {
  const text = JSON.stringify(result) ?? "nothing";
  return text.length > 1_000 ? `${text.slice(0, 999)}…` : text;
}

function fits(text: string, expected: Expected): boolean {
  // A copy, because expressions with the flag g or y continue where their last match ended.
  return typeof expected === "string" ? text === expected : new RegExp(expected).test(text);
}

/** Whether a value has all properties of another value, at any depth. Lists must be equal. */
function contains(value: unknown, members: unknown): boolean {
  return isRecord(members) && isRecord(value)
    ? Object.entries(members).every(([name, member]) => contains(value[name], member))
    : isEqual(value, members);
}
