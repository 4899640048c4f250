import { isSurelyLinear } from "./ambiguity.ts";
import { linearMatcher } from "./automaton.ts";
import type { LinearMatcher } from "./pattern.ts";
import { parsePattern } from "./syntax.ts";

/** The linear-time matcher of this package: an automaton, where the native engine could backtrack far. */
export const linear: LinearMatcher = (source) => {
  const syntax = parsePattern(source);
  if (syntax === undefined) return undefined;
  return isSurelyLinear(syntax) ? "native" : linearMatcher(syntax);
};
