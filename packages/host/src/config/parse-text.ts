import json5 from "json5";
import { parse as parseToml, TomlError } from "smol-toml";
import { parse as parseYaml, YAMLParseError } from "yaml";

import { configError } from "./problem.ts";

/**
 * The syntax of a configuration. `json` may contain comments, trailing commas and everything else
 * that JSON5 allows, because some hosts write it.
 */
export type Syntax = "json" | "toml" | "yaml";

/**
 * Maximum length of a configuration, in characters: reading a hostile one must not take more than a
 * second. JSON is read by the engine, everything beyond JSON by slower parsers; the keys of YAML
 * take quadratic time.
 */
const maxLength = { json: 4 * 1024 * 1024, json5: 256 * 1024, toml: 1024 * 1024, yaml: 64 * 1024 } as const;

/**
 * Parses a configuration. An empty one is `undefined`.
 *
 * @throws `HostError` `INVALID_CONFIG` with the line and column. It does not quote the text, which
 *   may contain secrets.
 */
export function parseText(text: string, syntax: Syntax, where: string): unknown {
  checkLength(text, syntax, where);
  const source = text.codePointAt(0) === 0xfeff ? text.slice(1) : text;
  if (source.trim() === "") {
    return undefined;
  }
  switch (syntax) {
    case "json":
      return parseJson(source, where);
    case "toml":
      return guarded(() => parseToml(source), "TOML", where);
    case "yaml":
      return guarded(() => parseYaml(source, { maxAliasCount: 100 }), "YAML", where);
  }
}

/**
 * The syntax of a file, by the end of its name: `.toml`, `.yaml`, `.yml`; everything else is JSON
 * in the wide sense.
 */
export function syntaxOf(file: string): Syntax {
  const [, ending] = /\.([a-z]+)$/i.exec(file) ?? [];
  switch (ending?.toLowerCase()) {
    case "toml":
      return "toml";
    case "yaml":
    case "yml":
      return "yaml";
    default:
      return "json";
  }
}

/** A file in which everything is commented out. */
const onlyComments = /^(?:\s|\/\/[^\n]*(?:\n|$)|\/\*(?:[^*]|\*(?!\/))*\*\/)*$/;

/**
 * Parses with the engine first, which is many times faster, because files are usually plain JSON.
 */
function parseJson(source: string, where: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    checkLength(source, "json5", where);
    if (onlyComments.test(source)) {
      return undefined;
    }
    return guarded(() => json5.parse(source), "JSON", where);
  }
}

function checkLength(text: string, syntax: keyof typeof maxLength, where: string): void {
  const most = maxLength[syntax];
  if (text.length > most) {
    const what = syntax === "json5" ? "is not plain JSON, and " : "";
    throw configError(`${where} ${what}is longer than ${most} characters.`);
  }
}

function guarded(parse: () => unknown, syntax: string, where: string): unknown {
  try {
    return parse();
  } catch (error) {
    const at = placeOf(error);
    const place = at === undefined ? "" : `: line ${at.line}, column ${at.column}`;
    throw configError(`${where} is not valid ${syntax}${place}${explained(error)}.`);
  }
}

/** The place in a parser's error; each parser has another format. */
function placeOf(error: unknown): { readonly line: number; readonly column: number } | undefined {
  const { line, column, lineNumber, columnNumber, linePos } = error as Readonly<Record<string, unknown>>;
  const [start] = Array.isArray(linePos) ? (linePos as readonly Readonly<Record<string, unknown>>[]) : [];
  const [foundLine, foundColumn] = [
    line ?? lineNumber ?? start?.["line"],
    column ?? columnNumber ?? start?.["col"],
  ];
  return typeof foundLine === "number" && typeof foundColumn === "number"
    ? { line: foundLine, column: foundColumn }
    : undefined;
}

/** The reason in a parser's error, unless it quotes more of the text than a punctuation mark. */
function explained(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const text = String(message);
  if (error instanceof YAMLParseError) {
    return `: ${String(code).toLowerCase().replaceAll("_", " ")}`;
  }
  if (error instanceof TomlError) {
    const [, reason] = /^Invalid TOML document: ([a-z ,:/-]+)\n/.exec(text) ?? [];
    return reason === undefined ? "" : `: ${reason}`;
  }
  if (text.includes("invalid end of input")) {
    return ": the text ends too early";
  }
  const [, mark] = /invalid character '\\?([^\w\s])'/.exec(text) ?? [];
  return `: unexpected ${mark === undefined ? "character" : `'${mark}'`}`;
}
