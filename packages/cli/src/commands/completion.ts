import type { Invocation } from "../command/invocation.ts";
import type { CommandGroup } from "../command/spec.ts";
import { completionScript, shells } from "../completion/script.ts";
import { usageError } from "../exit.ts";

/** Prints the completion script of a shell. */
export async function run(invocation: Invocation, groups: readonly CommandGroup[]): Promise<undefined> {
  const name = invocation.required("shell");
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
