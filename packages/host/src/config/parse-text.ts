import json5 from "json5";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";

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
 * Parses a configuration.
 *
 * @throws `HostError` `INVALID_CONFIG` with the line, but without quoting the text, which may
 *   contain secrets.
 */
export function parseText(text: string, syntax: Syntax, where: string): unknown {
  checkLength(text, syntax, where);
  const source = text.codePointAt(0) === 0xfeff ? text.slice(1) : text;
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

/**
 * Parses with the engine first, which is many times faster, because files are usually plain JSON.
 */
function parseJson(source: string, where: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    checkLength(source, "json5", where);
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
    const line = lineOf(error);
    throw configError(`${where} is no ${syntax}${line === undefined ? "" : `: see line ${line}`}.`);
  }
}

/** The line in a parser's error; each parser has another format. */
function lineOf(error: unknown): number | undefined {
  const { line, lineNumber, linePos } = error as {
    readonly line?: unknown;
    readonly lineNumber?: unknown;
    readonly linePos?: readonly { readonly line?: unknown }[];
  };
  const found = line ?? lineNumber ?? linePos?.[0]?.line;
  return typeof found === "number" ? found : undefined;
}
