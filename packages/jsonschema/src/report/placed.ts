import type { Node } from "../ir/node.ts";
import type { ValidationIssue } from "../validator.ts";
import { NUMBER, typeName } from "../value/type.ts";
import { faultOf, messageOf, NONE, type Assertion } from "./assertion.ts";
import { keywordAt, type Place } from "./place.ts";
import { addFixed, addIssue, fixedIssue, type KeywordPlace, type Sink } from "./sink.ts";

/** An assertion at a place, for values of one type. */
export interface Placed {
  readonly assertion: Assertion;
  readonly where: KeywordPlace;
  /** For `type`: no value of this type conforms. A number may, if it is whole. */
  readonly certain: boolean;
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
    const { assertion, where, certain } = one;
    const received = certain ? typeName(value) : faultOf(assertion, value);
    if (received === NONE) continue;
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
      certain: assertion.keyword === "type" && type !== NUMBER,
      fixed: undefined,
    }));
}
