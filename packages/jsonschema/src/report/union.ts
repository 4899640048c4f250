import { always, never, type Check } from "../closures/check.ts";
import { anyOfCheck } from "../closures/union.ts";
import { followAlias, type Node } from "../ir/node.ts";
import { isBareUnion } from "../ir/shape.ts";
import { acceptedTypes, discriminatorOf, literalsOf } from "../ir/union.ts";
import { escapeToken } from "../resolve/pointer.ts";
import { has, isMembers, type Members } from "../value/members.ts";
import { hasType, namesOf, typeName } from "../value/type.ts";
import { quoted, shown } from "./assertion.ts";
import { below, keywordAt, type Place } from "./place.ts";
import type { ReportContext } from "./reporter.ts";
import { addIssue, type Reporter } from "./sink.ts";

/** Reporters of the keywords that apply subschemas to the same value. */
export function inPlaceReporters(node: Node, place: Place, context: ReportContext): Reporter[] {
  const parts: Reporter[] = [];
  const nested = (child: Node | undefined, step: string): void => {
    if (child === undefined) return;
    const report = context.report(child, below(place, step));
    const { check } = context.closures;
    // An alias fails exactly if its target does; of several keywords, only some have failed.
    if (node.alias !== undefined) return void parts.push(report);
    const test = check(child);
    parts.push((value, path, at, sink) => {
      if (!test(value)) report(value, path, at, sink);
    });
  };
  nested(node.ref, "/$ref");
  nested(node.dynamicRef, `/${node.names?.["dynamicRef"] ?? "$dynamicRef"}`);
  for (const [i, child] of (node.allOf ?? []).entries()) nested(child, `/allOf/${i}`);
  if (node.anyOf !== undefined) parts.push(union(node, "anyOf", node.anyOf, place, context));
  if (node.oneOf !== undefined) parts.push(union(node, "oneOf", node.oneOf, place, context));
  if (node.not !== undefined) parts.push(negation(node, node.not, place, context));
  if (node.if !== undefined) parts.push(conditional(node.if, node, place, context));
  return parts;
}

/** Reporters of `dependentSchemas`; for objects only. */
export function dependentReporters(node: Node, place: Place, context: ReportContext): Reporter[] {
  const { keyword } = keywordAt(node, place, "dependentSchemas");
  return (node.dependentSchemas ?? []).map(([name, child]) => {
    const report = context.report(child, below(place, `/${keyword}/${escapeToken(name)}`));
    const check = context.closures.check(child);
    return (value, path, at, sink) => {
      if (has(value as Members, name) && !check(value)) report(value, path, at, sink);
    };
  });
}

function negation(node: Node, schema: Node, place: Place, context: ReportContext): Reporter {
  const check = context.closures.check(schema);
  const where = keywordAt(node, place, "not");
  return (value, path, at, sink) => {
    if (!check(value)) return;
    const message = "the value matches a schema that it must not match";
    addIssue(sink, where, path, at, "no match", "a match", message);
  };
}

function conditional(condition: Node, node: Node, place: Place, context: ReportContext): Reporter {
  const check = context.closures.check(condition);
  const met = node.then === undefined ? always : context.closures.check(node.then);
  const unmet = node.else === undefined ? always : context.closures.check(node.else);
  const then = node.then === undefined ? undefined : context.report(node.then, below(place, "/then"));
  const otherwise = node.else === undefined ? undefined : context.report(node.else, below(place, "/else"));
  return (value, path, at, sink) => {
    if (check(value)) {
      if (!met(value)) then?.(value, path, at, sink);
    } else if (!unmet(value)) otherwise?.(value, path, at, sink);
  };
}

/**
 * A failed union is one issue for the union, followed by the issues of the branch that the instance meant: the one its
 * discriminator selects, else, of the branches that take its type, the one it fails least.
 */
function union(
  node: Node,
  keyword: "anyOf" | "oneOf",
  branches: readonly Node[],
  place: Place,
  context: ReportContext,
): Reporter {
  const where = keywordAt(node, place, keyword);
  const reports = branches.map((branch, i) => context.report(branch, below(place, `/${keyword}/${i}`)));
  const checks = branches.map(context.closures.check);
  // Where nothing stands beside the union, it is what failed.
  const any =
    keyword === "anyOf" && !isBareUnion(node) ? anyOfCheck(branches, context.closures.check) : never;
  const types = branches.map((branch) => acceptedTypes(branch));
  const discriminator = discriminatorOf(branches);
  const accepted = namesOf(types.reduce((sum, mask) => sum | mask, 0));
  const wrongType = `expected ${accepted.join(" or ") || "nothing"}, received `;
  const noMatch = `expected a match of ${branches.length === 1 ? "the schema" : `one of ${branches.length} schemas`}`;
  const kinds = [...(discriminator?.branches.keys() ?? [])];
  const selected = { ...where, instance: `${where.instance}/${escapeToken(discriminator?.key ?? "")}` };
  const unknownKind = `expected the property ${quoted(discriminator?.key)} to be one of ${kinds.map(quoted).join(", ")}, received `;
  return (value, path, at, sink) => {
    if (discriminator !== undefined && typeof value === "object" && value !== null && !Array.isArray(value)) {
      const { key, branches: table } = discriminator;
      const selector = (value as Record<string, unknown>)[key];
      const index = typeof selector === "string" ? table.get(selector) : undefined;
      if (index === undefined) {
        const met = shown(selector);
        addIssue(sink, selected, path, at, kinds, met, unknownKind + quoted(met));
      } else if (checks[index]?.(value) === false) reports[index]?.(value, path, at, sink);
      return;
    }
    const matches = keyword === "anyOf" ? (any(value) ? 1 : 0) : count(checks, value);
    if (matches === 1) return;
    if (matches > 1) {
      const message = `expected exactly one of ${branches.length} schemas to match, ${matches} do`;
      addIssue(sink, where, path, at, 1, matches, message);
      return;
    }
    const best = closest(branches, types, value);
    const message = best === undefined ? wrongType + typeName(value) : noMatch;
    addIssue(sink, where, path, at, accepted, shown(value), message);
    if (best !== undefined) reports[best]?.(value, path, at, sink);
  };
}

function count(checks: readonly Check[], value: unknown): number {
  let matches = 0;
  for (const check of checks) if (check(value)) matches++;
  return matches;
}

/** The branch a value was most likely meant for, judged by its own members; `undefined` if no branch takes its type. */
function closest(branches: readonly Node[], types: readonly number[], value: unknown): number | undefined {
  let best: number | undefined;
  let least = Infinity;
  for (const [i, branch] of branches.entries()) {
    if (!hasType(types[i] ?? 0, value)) continue;
    const distance = isMembers(value) ? distanceTo(followAlias(branch), value) : 0;
    if (distance >= least) continue;
    best = i;
    least = distance;
  }
  return best;
}

function distanceTo(branch: Node, members: Members): number {
  const { properties, required = [] } = branch;
  let distance = 0;
  for (const name of required) if (!has(members, name)) distance++;
  for (const key in members) {
    const property = properties?.get(key);
    if (property === undefined) {
      if (branch.additionalProperties?.schema === false) distance++;
    } else if (literalsOf(followAlias(property))?.includes(members[key]) === false) distance += 2;
  }
  return distance;
}
