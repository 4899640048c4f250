import { McpError } from "../../base/error.ts";
import type { RequestContext } from "../../request/server/context.ts";

/**
 * Suggestions for one argument. At most 100 values are sent; if there are more, `hasMore` is set.
 */
export interface Completion {
  /** Best first. */
  readonly values: readonly string[];
  /** How many there are in all, if known. Default: the number of `values`. */
  readonly total?: number | undefined;
  /**
   * Whether there are more than `values`. Default: whether `values` had to be cut, or `total` is
   * greater.
   */
  readonly hasMore?: boolean | undefined;
}

/**
 * Suggests values for an argument.
 *
 * @param value - What the user has typed so far. Unchecked: validate it before it reaches a
 *   database.
 * @param chosen - Other arguments that the user has chosen already (2025-06-18 and later).
 * @source S-179, R-558
 */
export type Completer = (
  value: string,
  chosen: Readonly<Record<string, string>>,
  context: RequestContext,
) => readonly string[] | Completion | Promise<readonly string[] | Completion>;

/**
 * By argument: a function that returns suggestions, or a list of all values, from which the values
 * that begin with the typed text are suggested.
 */
export type Completers<N extends string = string> = {
  readonly [K in N]?: Completer | readonly string[] | undefined;
};

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
