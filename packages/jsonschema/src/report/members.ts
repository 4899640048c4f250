import { always, never } from "../closures/check.ts";
import { unevaluatedNames } from "../closures/evaluated.ts";
import { leafOf, passes, type Leaf } from "../closures/leaf.ts";
import type { Node } from "../ir/node.ts";
import { escapeToken } from "../reference/pointer.ts";
import type { ValidationIssue } from "../validator.ts";
import { has, memberTest, type Members } from "../value/members.ts";
import { quoted, shown } from "./assertion.ts";
import { below, keywordAt, type Place } from "./place.ts";
import type { ReportContext } from "./reporter.ts";
import { addFixed, addIssue, fixedIssue, type KeywordPlace, type Reporter, type Sink } from "./sink.ts";

/** Adds the issues of an object. */
export type MembersReporter = (members: Members, path: string, at: string, sink: Sink) => void;

/** Reporters of the keywords for objects, `dependentSchemas` aside; for objects only. */
export function memberReporters(node: Node, place: Place, context: ReportContext): Reporter[] {
  const parts: MembersReporter[] = [];
  const walk = declaredMembers(node, place, context);
  if (walk !== undefined) {
    parts.push(walk);
  }
  for (const [name, needed] of node.dependentRequired ?? []) {
    const where = keywordAt(node, place, "dependentRequired");
    const report = missing(needed, `, which ${quoted(name)} needs`, where);
    parts.push((members, path, at, sink) => {
      if (has(members, name)) {
        report(members, path, at, sink);
      }
    });
  }
  if (node.unevaluatedProperties !== undefined) {
    parts.push(unevaluated(node, node.unevaluatedProperties, place, context));
  }
  return parts as Reporter[];
}

/** Reports the names that an object lacks. */
export function missing(names: readonly string[], why: string, where: KeywordPlace): MembersReporter {
  const entries = names.map((name) => ({
    has: memberTest(name),
    issue: fixedIssue(where, name, undefined, `the property ${quoted(name)} is missing${why}`),
  }));
  return (members, path, at, sink) => {
    for (const { has, issue } of entries) {
      if (!has(members)) {
        addFixed(sink, issue, path, at);
      }
    }
  };
}

/** The reporter of one declared property. */
interface Declared {
  readonly key: string;
  /**
   * The properties that followed this property in recent objects; at first, the property declared
   * after it.
   */
  next: Declared | undefined;
  other: Declared | undefined;
  readonly needed: number;
  /** Decides most values at once. It never accepts a value that it does not decide. */
  readonly gate: Leaf;
  readonly node: Node;
  readonly place: Place;
  report: Reporter | undefined;
}

function declaredMembers(node: Node, place: Place, context: ReportContext): MembersReporter | undefined {
  const { properties, additionalProperties, required = [] } = node;
  const absent = missing(required, "", keywordAt(node, place, "required"));
  const special = specialMembers(node, place, context);
  if (properties === undefined && additionalProperties === undefined && special === undefined) {
    return required.length === 0 ? undefined : absent;
  }
  const declared = new Map<string, Declared>();
  const mustBe = new Set(required);
  const entryOf = (key: string, child: Node): Declared => {
    const token = `/${escapeToken(key)}`;
    return {
      key,
      next: undefined,
      other: undefined,
      needed: mustBe.has(key) ? 1 : 0,
      gate: leafOf(child, () => never),
      node: child,
      place: below(place, `/properties${token}`, token),
      report: undefined,
    };
  };
  const start = entryOf("", node);
  let last = start;
  for (const [key, child] of properties ?? []) {
    declared.set(key, (last = last.next = entryOf(key, child)));
  }
  const rest =
    additionalProperties === undefined ? undefined : additional(node, additionalProperties, place, context);
  return (members, path, at, sink) => {
    let seen = 0;
    let current = start;
    for (const key in members) {
      const value = members[key];
      if (value === undefined) {
        continue;
      }
      let entry = current.next;
      if (entry === undefined || entry.key !== key) {
        entry = current.other;
        if (entry === undefined || entry.key !== key) {
          entry = declared.get(key);
        }
        if (entry !== undefined) {
          current.other = current.next;
          current.next = entry;
        }
      }
      if (entry !== undefined) {
        current = entry;
        seen += entry.needed;
        if (!passes(entry.gate, value)) {
          (entry.report ??= context.reporterAt(entry.node, entry.place))(value, path, at, sink);
        }
      }
      const known = special !== undefined && special(key, value, path, at, sink);
      if (entry !== undefined) {
        continue;
      }
      if (!known && rest !== undefined) {
        rest(key, value, path, at, sink);
      }
      // Undeclared names may be many.
      if (sink.issues.length >= sink.max) {
        return;
      }
    }
    if (seen !== required.length) {
      absent(members, path, at, sink);
    }
  };
}

/**
 * Reports the errors of `patternProperties` and `propertyNames`; true if a pattern matches
 * its name.
 */
type NameReporter = (key: string, value: unknown, path: string, at: string, sink: Sink) => boolean;

function specialMembers(node: Node, place: Place, context: ReportContext): NameReporter | undefined {
  const { patternProperties = [], propertyNames } = node;
  if (patternProperties.length === 0 && propertyNames === undefined) {
    return undefined;
  }
  const { check } = context.closures;
  const patterns = patternProperties.map(([pattern, child]) => {
    const step = `/patternProperties/${escapeToken(pattern.source)}`;
    return [pattern, context.report(child, below(place, step)), check(child)] as const;
  });
  const nameCheck = propertyNames === undefined ? always : check(propertyNames);
  const names =
    propertyNames === undefined ? undefined : context.report(propertyNames, below(place, "/propertyNames"));
  return (key, value, path, at, sink) => {
    let known = false;
    for (const [pattern, report, test] of patterns) {
      if (!pattern.test(key)) {
        continue;
      }
      known = true;
      if (!test(value)) {
        report(value, path, `${at + place.instance}/${escapeToken(key)}`, sink);
      }
    }
    if (!nameCheck(key)) {
      wrongName(key, path, `${at + place.instance}/${escapeToken(key)}`, sink, names);
    }
    return known;
  };
}

/** Reports an invalid name, as an error of the name. */
function wrongName(key: string, path: string, at: string, sink: Sink, report: Reporter | undefined): void {
  const { issues } = sink;
  const before = issues.length;
  report?.(key, path, at, sink);
  for (let i = before; i < issues.length; i++) {
    const issue = issues[i] as ValidationIssue;
    issues[i] = { ...issue, message: `the name of the property is wrong: ${issue.message}` };
  }
}

/** Explains a property that is not declared. */
export type ExtraReporter = (key: string, value: unknown, path: string, at: string, sink: Sink) => void;

/** Explains a property only `additionalProperties` speaks of. */
export function additional(node: Node, schema: Node, place: Place, context: ReportContext): ExtraReporter {
  return extra(node, "additionalProperties", schema, place, context);
}

/** Explains a property only `additionalProperties` or `unevaluatedProperties` speaks of. */
function extra(node: Node, name: string, schema: Node, place: Place, context: ReportContext): ExtraReporter {
  const within = `${place.instance}/`;
  const where = keywordAt(node, below(place, ""), name);
  if (schema.schema !== false) {
    const report = context.report(schema, below(place, `/${where.keyword}`));
    const leaf = leafOf(schema, context.closures.check);
    return (key, value, path, at, sink) => {
      if (!passes(leaf, value)) {
        report(value, path, at + within + escapeToken(key), sink);
      }
    };
  }
  const known = [...(node.properties?.keys() ?? [])];
  return (key, _value, path, at, sink) => {
    const name = shown(key) as string;
    const message = `the property "${name}" is not allowed`;
    addIssue(sink, where, path, at + within + escapeToken(key), known, name, message);
  };
}

function unevaluated(node: Node, schema: Node, place: Place, context: ReportContext): MembersReporter {
  const collect = context.closures.collect({ ...node, unevaluatedProperties: undefined });
  const report = extra(node, "unevaluatedProperties", schema, place, context);
  return (members, path, at, sink) => {
    for (const name of unevaluatedNames(collect, members)) {
      report(name, members[name], path, at, sink);
    }
  };
}
