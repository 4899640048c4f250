import { always } from "../closures/check.ts";
import { nothingEvaluated } from "../closures/evaluated.ts";
import { leafOf, passes, type Leaf } from "../closures/leaf.ts";
import type { Node } from "../ir/node.ts";
import { escapeToken } from "../resolve/pointer.ts";
import { has, type Members } from "../value/members.ts";
import { quoted, shown } from "./assertion.ts";
import type { KeywordPlace, ReportContext } from "./reporter.ts";
import { addIssue, type Reporter, type Sink } from "./sink.ts";

/** Reporters of the keywords for objects, `dependentSchemas` aside. */
export function memberReporters(node: Node, context: ReportContext): Reporter[] {
  const parts: MembersReporter[] = [];
  const { required = [], dependentRequired = [] } = node;
  const absent = required.length > 0 ? missing(required, "", context.at(node, "required")) : undefined;
  for (const [name, needed] of dependentRequired) {
    const report = missing(needed, `, which ${quoted(name)} needs`, context.at(node, "dependentRequired"));
    parts.push((members, path, at, sink) => {
      if (has(members, name)) report(members, path, at, sink);
    });
  }
  const walk = declaredMembers(node, context, absent) ?? absent;
  if (walk !== undefined) parts.unshift(walk);
  if (node.unevaluatedProperties !== undefined)
    parts.push(unevaluated(node, node.unevaluatedProperties, context));
  const [only] = parts;
  if (only === undefined) return [];
  if (parts.length === 1) {
    return [
      (value, path, at, sink) => {
        if (typeof value !== "object" || value === null || Array.isArray(value)) return;
        only(value as Members, path, at, sink);
      },
    ];
  }
  return [
    (value, path, at, sink) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return;
      for (let i = 0; i < parts.length; i++) parts[i]?.(value as Members, path, at, sink);
    },
  ];
}

type MembersReporter = (members: Members, path: string, at: string, sink: Sink) => void;

function missing(
  names: readonly string[],
  why: string,
  { keyword, suffix, absolute }: KeywordPlace,
): MembersReporter {
  const entries = names.map((name) => ({
    name,
    inherited: name in Object.prototype,
    message: `the property ${quoted(name)} is missing${why}`,
  }));
  return (members, path, at, sink) => {
    for (let i = 0; i < entries.length; i++) {
      const { name, inherited, message } = entries[i] as (typeof entries)[number];
      if (members[name] !== undefined && (!inherited || Object.hasOwn(members, name))) continue;
      addIssue(sink, keyword, absolute, path + suffix, at, name, undefined, message);
    }
  };
}

/** How to explain one declared property. */
interface Declared {
  readonly key: string;
  /** The property declared after this one: most instances keep the order. */
  next: Declared | undefined;
  readonly needed: number;
  readonly leaf: Leaf;
  readonly report: Reporter;
  readonly suffix: string;
  readonly token: string;
}

function declaredMembers(
  node: Node,
  context: ReportContext,
  absent: MembersReporter | undefined,
): MembersReporter | undefined {
  const { properties, patternProperties = [], additionalProperties, propertyNames, required = [] } = node;
  if (properties === undefined && patternProperties.length === 0) {
    if (additionalProperties === undefined && propertyNames === undefined) return undefined;
  }
  const { check } = context.closures;
  const declared = new Map<string, Declared>();
  let last: Declared | undefined;
  for (const [name, child] of properties ?? []) {
    const token = `/${escapeToken(name)}`;
    const entry: Declared = {
      key: name,
      next: undefined,
      needed: required.includes(name) ? 1 : 0,
      leaf: leafOf(child, check),
      report: context.report(child),
      suffix: `/properties${token}`,
      token,
    };
    if (last !== undefined) last.next = entry;
    last = entry;
    declared.set(name, entry);
  }
  const [first] = declared.values();
  const simple = patternProperties.length === 0 && propertyNames === undefined;
  const patterns = patternProperties.map(
    ([pattern, child]) =>
      [
        pattern,
        context.report(child),
        `/patternProperties/${escapeToken(pattern.source)}`,
        check(child),
      ] as const,
  );
  const rest =
    additionalProperties === undefined
      ? undefined
      : extra(node, "additionalProperties", additionalProperties, context);
  const names = propertyNames === undefined ? undefined : context.report(propertyNames);
  const nameCheck = propertyNames === undefined ? always : check(propertyNames);
  return (members, path, at, sink) => {
    let expected = first;
    let seen = 0;
    for (const key in members) {
      const value = members[key];
      let entry = expected;
      if (entry === undefined || entry.key !== key) entry = declared.get(key);
      if (entry !== undefined) expected = entry.next;
      if (value === undefined) continue;
      let known = false;
      if (entry !== undefined) {
        known = true;
        seen += entry.needed;
        if (!passes(entry.leaf, value)) entry.report(value, path + entry.suffix, at + entry.token, sink);
      }
      if (simple) {
        if (known || rest === undefined) continue;
        rest(key, value, path, at, sink);
        if (sink.issues.length >= sink.max) return;
        continue;
      }
      for (let i = 0; i < patterns.length; i++) {
        const [pattern, report, suffix, test] = patterns[i] as (typeof patterns)[number];
        if (!pattern.test(key)) continue;
        known = true;
        if (!test(value)) report(value, path + suffix, `${at}/${escapeToken(key)}`, sink);
      }
      if (!known) rest?.(key, value, path, at, sink);
      if (names !== undefined && !nameCheck(key))
        names(key, `${path}/propertyNames`, `${at}/${escapeToken(key)}`, sink);
      if (sink.issues.length >= sink.max) return;
    }
    if (seen !== required.length) absent?.(members, path, at, sink);
  };
}

type ExtraReporter = (key: string, value: unknown, path: string, at: string, sink: Sink) => void;

/** Explains a member only `additionalProperties` or `unevaluatedProperties` speaks of. */
function extra(node: Node, name: string, schema: Node, context: ReportContext): ExtraReporter {
  const { keyword, suffix, absolute } = context.at(node, name);
  if (schema.schema !== false) {
    const report = context.report(schema);
    const leaf = leafOf(schema, context.closures.check);
    return (key, value, path, at, sink) => {
      if (!passes(leaf, value)) report(value, path + suffix, `${at}/${escapeToken(key)}`, sink);
    };
  }
  const known = [...(node.properties?.keys() ?? [])];
  return (key, _value, path, at, sink) => {
    const name = shown(key);
    const message = `the property ${quoted(name)} is not allowed`;
    addIssue(sink, keyword, absolute, path + suffix, `${at}/${escapeToken(key)}`, known, name, message);
  };
}

function unevaluated(node: Node, schema: Node, context: ReportContext): MembersReporter {
  const collect = context.closures.collect({ ...node, unevaluatedProperties: undefined });
  const report = extra(node, "unevaluatedProperties", schema, context);
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
