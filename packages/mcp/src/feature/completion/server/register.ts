import { McpError } from "../../../base/error.ts";
import type { Completer, Completers } from "../define.ts";

/** Completers as a server keeps them. */
export type RegisteredCompleters = ReadonlyMap<string, Completer>;

/**
 * Checks completers.
 *
 * @param names - The arguments there are.
 * @throws `McpError` `INVALID_DEFINITION` for any other.
 */
export function registerCompleters(
  completers: Completers,
  names: readonly string[],
  where: string,
): RegisteredCompleters {
  const entries = Object.entries(completers).flatMap(([name, completer]): [string, Completer][] => {
    if (!names.includes(name)) {
      const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
      throw new McpError(
        "INVALID_DEFINITION",
        `The ${where} has no argument ${JSON.stringify(name)} to complete; ${known}.`,
      );
    }
    return completer === undefined ? [] : [[name, toCompleter(completer)]];
  });
  return new Map(entries);
}

function toCompleter(completer: Completer | readonly string[]): Completer {
  if (typeof completer === "function") {
    return completer;
  }
  const all = completer.map((value) => ({ value, folded: value.toLowerCase() }));
  return (typed) => {
    const start = typed.toLowerCase();
    return all.filter(({ folded }) => folded.startsWith(start)).map(({ value }) => value);
  };
}
