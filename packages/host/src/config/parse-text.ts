import json5 from "json5";
import { parse as parseToml } from "smol-toml";
import { parse as parseYaml } from "yaml";

import { configError } from "./problem.ts";

/** How a configuration is written. `json` may be JSON with comments and trailing commas, or anything else that JSON5 allows: some hosts write it so. */
export type Syntax = "json" | "toml" | "yaml";

/** Longest configuration of each syntax, in characters: reading a hostile one must not take more than a few seconds, and the keys of YAML take quadratic time. */
const maxLength: Readonly<Record<Syntax, number>> = {
  json: 4 * 1024 * 1024,
  toml: 4 * 1024 * 1024,
  yaml: 256 * 1024,
};

/** Parses a configuration. @throws `HostError` `INVALID_CONFIG` that says where it went wrong, without quoting the text, which may hold secrets. */
export function parseText(text: string, syntax: Syntax, where: string): unknown {
  if (text.length > maxLength[syntax]) {
    throw configError(`${where} is longer than ${maxLength[syntax]} characters.`);
  }
  const source = text.codePointAt(0) === 0xfeff ? text.slice(1) : text;
  switch (syntax) {
    case "json":
      return guarded(() => parseJson(source), "JSON", where);
    case "toml":
      return guarded(() => parseToml(source), "TOML", where);
    case "yaml":
      return guarded(() => parseYaml(source, { maxAliasCount: 100 }), "YAML", where);
  }
}

/** The syntax of a file, by the end of its name: `.toml`, `.yaml`, `.yml`; everything else is JSON in the wide sense. */
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

/** Most files are plain JSON, which the engine reads many times faster. */
function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return json5.parse(source);
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

/** The line that a parser complains about: each says it in its own way. */
function lineOf(error: unknown): number | undefined {
  const { line, lineNumber, linePos } = error as {
    readonly line?: unknown;
    readonly lineNumber?: unknown;
    readonly linePos?: readonly { readonly line?: unknown }[];
  };
  const found = line ?? lineNumber ?? linePos?.[0]?.line;
  return typeof found === "number" ? found : undefined;
}
