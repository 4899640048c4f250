import type { Invocation } from "../command/invocation.ts";
import { completionScript, shells } from "../completion/script.ts";
import { usageError } from "../exit.ts";

/** Prints the completion script of a shell. */
export async function run(invocation: Invocation): Promise<undefined> {
  const name = invocation.required("shell");
  const shell = shells.find((each) => each === name);
  if (shell === undefined) {
    throw usageError(`There is no completion for ${JSON.stringify(name)}.`, shells.join(" | "));
  }
  const { groups } = await import("../table.ts");
  const script = completionScript(
    shell,
    groups.flatMap(({ commands }) => commands),
  );
  invocation.printer.result({ shell, script }, () => script);
}
