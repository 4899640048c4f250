import { always } from "../closures/check.ts";
import { nothingEvaluated } from "../closures/evaluated.ts";
import { leafOf, passes, type Leaf } from "../closures/leaf.ts";
import type { Node } from "../ir/node.ts";
import { escapeToken } from "../resolve/pointer.ts";
import { has, memberTest, type Members } from "../value/members.ts";
import { quoted, shown } from "./assertion.ts";
import { anywhere, below, keywordAt, type Place } from "./place.ts";
import type { ReportContext } from "./reporter.ts";
import { addIssue, type KeywordPlace, type Reporter, type Sink } from "./sink.ts";

type MembersReporter = (members: Members, path: string, at: string, sink: Sink) => void;

/** Reporters of the keywords for objects, `dependentSchemas` aside; for objects only. */
export function memberReporters(node: Node, place: Place, context: ReportContext): Reporter[] {
  const parts: MembersReporter[] = [];
  const { required = [], dependentRequired = [] } = node;
  const absent = required.length > 0 ? missing(required, "", keywordAt(node, place, "required")) : undefined;
  for (const [name, needed] of dependentRequired) {
    const where = keywordAt(node, place, "dependentRequired");
    const report = missing(needed, `, which ${quoted(name)} needs`, where);
    parts.push((members, path, at, sink) => {
      if (has(members, name)) report(members, path, at, sink);
    });
  }
  const walk = declaredMembers(node, place, context, absent) ?? absent;
  if (walk !== undefined) parts.unshift(walk);
  if (node.unevaluatedProperties !== undefined)
    parts.push(unevaluated(node, node.unevaluatedProperties, place, context));
  return parts as Reporter[];
}

function missing(names: readonly string[], why: string, where: KeywordPlace): MembersReporter {
  const entries = names.map((name) => ({
    name,
    has: memberTest(name),
    message: `the property ${quoted(name)} is missing${why}`,
  }));
  return (members, path, at, sink) => {
    for (let i = 0; i < entries.length; i++) {
      const { name, has, message } = entries[i] as (typeof entries)[number];
      if (!has(members)) addIssue(sink, where, path, at, name, undefined, message);
    }
  };
}

/** How to explain one declared property. */
interface Declared {
  readonly key: string;
  /** The property declared after this one: most instances keep the order. */
  next: Declared | undefined;
  readonly needed: number;
  readonly gate: Leaf | undefined;
  readonly node: Node;
  readonly place: Place;
  report: Reporter | undefined;
}

function declaredMembers(
  node: Node,
  place: Place,
  context: ReportContext,
  absent: MembersReporter | undefined,
): MembersReporter | undefined {
  const { properties, additionalProperties, required = [] } = node;
  const special = specialMembers(node, place, context);
  if (properties === undefined && additionalProperties === undefined && special === undefined)
    return undefined;
  const declared = new Map<string, Declared>();
  let last: Declared | undefined;
  for (const [key, child] of properties ?? []) {
    const token = `/${escapeToken(key)}`;
    const entry: Declared = {
      key,
      next: undefined,
      needed: required.includes(key) ? 1 : 0,
      gate: context.gate(child),
      node: child,
      place: below(place, `/properties${token}`, token),
      report: undefined,
    };
    if (last !== undefined) last.next = entry;
    last = entry;
    declared.set(key, entry);
  }
  const [first] = declared.values();
  const rest =
    additionalProperties === undefined
      ? undefined
      : extra(node, "additionalProperties", additionalProperties, place, context);
  return (members, path, at, sink) => {
    let expected = first;
    let seen = 0;
    for (const key in members) {
      const value = members[key];
      let entry = expected;
      if (entry === undefined || entry.key !== key) entry = declared.get(key);
      if (entry !== undefined) expected = entry.next;
      if (value === undefined) continue;
      if (entry !== undefined) {
        seen += entry.needed;
        if (entry.gate === undefined || !passes(entry.gate, value))
          (entry.report ??= context.reporterAt(entry.node, entry.place))(value, path, at, sink);
      }
      const known = special !== undefined && special(key, value, path, at, sink);
      if (entry !== undefined) continue;
      if (!known) rest?.(key, value, path, at, sink);
      // Names nobody declared may be many.
      if (sink.issues.length >= sink.max) return;
    }
    if (seen !== required.length) absent?.(members, path, at, sink);
  };
}

/** Explains what `patternProperties` and `propertyNames` say of a member; true if a pattern matches its name. */
type NameReporter = (key: string, value: unknown, path: string, at: string, sink: Sink) => boolean;

function specialMembers(node: Node, place: Place, context: ReportContext): NameReporter | undefined {
  const { patternProperties = [], propertyNames } = node;
  if (patternProperties.length === 0 && propertyNames === undefined) return undefined;
  const { check } = context.closures;
  const patterns = patternProperties.map(([pattern, child]) => {
    const step = `/patternProperties/${escapeToken(pattern.source)}`;
    return [pattern, context.report(child, anywhere(place, step)), check(child)] as const;
  });
  const nameCheck = propertyNames === undefined ? always : check(propertyNames);
  const names =
    propertyNames === undefined
      ? undefined
      : context.report(propertyNames, anywhere(place, "/propertyNames"));
  return (key, value, path, at, sink) => {
    let known = false;
    for (const [pattern, report, test] of patterns) {
      if (!pattern.test(key)) continue;
      known = true;
      if (!test(value)) report(value, path, `${at + place.instance}/${escapeToken(key)}`, sink);
    }
    if (!nameCheck(key)) names?.(key, path, `${at + place.instance}/${escapeToken(key)}`, sink);
    return known;
  };
}

type ExtraReporter = (key: string, value: unknown, path: string, at: string, sink: Sink) => void;

/** Explains a member only `additionalProperties` or `unevaluatedProperties` speaks of. */
function extra(node: Node, name: string, schema: Node, place: Place, context: ReportContext): ExtraReporter {
  const { instance } = place;
  const where = keywordAt(node, anywhere(place, ""), name);
  if (schema.schema !== false) {
    const report = context.report(schema, anywhere(place, `/${where.keyword}`));
    const leaf = leafOf(schema, context.closures.check);
    return (key, value, path, at, sink) => {
      if (!passes(leaf, value)) report(value, path, `${at + instance}/${escapeToken(key)}`, sink);
    };
  }
  const known = [...(node.properties?.keys() ?? [])];
  return (key, _value, path, at, sink) => {
    const name = shown(key);
    const message = `the property ${quoted(name)} is not allowed`;
    addIssue(sink, where, path, `${at + instance}/${escapeToken(key)}`, known, name, message);
  };
}

function unevaluated(node: Node, schema: Node, place: Place, context: ReportContext): MembersReporter {
  const collect = context.closures.collect({ ...node, unevaluatedProperties: undefined });
  const report = extra(node, "unevaluatedProperties", schema, place, context);
  return (members, path, at, sink) => {
    const evaluated = nothingEvaluated();
    collect(members, evaluated);
    if (evaluated.everyName) return;
    for (const key in members) {
      if (members[key] === undefined || evaluated.names.has(key)) continue;
      report(key, members[key], path, at, sink);
    }
  };
}
