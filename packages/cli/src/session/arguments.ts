import { isRecord } from "@tenon/base";

import { nearest } from "../command/nearest.ts";
import { parseJson } from "../command/parse-json.ts";
import { shellWord } from "../command/shell-word.ts";
import { usageError } from "../exit.ts";
import { messageOf, visibleLine } from "../output/escape.ts";
import type { Shell } from "../shell.ts";

/** Bytes of standard input that are read at most. */
const maxInputBytes = 64 * 1024 * 1024;

/**
 * The arguments of a tool from operands: `name=text`, `name:=json`, a JSON object, and `-` for a
 * JSON object on standard input. Later ones win. `--name text` is allowed for properties of the
 * schema.
 *
 * @param schema - The `inputSchema` of the tool, if it is known: `n=3` is then a number where no
 *   text is allowed.
 * @throws `CliError` for an operand of another form.
 */
export async function readArguments(
  operands: readonly string[],
  schema: unknown,
  shell: Shell,
): Promise<Record<string, unknown>> {
  const given = new Map<string, unknown>();
  const left = [...operands];
  for (let operand = left.shift(); operand !== undefined; operand = left.shift()) {
    if (operand.startsWith("--")) {
      readOption(given, operand, left, schema);
      continue;
    }
    if (operand === "-") {
      merge(given, await readInput(shell), "standard input");
      continue;
    }
    if (operand.startsWith("{")) {
      merge(given, operand, "the argument");
      continue;
    }
    const [, name, colon, value] = /^([^=:]+)(:?)=([\s\S]*)$/.exec(operand) ?? [];
    if (name === undefined || value === undefined) {
      throw usageError(
        `${JSON.stringify(operand)} is not an argument.`,
        `name=text, name:=json, '{"name": …}', or - for JSON on standard input`,
      );
    }
    given.set(name, colon === ":" ? parsed(value, name) : coerced(value, propertyOf(schema, name)));
  }
  return Object.fromEntries(given);
}

/** Reads `--name text`, `--name=text`, and `--name` for a Boolean. */
function readOption(given: Map<string, unknown>, operand: string, left: string[], schema: unknown): void {
  const [, name = "", inWord] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(operand) ?? [];
  const property = propertyOf(schema, name);
  const types = typesOf(property);
  const [next] = left;
  const isFlag = types.length === 1 && types[0] === "boolean" && !/^(?:true|false)$/.test(next ?? "");
  if (property !== undefined && inWord === undefined && isFlag) {
    given.set(name, true);
    return;
  }
  const value = inWord ?? (next?.startsWith("--") === true ? undefined : next);
  if (property === undefined) {
    throw unknownOption(name, value, schema);
  }
  if (value === undefined) {
    throw usageError(`--${name} needs a value.`, `${name}=…`);
  }
  if (inWord === undefined) {
    left.shift();
  }
  given.set(name, coerced(value, property));
}

function unknownOption(name: string, value = "…", schema: unknown): Error {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const near = nearest(name, names);
  // Without properties the tool may take any argument.
  const meant = near ?? (names.length === 0 ? name : undefined);
  return usageError(
    `tenon call: unknown option '--${name}'${names.length === 0 ? "" : ", and the tool has no such argument"}.`,
    meant === undefined
      ? `the arguments are ${names.map((each) => visibleLine(each)).join(", ")}; options: tenon call --help`
      : visibleLine(`${meant}=${shellWord(value)}`),
  );
}

function merge(given: Map<string, unknown>, text: string, where: string): void {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw usageError(
      `${where} cannot be read as JSON: ${messageOf(cause)}`,
      `quote it for the shell: '{"name": "value"}'`,
    );
  }
  if (!isRecord(value)) {
    throw usageError(`${where} must be a JSON object of arguments.`, `'{"name": "value"}'`);
  }
  for (const [name, member] of Object.entries(value)) {
    given.set(name, member);
  }
}

function parsed(text: string, name: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    const why = cause instanceof RangeError ? ` ${cause.message}` : "";
    throw usageError(
      `${name}:= takes JSON; got ${JSON.stringify(text.slice(0, 80))}.${why}`,
      `${name}=${text}`,
    );
  }
}

function propertyOf(schema: unknown, name: string): unknown {
  const properties = isRecord(schema) ? schema["properties"] : undefined;
  return isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** A text as the value that its schema allows: text wherever text is allowed. */
function coerced(text: string, schema: unknown): unknown {
  const types = typesOf(schema);
  if (types.length === 0 || types.includes("string")) {
    return text;
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw usageError(`${text.slice(0, 80)}: ${cause.message}`);
    }
    return text;
  }
  return types.some((each) => fits(value, each)) ? value : text;
}

function typesOf(schema: unknown): readonly unknown[] {
  const type = isRecord(schema) ? schema["type"] : undefined;
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
}

function fits(value: unknown, type: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "object":
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

async function readInput({ stdin }: Shell): Promise<string> {
  if (stdin.isTTY === true) {
    throw usageError("- reads the arguments from standard input, which is a terminal.", "pipe JSON into it");
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const buffer = Buffer.from(chunk as Buffer | string);
    bytes += buffer.length;
    if (bytes > maxInputBytes) {
      throw usageError(`Standard input is longer than ${maxInputBytes} bytes.`);
    }
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}
