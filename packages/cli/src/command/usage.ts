import type { CommandSpec, OperandSpec } from "./spec.ts";

/**
 * The form of a command line.
 *
 * @param program - The operand whose place a program after `--` takes.
 */
export function usageOf(
  { operands = [], commands }: CommandSpec,
  path: string,
  program?: OperandSpec,
): string {
  const named = operands.filter((operand) => operand !== program);
  const words = named.map(({ name, isOptional, isRest }) => {
    const word = isRest === true ? `${name}...` : name;
    return isOptional === true || isRest === true ? `[${word}]` : `<${word}>`;
  });
  const after = program === undefined ? [] : ["--", "<program>"];
  return ["tenon", path, ...(commands === undefined ? words : ["<command>"]), "[options]", ...after].join(
    " ",
  );
}
