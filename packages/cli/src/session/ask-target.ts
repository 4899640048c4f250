import { redactTarget } from "@tenon/http/redact";

import type { Invocation } from "../command/invocation.ts";
import { missingOperand, type ParsedLine } from "../command/parse.ts";
import type { CommandSpec } from "../command/spec.ts";
import { knownTargets, type KnownTarget } from "../target/known-targets.ts";
import { askChoice } from "./choice.ts";

/** More targets could not be looked through. */
const maxTargets = 200;

/**
 * Prompts for the target of a command that was called without one at a terminal.
 *
 * @returns The command line with the target, and with the profile of its login.
 * @throws `CliError` if the user has no targets. `Interrupted` if the user gives up.
 */
export async function askTarget(
  invocation: Invocation,
  spec: CommandSpec,
  path: string,
  line: ParsedLine,
): Promise<ParsedLine> {
  const { flags, printer, signal } = invocation;
  const target = spec.operands?.find(({ name }) => name === "target");
  const all = await knownTargets(invocation, spec.name, flags.text("profile"));
  const known = all.slice(0, maxTargets);
  if (target !== undefined && known.length === 0) {
    throw missingOperand(spec, path, target);
  }
  if (all.length > known.length) {
    printer.note(`Only ${maxTargets} of ${all.length} servers are listed. Others can be named.`);
  }
  const choices = labelsOf(known).map((label, index) => ({ value: String(index), label }));
  const { word = "", profile } = known[Number(await askChoice("Which server?", choices, signal))] ?? {};
  return {
    ...line,
    operands: new Map([...line.operands, ["target", word]]),
    values: profile === undefined ? line.values : { ...line.values, profile },
  };
}

/**
 * The labels of targets, each different from the others. Targets that differ only in a secret are
 * numbered.
 */
function labelsOf(targets: readonly KnownTarget[]): readonly string[] {
  const plain = targets.map(({ word, profile }) =>
    profile === undefined ? redactTarget(word) : `${redactTarget(word)} (profile ${profile})`,
  );
  const seen = new Map<string, number>();
  return plain.map((label) => {
    if (plain.indexOf(label) === plain.lastIndexOf(label)) {
      return label;
    }
    const number = (seen.get(label) ?? 0) + 1;
    seen.set(label, number);
    return `${label} (${number})`;
  });
}
