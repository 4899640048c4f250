import type { Invocation } from "../command/invocation.ts";
import type { CommandGroup } from "../command/spec.ts";
import { completionScript, filesMark, shells } from "../completion/script.ts";
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
    const { words, takesFiles } = await nextWords(
      { ...invocation, isCompletion: true },
      groups,
      wordsOf(typed),
    );
    const lines = takesFiles ? [...words, filesMark] : words;
    invocation.printer.result({ words, takesFiles }, () => lines.join("\n"));
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

/** The words of a command line, without the quotes of the shell. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:[^\s"'\\]|\\[^]|"(?:\\[^]|[^"\\])*"?|'[^']*'?)+/g) ?? [];
  return words.map((word) =>
    word.replace(
      /"((?:\\[^]|[^"\\])*)"?|'([^']*)'?|\\([^])/g,
      (_, double?: string, single?: string, escaped?: string) =>
        escaped ?? single ?? (double ?? "").replace(/\\([$`"\\])/g, "$1"),
    ),
  );
}
