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
