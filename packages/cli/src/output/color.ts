import { styleText } from "node:util";

import type { Output } from "../shell.ts";

/** Styles of strings. Without color they return the string unchanged. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warning(text: string): string;
  name(text: string): string;
}

const formats = {
  bold: "bold",
  dim: "dim",
  good: "green",
  bad: "red",
  warning: "yellow",
  name: "cyan",
} as const satisfies Record<keyof Style, Parameters<typeof styleText>[0]>;

/**
 * Whether text has color: by `--color`, then `NO_COLOR`, then `FORCE_COLOR`, then `TERM=dumb`, then
 * whether a terminal shows it.
 */
export function hasColor(
  when: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  output: Output,
): boolean {
  if (when === "always" || when === "never") {
    return when === "always";
  }
  const isSet = (name: string): boolean => env[name] !== undefined && env[name] !== "";
  if (isSet("NO_COLOR")) {
    return false;
  }
  if (isSet("FORCE_COLOR")) {
    return env["FORCE_COLOR"] !== "0" && env["FORCE_COLOR"] !== "false";
  }
  return env["TERM"] !== "dumb" && output.isTTY === true;
}

/** The styles of an output. */
export function createStyle(isColored: boolean): Style {
  const style = (name: keyof Style) => (text: string) => {
    // Node of some versions drops the color itself if standard output is not a terminal.
    const plain = { validateStream: false } as Parameters<typeof styleText>[2];
    return isColored && text !== "" ? styleText(formats[name], text, plain) : text;
  };
  return {
    bold: style("bold"),
    dim: style("dim"),
    good: style("good"),
    bad: style("bad"),
    warning: style("warning"),
    name: style("name"),
  };
}
