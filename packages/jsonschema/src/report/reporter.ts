import { never } from "../closures/check.ts";
import type { Closures } from "../closures/compile.ts";
import { callLeaf, leafOf, type Leaf } from "../closures/leaf.ts";
import { eachInPlace, followAlias, type Node } from "../ir/node.ts";
import { assertionsOf } from "./assertion.ts";
import { itemReporters } from "./items.ts";
import { memberReporters } from "./members.ts";
import { keywordAt, newBase, type Place } from "./place.ts";
import { addIssue, type Reporter } from "./sink.ts";
import { dependentReporters, inPlaceReporters } from "./union.ts";

/** What the parts of the error walker need. */
export interface ReportContext {
  readonly closures: Closures;
  /** The reporter of a node at a place, for values that its {@link ReportContext.gate} does not let pass. */
  readonly report: (node: Node, place: Place) => Reporter;
  /** What to ask before the reporter. Lets nothing pass if the reporter finds out by itself whether a value conforms. */
  readonly gate: (node: Node) => Leaf;
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
    report(node, place) {
      let made: Reporter | undefined;
      return (value, path, at, sink) => (made ??= reporterAt(node, place))(value, path, at, sink);
    },
    gate(node) {
      const target = followAlias(node);
      return findsOut(target) ? callLeaf(never) : leafOf(target, closures.check);
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
    const parts: Reporter[] = [
      ...assertions(node, place),
      ...memberReporters(node, place, context),
      ...itemReporters(node, place, context),
      ...dependentReporters(node, place, context),
      ...inPlaceReporters(node, place, context),
    ];
    const [a, b] = parts;
    if (parts.length === 1 && a !== undefined) return a;
    if (parts.length === 2 && a !== undefined && b !== undefined) {
      return (value, path, at, sink) => {
        a(value, path, at, sink);
        b(value, path, at, sink);
      };
    }
    return (value, path, at, sink) => {
      for (let i = 0; i < parts.length; i++) parts[i]?.(value, path, at, sink);
    };
  }

  function assertions(node: Node, place: Place): Reporter[] {
    const all = assertionsOf(node);
    const alone = node.leaf && all.length === 1;
    return all.map(({ keyword, test, expected, received, message }) => {
      const where = keywordAt(node, place, keyword);
      return (value, path, at, sink) => {
        if (!alone && test(value)) return;
        const met = received(value);
        addIssue(sink, where, path, at, expected, met, message(met));
      };
    });
  }

  return context.report(root, newBase());
}

/** True if the reporter of a node finds nothing wrong with values that conform, at no more cost than the check. */
function findsOut(node: Node): boolean {
  if (node.leaf || node.fuel > 0 || typeof node.schema === "boolean") return false;
  let inPlace = false;
  eachInPlace(node, () => void (inPlace = true));
  return !inPlace;
}
