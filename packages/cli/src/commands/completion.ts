import type { Invocation } from "../command/invocation.ts";
import type { CommandGroup } from "../command/spec.ts";
import { completionScript, shells } from "../completion/script.ts";
import { usageError } from "../exit.ts";

/**
 * Prints the completion script of a shell. The scripts use the name `words`, which prints possible
 * next words.
 */
export async function run(invocation: Invocation, groups: readonly CommandGroup[]): Promise<undefined> {
  const name = invocation.required("shell");
  if (name === "words") {
    const typed = invocation.operand("typed") ?? "";
    const { nextWords } = await import("../completion/words.ts");
    const words = await nextWords(invocation.shell, groups, typed.split(/\s+/).filter(Boolean));
    invocation.printer.result({ words }, () => words.join("\n"));
    return undefined;
  }
  const shell = shells.find((each) => each === name);
  if (shell === undefined) {
    throw usageError(`There is no completion for ${JSON.stringify(name)}.`, shells.join(" | "));
  }
  const script = completionScript(
    shell,
    groups.flatMap(({ commands }) => commands),
  );
  invocation.printer.result({ shell, script }, () => script);
}
