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
  readonly commands: readonly Word[];
  readonly options: readonly string[];
}

/** A line of its own if files can follow, too. No name contains it. */
export const filesMark = "<files>";

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
  const commands = (command.commands ?? []).map(wordOf);
  return { name: command.name, summary: command.summary, commands, options };
}

const namesOf = (words: readonly Word[]): string => words.map(({ name }) => name).join(" ");

function bash(words: readonly Word[]): string {
  const groups = words.filter(({ commands }) => commands.length > 0);
  const optionCases = words.flatMap(({ name, commands, options }) => [
    ...commands.map((below) => `      "${name} ${below.name}") offered="${below.options.join(" ")}" ;;`),
    `      "${name} "*) offered="${options.join(" ")}" ;;`,
  ]);
  return [
    '# Load it with: eval "$(tenon completion bash)"',
    "_tenon() {",
    '  local line="${COMP_LINE:0:$COMP_POINT}" rest word at=0 last=-1 offered="" breaks',
    "  local -a typed",
    "  typed=()",
    "  # Bash breaks URLs and arguments at : = and @. Only a space separates words.",
    '  while [ "$at" -le "$COMP_CWORD" ]; do',
    '    rest="${line#"${line%%[![:space:]]*}"}"',
    '    word="${COMP_WORDS[$at]}"',
    '    if [ "$at" -eq "$COMP_CWORD" ]; then word="$rest"; fi',
    '    if [ "$last" -ge 0 ] && [ "$rest" = "$line" ]; then',
    '      typed[$last]="${typed[$last]}$word"',
    "    else",
    "      last=$((last + 1))",
    '      typed[$last]="$word"',
    "    fi",
    '    line="${rest#"$word"}"',
    "    at=$((at + 1))",
    "  done",
    '  local current="${typed[$last]}"',
    '  if [ "$last" -eq 1 ]; then',
    `    offered="${namesOf(words)} help --version"`,
    '  elif [ "${current#-}" != "$current" ]; then',
    '    case "${typed[1]} ${typed[2]}" in',
    ...optionCases,
    "    esac",
    "  else",
    '    case "$last ${typed[1]}" in',
    ...groups.map(({ name, commands }) => `      "2 ${name}") offered="${namesOf(commands)}" ;;`),
    '      *) offered="$(tenon completion words "${typed[*]:1:$((last - 1))}" 2>/dev/null)" ;;',
    "    esac",
    "  fi",
    `  COMPREPLY=($(compgen -W "\${offered//${filesMark}/}" -- "$current"))`,
    `  if [ "\${offered//${filesMark}/}" != "$offered" ]; then`,
    '    COMPREPLY=("${COMPREPLY[@]}" $(compgen -f -- "$current"))',
    "  fi",
    '  if [ "${#COMPREPLY[@]}" -eq 1 ] && [ "${COMPREPLY[0]%=}" != "${COMPREPLY[0]}" ]; then',
    "    compopt -o nospace 2>/dev/null",
    "  fi",
    "  # Bash replaces only what follows the last of these characters, and a last @ as well.",
    '  breaks="${COMP_WORDBREAKS//[!:=@]/}"',
    '  if [ -n "$breaks" ]; then',
    '    rest="${current##*[$breaks]}"',
    '    case "$current" in *"@$rest") rest="@$rest" ;; esac',
    '    COMPREPLY=("${COMPREPLY[@]#"${current%"$rest"}"}")',
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
    "function __tenon_words",
    '  set -l typed (string join " " -- (string escape -- (commandline -opc)[2..-1]))',
    '  set -l found (tenon completion words "$typed" 2>/dev/null)',
    `  string match -v -- '${filesMark}' $found`,
    `  contains -- '${filesMark}' $found; and __fish_complete_path (commandline -ct)`,
    "end",
    "complete -c tenon -f",
    ...words.map(
      ({ name, summary }) => `complete -c tenon -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ),
    "complete -c tenon -n 'not __fish_use_subcommand' -a '(__tenon_words)'",
    ...words.flatMap(({ name, options }) =>
      options.map((each) => `complete -c tenon -n '__fish_seen_subcommand_from ${name}' -l ${each.slice(2)}`),
    ),
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
    ...words.map(
      ({ name, commands, options }) =>
        `    '${name}' = @(${list([...commands.map((each) => each.name), ...options])})`,
    ),
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
