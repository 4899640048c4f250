import { redactTarget } from "@tenon/http/redact";

import type { Invocation } from "../command/invocation.ts";
import { missingOperand, type ParsedLine } from "../command/parse.ts";
import type { CommandSpec } from "../command/spec.ts";
import { knownTargets } from "../target/known-targets.ts";
import { askChoice } from "./prompt.ts";

/** More targets could not be looked through. */
const maxTargets = 200;

/**
 * Prompts for the target of a command that was called without one at a terminal.
 *
 * @returns The operands with the target.
 * @throws `CliError` if the user has no targets. `Interrupted` if the user gives up.
 */
export async function askTarget(
  invocation: Invocation,
  spec: CommandSpec,
  path: string,
  { operands }: ParsedLine,
): Promise<ReadonlyMap<string, string>> {
  const target = spec.operands?.find(({ name }) => name === "target");
  const all = [...new Set(await knownTargets(invocation, spec.name))];
  const known = all.slice(0, maxTargets);
  if (target !== undefined && known.length === 0) {
    throw missingOperand(spec, path, target);
  }
  if (all.length > known.length) {
    invocation.printer.note(`Only ${maxTargets} of ${all.length} servers are listed. Others can be named.`);
  }
  const choices = known.map((value, index) => ({ value: String(index), label: redactTarget(value) }));
  const chosen = known[Number(await askChoice("Which server?", choices, invocation.signal))];
  return new Map([...operands, ["target", chosen ?? ""]]);
}
