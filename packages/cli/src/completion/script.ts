import { optionsOf } from "../command/parse.ts";
import type { CommandSpec } from "../command/spec.ts";

/** The shells for which completion scripts can be generated. */
export const shells = ["bash", "zsh", "fish", "powershell"] as const;

/** A shell with completion. */
export type ShellName = (typeof shells)[number];

interface Word {
  readonly name: string;
  readonly summary: string;
  /** Commands below it. */
  readonly commands: readonly string[];
  readonly options: readonly string[];
}

/** Generates the completion script of a shell from the command table. */
export function completionScript(shell: ShellName, commands: readonly CommandSpec[]): string {
  const words = commands.map(wordOf);
  switch (shell) {
    case "bash":
      return bash(words);
    case "zsh":
      return `#compdef tenon\nautoload -U +X bashcompinit && bashcompinit\n${bash(words)}`;
    case "fish":
      return fish(words);
    case "powershell":
      return powershell(words);
  }
}

function wordOf(command: CommandSpec): Word {
  const options = optionsOf(command).map(({ flags }) => flags.split(/[ ,]/, 1)[0] ?? "");
  const below = (command.commands ?? []).map(({ name }) => name);
  return { name: command.name, summary: command.summary, commands: below, options };
}

function bash(words: readonly Word[]): string {
  const cases = words.map(
    ({ name, commands, options }) => `    ${name}) words="${[...commands, ...options].join(" ")}" ;;`,
  );
  return [
    '# Load it with: eval "$(tenon completion bash)"',
    // Names of connections begin with @, and arguments have a =.
    "COMP_WORDBREAKS=${COMP_WORDBREAKS//[@=]/}",
    "_tenon() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${words.map(({ name }) => name).join(" ")} help --version" -- "$current"))`,
    "    return",
    "  fi",
    '  case "${COMP_WORDS[1]}" in',
    ...cases,
    `    help) words="${words.map(({ name }) => name).join(" ")} options" ;;`,
    "  esac",
    '  case "$current" in',
    "    -*) ;;",
    '    *) words="$words $(tenon completion words "${COMP_WORDS[*]:1:$((COMP_CWORD - 1))}" 2>/dev/null)" ;;',
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))',
    '  if [ "${#COMPREPLY[@]}" -eq 1 ] && [ "${COMPREPLY[0]%=}" != "${COMPREPLY[0]}" ]; then',
    "    compopt -o nospace 2>/dev/null",
    "  fi",
    "}",
    "complete -F _tenon tenon",
    "",
  ].join("\n");
}

function fish(words: readonly Word[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "")}'`;
  return [
    "# Save it as ~/.config/fish/completions/tenon.fish",
    ...words.map(
      ({ name, summary }) => `complete -c tenon -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ),
    "complete -c tenon -n 'not __fish_use_subcommand' -a '(tenon completion words (string join \" \" (commandline -opc)[2..-1]) 2>/dev/null)'",
    ...words.flatMap(({ name, commands, options }) => [
      ...commands.map((each) => `complete -c tenon -n '__fish_seen_subcommand_from ${name}' -f -a ${each}`),
      ...options.map(
        (each) => `complete -c tenon -n '__fish_seen_subcommand_from ${name}' -l ${each.slice(2)}`,
      ),
    ]),
    "",
  ].join("\n");
}

function powershell(words: readonly Word[]): string {
  const list = (each: readonly string[]): string => each.map((word) => `'${word}'`).join(", ");
  return [
    "# Load it with: tenon completion powershell | Out-String | Invoke-Expression",
    "Register-ArgumentCompleter -Native -CommandName tenon -ScriptBlock {",
    "  param($word, $ast, $cursor)",
    "  $known = @{",
    ...words.map(({ name, commands, options }) => `    '${name}' = @(${list([...commands, ...options])})`),
    "  }",
    "  $typed = $ast.CommandElements | ForEach-Object { $_.ToString() }",
    "  $isFirst = $typed.Count -lt 2 -or ($typed.Count -eq 2 -and $word -ne '')",
    `  $all = if ($isFirst) { @(${list(words.map(({ name }) => name))}) } else { $known[$typed[1]] }`,
    '  $all | Where-Object { $_ -like "$word*" } | ForEach-Object {',
    "    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)",
    "  }",
    "}",
    "",
  ].join("\n");
}
