import type { Closures } from "../closures/compile.ts";
import type { Node } from "../ir/node.ts";
import { assertionsOf } from "./assertion.ts";
import { itemReporters } from "./items.ts";
import { memberReporters } from "./members.ts";
import { addIssue, type Reporter } from "./sink.ts";
import { dependentReporters, inPlaceReporters } from "./union.ts";

/** What the parts of the error walker need. */
export interface ReportContext {
  readonly closures: Closures;
  /** The reporter of a node; asked for lazily, so recursion is fine. */
  readonly report: (node: Node) => Reporter;
  /** Location of a keyword of the node: suffix of the path, and absolute URI. */
  readonly at: (node: Node, keyword: string) => KeywordPlace;
}

/** One keyword's place in the schema. */
export interface KeywordPlace {
  readonly keyword: string;
  /** `/keyword`, to append to the path evaluation took. */
  readonly suffix: string;
  readonly absolute: string;
}

/**
 * The error walker: a second tree of closures, made node by node when an instance first fails there. It visits every
 * keyword except in unions, where only the branch that the instance meant is explained.
 */
export function createReporter(closures: Closures): (node: Node) => Reporter {
  const memo: (Reporter | undefined)[] = [];
  const context: ReportContext = {
    closures,
    report(node) {
      let built = memo[node.id];
      return built ?? ((value, path, at, sink) => (built ??= get(node))(value, path, at, sink));
    },
    at(node, key) {
      const keyword = node.names?.[key] ?? key;
      return { keyword, suffix: `/${keyword}`, absolute: `${node.resource.uri}#${node.pointer}/${keyword}` };
    },
  };

  function get(node: Node): Reporter {
    return (memo[node.id] ??= build(node));
  }

  function build(node: Node): Reporter {
    if (node.schema === true) return () => {};
    if (node.schema === false) {
      const absolute = `${node.resource.uri}#${node.pointer}`;
      return (_value, path, at, sink) => {
        addIssue(sink, "", absolute, path, at, false, "a value", "no value is allowed here");
      };
    }
    const parts: Reporter[] = [
      ...assertions(node),
      ...memberReporters(node, context),
      ...itemReporters(node, context),
      ...dependentReporters(node, context),
      ...inPlaceReporters(node, context),
    ];
    const run: Reporter = (value, path, at, sink) => {
      for (let i = 0; i < parts.length; i++) parts[i]?.(value, path, at, sink);
    };
    const [a, b] = parts;
    if (parts.length === 1 && a !== undefined) return a;
    if (!node.leaf) {
      if (parts.length > 2 || a === undefined || b === undefined) return run;
      return (value, path, at, sink) => {
        a(value, path, at, sink);
        b(value, path, at, sink);
      };
    }
    const check = closures.check(node);
    return (value, path, at, sink) => {
      if (!check(value)) run(value, path, at, sink);
    };
  }

  function assertions(node: Node): Reporter[] {
    return assertionsOf(node).map(({ keyword, test, expected, received, message }) => {
      const { suffix, absolute } = context.at(node, keyword);
      return (value, path, at, sink) => {
        if (test(value)) return;
        const met = received(value);
        addIssue(sink, keyword, absolute, path + suffix, at, expected, met, message(met));
      };
    });
  }

  return get;
}
