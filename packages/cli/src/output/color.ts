import { randomUUID } from "node:crypto";
import { styleText } from "node:util";

import type { Output } from "../shell.ts";

/**
 * Begins a style of ours until the string is printed. No server can guess it, so that escapes of
 * servers are printed as visible characters.
 */
const introducer = `\u001b${randomUUID()}[`;
/** Matches the styles of ours in a string that is not printed yet. */
export const ownStyles: RegExp = new RegExp(`\u001b${introducer.slice(1, -1)}\\[(\\d+)m`, "g");

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

function own(style: string): string {
  return style.replaceAll("\u001b[", introducer);
}

/** The styles of an output. */
export function createStyle(isColored: boolean): Style {
  const style = (name: keyof Style) => (text: string) => {
    // Node of some versions drops the color itself if standard output is not a terminal.
    const plain = { validateStream: false } as Parameters<typeof styleText>[2];
    if (!isColored || text === "") {
      return text;
    }
    const [start = "", end = ""] = styleText(formats[name], "\n", plain).split("\n");
    return `${own(start)}${text}${own(end)}`;
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
