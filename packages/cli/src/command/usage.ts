import type { CommandSpec } from "./spec.ts";

/** The form of a command line. */
export function usageOf({ operands = [], commands }: CommandSpec, path: string): string {
  const words = operands.map(({ name, isOptional, isRest }) => {
    const word = isRest === true ? `${name}...` : name;
    return isOptional === true || isRest === true ? `[${word}]` : `<${word}>`;
  });
  return ["tenon", path, ...(commands === undefined ? words : ["<command>"]), "[options]"].join(" ");
}
