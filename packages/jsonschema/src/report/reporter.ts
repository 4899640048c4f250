import type { Closures } from "../closures/compile.ts";
import { leafOf, type Leaf } from "../closures/leaf.ts";
import { eachInPlace, followAlias, type Node } from "../ir/node.ts";
import { SLOTS, slotOf } from "../ir/union.ts";
import { ARRAY, OBJECT } from "../value/type.ts";
import { assertionsOf, type Assertion } from "./assertion.ts";
import { itemReporters } from "./items.ts";
import { memberReporters } from "./members.ts";
import { keywordAt, newBase, type Place } from "./place.ts";
import { addIssue, type KeywordPlace, type Reporter } from "./sink.ts";
import { dependentReporters, inPlaceReporters } from "./union.ts";

/** What the parts of the error walker need. */
export interface ReportContext {
  readonly closures: Closures;
  /** The reporter of a node at a place, for values that its {@link ReportContext.gate} does not let pass. */
  readonly reporterAt: (node: Node, place: Place) => Reporter;
  /** The same, made when it is first needed. */
  readonly report: (node: Node, place: Place) => Reporter;
  /** What to ask before the reporter; nothing if the reporter finds out by itself whether a value conforms. */
  readonly gate: (node: Node) => Leaf | undefined;
}

/**
 * The error walker: a second tree of closures, made node by node when an instance first fails there. It visits every
 * keyword except in unions, where only the branch that the instance meant is explained. What it returns is for values
 * that do not conform to the root.
 */
export function createReporter(closures: Closures, root: Node): Reporter {
  const shared = new Map<Node, Reporter>();
  const context: ReportContext = {
    closures,
    reporterAt,
    report(node, place) {
      let made: Reporter | undefined;
      return (value, path, at, sink) => (made ??= reporterAt(node, place))(value, path, at, sink);
    },
    gate(node) {
      const target = followAlias(node);
      return findsOut(target) ? undefined : leafOf(target, closures.check);
    },
  };

  function reporterAt(node: Node, place: Place): Reporter {
    const known = place.base.get(node);
    if (known?.location === place.location) return known.report;
    if (known === undefined) {
      const report = build(node, place);
      place.base.set(node, { location: place.location, report });
      return report;
    }
    // Reached in more than one way from here: made once more, as a base of its own.
    let report = shared.get(node);
    if (report === undefined) {
      const base = newBase();
      shared.set(node, (report = build(node, base)));
      base.base.set(node, { location: "", report });
    }
    const again = report;
    const { location, instance } = place;
    return (value, path, at, sink) => again(value, path + location, at + instance, sink);
  }

  function build(node: Node, place: Place): Reporter {
    if (node.schema === true) return () => {};
    if (node.schema === false) {
      const { location, instance } = place;
      const absolute = `${node.resource.uri}#${node.pointer}`;
      const where = { keyword: "", location, instance, absolute };
      return (_value, path, at, sink) => {
        addIssue(sink, where, path, at, false, "a value", "no value is allowed here");
      };
    }
    const assertions = assertionsOf(node);
    const byType: (Reporter | undefined)[] = [];
    return (value, path, at, sink) => {
      const slot = slotOf(value);
      (byType[slot] ??= forType(node, place, assertions, SLOTS[slot] ?? 0))(value, path, at, sink);
    };
  }

  /** What there is to say about values of one type. */
  function forType(node: Node, place: Place, all: readonly Assertion[], type: number): Reporter {
    const parts = [
      assertionReporter(
        node,
        place,
        all.filter(({ types }) => (types & type) !== 0),
      ),
    ];
    if (type === OBJECT) {
      parts.push(...memberReporters(node, place, context), ...dependentReporters(node, place, context));
    }
    if (type === ARRAY) parts.push(...itemReporters(node, place, context));
    parts.push(...inPlaceReporters(node, type, place, context));
    return sequence(parts.filter((part) => part !== undefined));
  }

  return context.report(root, newBase());
}

/** Asks all assertions that a value of its type can fail; `undefined` if there are none. */
function assertionReporter(node: Node, place: Place, list: readonly Assertion[]): Reporter | undefined {
  if (list.length === 0) return undefined;
  const places = list.map(({ keyword }) => keywordAt(node, place, keyword));
  // Of a schema without subschemas that is known to have failed, the last has if the others have not.
  const last = node.leaf ? list.length - 1 : -1;
  return (value, path, at, sink) => {
    let certain = last;
    for (let i = 0; i < list.length; i++) {
      const { test, expected, received, message } = list[i] as Assertion;
      if (i !== certain && test(value)) continue;
      certain = -1;
      const met = received(value);
      addIssue(sink, places[i] as KeywordPlace, path, at, expected, met, message(met));
    }
  };
}

function sequence(parts: readonly Reporter[]): Reporter {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return (value, path, at, sink) => {
    for (let i = 0; i < parts.length; i++) parts[i]?.(value, path, at, sink);
  };
}

/** True if the reporter of a node finds nothing wrong with values that conform, at no more cost than the check. */
function findsOut(node: Node): boolean {
  if (node.leaf || node.fuel > 0 || typeof node.schema === "boolean") return false;
  let inPlace = false;
  eachInPlace(node, () => void (inPlace = true));
  return !inPlace;
}
