import type { Tool } from "@tenon/protocol";

import { nearest } from "../command/nearest.ts";
import { shellWord } from "../command/shell-word.ts";
import { usageError } from "../exit.ts";
import { visibleLine } from "../output/escape.ts";
import { parametersOf } from "../output/signature.ts";

/** The required arguments of a tool that are missing. */
export function missingArguments(
  tool: Tool | undefined,
  args: Readonly<Record<string, unknown>>,
): readonly string[] {
  return (tool?.inputSchema.required ?? []).filter((name) => !Object.hasOwn(args, name));
}

/**
 * The error of a call without all required arguments. It also names the given arguments that the
 * schema does not have, because a misspelled argument is missing under its right name.
 */
export function missingError(
  { name, inputSchema }: Tool,
  args: Readonly<Record<string, unknown>>,
  missing: readonly string[],
): Error {
  const properties = Object.keys(inputSchema.properties ?? {});
  const unknown = Object.keys(args).filter((each) => !properties.includes(each));
  const renamed = new Map(unknown.map((each) => [nearest(each, missing), each]));
  const [only] = missing.length === 1 && unknown.length === 1 ? unknown : [];
  const also = unknown.length === 0 ? "" : ` It has no argument ${unknown.map(visibleLine).join(", ")}.`;
  return usageError(
    `The tool ${name}${parametersOf(inputSchema)} needs ${visibleLine(missing.join(", "))}.${also}`,
    missing
      .map((each) => {
        const value = args[renamed.get(each) ?? only ?? ""];
        return typeof value === "string" ? `${each}=${shellWord(visibleLine(value))}` : `${each}=…`;
      })
      .join(" "),
  );
}
