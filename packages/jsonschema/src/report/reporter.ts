import type { Closures } from "../closures/compile.ts";
import type { Meter } from "../ir/meter.ts";
import { absoluteLocation, type Node } from "../ir/node.ts";
import { arrayBit, objectBit } from "../value/type.ts";
import { assertionsOf, kinds, kindOf, type Assertion } from "./assertion.ts";
import { itemReporters } from "./items.ts";
import { memberReporters } from "./members.ts";
import { newBase, type Place } from "./place.ts";
import { placed, reportPlaced, type Placed } from "./placed.ts";
import { addFixed, fixedIssue, type Reporter } from "./sink.ts";
import { dependentReporters, inPlaceReporters } from "./union.ts";

/** The parts that the error walker shares. */
export interface ReportContext {
  readonly closures: Closures;
  /** The reporter of a node at a place. */
  readonly reporterAt: (node: Node, place: Place) => Reporter;
  /** The same, made when it is first needed. */
  readonly report: (node: Node, place: Place) => Reporter;
}

/**
 * Creates the error walker: a second tree of closures, which finds the errors of an instance that
 * the first tree has rejected. The closures of a node are created when an instance fails there for
 * the first time. The walker visits every keyword, except in unions, where it explains only the
 * branch that the instance was probably meant for. For a valid value it reports nothing, so its
 * caller need not check the value. Before it builds the location of a property or an item, it
 * checks the property or the item, so that no location is built for valid values.
 */
export function createReporters(closures: Closures, meter: Meter): ReportContext {
  const shared = new Map<Node, Reporter>();
  const context: ReportContext = {
    closures,
    reporterAt,
    report(node, place) {
      let made: Reporter | undefined;
      return (value, path, at, sink) => (made ??= reporterAt(node, place))(value, path, at, sink);
    },
  };

  function reporterAt(node: Node, place: Place): Reporter {
    const known = place.base.get(node);
    if (known?.location === place.location) {
      return known.report;
    }
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
    const report = unmetered(node, place);
    const { fuel } = node;
    if (fuel === 0) {
      return report;
    }
    return (value, path, at, sink) => {
      meter.enter(fuel, value);
      report(value, path, at, sink);
      meter.depth--;
    };
  }

  function unmetered(node: Node, place: Place): Reporter {
    if (node.schema === true) {
      return () => {};
    }
    if (node.schema === false) {
      const where = { ...place, keyword: "", absolute: absoluteLocation(node) };
      const issue = fixedIssue(where, false, "a value", "no value is allowed here");
      return (_value, path, at, sink) => addFixed(sink, issue, path, at);
    }
    const assertions = assertionsOf(node);
    if (isPlain(node)) {
      return asserting(node, place, assertions);
    }
    const byType: (Reporter | undefined)[] = [];
    return (value, path, at, sink) => {
      const slot = kindOf(value);
      (byType[slot] ??= forType(node, place, assertions, slot))(value, path, at, sink);
    };
  }

  /** The errors for values of one type. */
  function forType(node: Node, place: Place, all: readonly Assertion[], kind: number): Reporter {
    const type = kinds[kind] as number;
    const list = placed(node, place, all, type);
    const parts: Reporter[] = [];
    if (list.length > 0) {
      parts.push((value, path, at, sink) => reportPlaced(list, kind, value, path, at, sink));
    }
    if (type === objectBit) {
      parts.push(...memberReporters(node, place, context), ...dependentReporters(node, place, context));
    }
    if (type === arrayBit) {
      parts.push(...itemReporters(node, place, context));
    }
    parts.push(...inPlaceReporters(node, type, place, context));
    return sequence(parts);
  }

  return context;
}

/** Reports the assertions of a node. */
export function asserting(node: Node, place: Place, assertions: readonly Assertion[]): Reporter {
  const byType: (Placed[] | undefined)[] = [];
  return (value, path, at, sink) => {
    const slot = kindOf(value);
    const list = (byType[slot] ??= placed(node, place, assertions, kinds[slot] as number));
    reportPlaced(list, slot, value, path, at, sink);
  };
}

function sequence(parts: readonly Reporter[]): Reporter {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    return only;
  }
  return (value, path, at, sink) => {
    for (let i = 0; i < parts.length; i++) {
      parts[i]?.(value, path, at, sink);
    }
  };
}

/** True if a node has nothing but assertions that need no subschema and no property. */
function isPlain(node: Node): boolean {
  return node.children === undefined && (node.required ?? node.dependentRequired) === undefined;
}
