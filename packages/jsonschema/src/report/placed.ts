import type { Node } from "../ir/node.ts";
import type { ValidationIssue } from "../validator.ts";
import { holds, messageOf, receivedBy, type Assertion } from "./assertion.ts";
import { keywordAt, type Place } from "./place.ts";
import { addFixed, addIssue, fixedIssue, type KeywordPlace, type Sink } from "./sink.ts";

/** An assertion at a place, for values of one type. */
export interface Placed {
  readonly assertion: Assertion;
  readonly where: KeywordPlace;
  /** What there is to say, as far as known, where that does not depend on the value. */
  fixed: ValidationIssue | undefined;
}

/** Adds an issue for each assertion that does not hold. */
export function reportPlaced(
  list: readonly Placed[],
  value: unknown,
  path: string,
  at: string,
  sink: Sink,
): void {
  for (let i = 0; i < list.length; i++) {
    const one = list[i] as Placed;
    const { assertion, where } = one;
    if (holds(assertion, value)) continue;
    const received = receivedBy(assertion, value);
    if (assertion.received === undefined)
      addIssue(sink, where, path, at, assertion.expected, received, messageOf(assertion, received));
    else {
      // There are types with more than one name.
      if (one.fixed === undefined || one.fixed.params.received !== received)
        one.fixed = fixedIssue(where, assertion.expected, received, messageOf(assertion, received));
      addFixed(sink, one.fixed, path, at);
    }
  }
}

/** Puts the assertions that values of a type can fail at a place. */
export function placed(node: Node, place: Place, all: readonly Assertion[], type: number): Placed[] {
  return all
    .filter(({ types }) => (types & type) !== 0)
    .map((assertion) => ({
      assertion,
      where: keywordAt(node, place, assertion.keyword),
      fixed: undefined,
    }));
}
