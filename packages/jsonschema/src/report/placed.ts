import type { Node } from "../ir/node.ts";
import type { ValidationIssue } from "../validator.ts";
import { numberBit, typeName } from "../value/type.ts";
import { faultOf, kindOf, messageOf, none, receivedOf, type Assertion } from "./assertion.ts";
import { keywordAt, type Place } from "./place.ts";
import { addFixed, addIssue, fixedIssue, type KeywordPlace, type Sink } from "./sink.ts";

/** An assertion at a place. */
export interface Placed extends Assertion, KeywordPlace {
  /**
   * For `type`, where a list is for values of one type: none of them conforms. A number may, if it
   * is whole.
   */
  readonly certain: boolean;
  /** The known errors for values of each kind, if they do not depend on the value. */
  readonly fixed: (ValidationIssue | undefined)[];
}

/** Adds an issue for each assertion that does not hold. */
export function reportPlaced(
  list: readonly Placed[],
  kind: number,
  value: unknown,
  path: string,
  at: string,
  sink: Sink,
): void {
  for (let i = 0; i < list.length; i++) {
    const one = list[i] as Placed;
    const received = one.certain ? typeName(value) : faultOf(one, value);
    if (received !== none) {
      reportFault(one, kind, received, path, at, sink);
    }
  }
}

/** Adds the issue for an assertion that is known not to hold. */
export function reportFailed(one: Placed, value: unknown, path: string, at: string, sink: Sink): void {
  reportFault(one, kindOf(value), receivedOf(one, value), path, at, sink);
}

function reportFault(
  one: Placed,
  kind: number,
  received: unknown,
  path: string,
  at: string,
  sink: Sink,
): void {
  const { fixed, expected } = one;
  if (one.received === undefined) {
    return addIssue(sink, one, path, at, expected, received, messageOf(one, received));
  }
  let issue = fixed[kind];
  // There are types with more than one name.
  if (issue === undefined || issue.params.received !== received) {
    issue = fixed[kind] = fixedIssue(one, expected, received, messageOf(one, received));
  }
  addFixed(sink, issue, path, at);
}

/** Puts the assertions that values of a type can fail at a place. */
export function placed(node: Node, place: Place, all: readonly Assertion[], type: number): Placed[] {
  return all
    .filter(({ types }) => (types & type) !== 0)
    .map((assertion) => placedAt(node, place, assertion, assertion.keyword === "type" && type !== numberBit));
}

/** Puts an assertion at a place. */
export function placedAt(node: Node, place: Place, assertion: Assertion, certain = false): Placed {
  const { types, relation, bound, test, expected, text, received } = assertion;
  const { keyword, location, instance, absolute } = keywordAt(node, place, assertion.keyword);
  // Written out: objects made by spreading are slow to read.
  return {
    types,
    relation,
    bound,
    test,
    expected,
    text,
    received,
    keyword,
    location,
    instance,
    absolute,
    certain,
    fixed: [],
  };
}
