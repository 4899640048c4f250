import { always, type Check } from "../closures/check.ts";
import { anyOfCheck } from "../closures/union.ts";
import { followAlias, type Node } from "../ir/node.ts";
import { isBareUnion } from "../ir/shape.ts";
import { acceptedTypes, discriminatorOf, literalsOf, type Discriminator } from "../ir/union.ts";
import { escapeToken } from "../resolve/pointer.ts";
import { has, type Members } from "../value/members.ts";
import { namesOf, OBJECT, typeName } from "../value/type.ts";
import { quoted, shown } from "./assertion.ts";
import { below, keywordAt, type Place } from "./place.ts";
import type { ReportContext } from "./reporter.ts";
import { addIssue, type KeywordPlace, type Reporter } from "./sink.ts";

/** Reporters of the keywords that apply subschemas to the same value, for values of one type. */
export function inPlaceReporters(node: Node, type: number, place: Place, context: ReportContext): Reporter[] {
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
  if (node.anyOf !== undefined) parts.push(union(node, "anyOf", node.anyOf, type, place, context));
  if (node.oneOf !== undefined) parts.push(union(node, "oneOf", node.oneOf, type, place, context));
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
  type: number,
  place: Place,
  context: ReportContext,
): Reporter {
  const where = keywordAt(node, place, keyword);
  const { check } = context.closures;
  const reports: (Reporter | undefined)[] = [];
  const explain = (index: number): Reporter =>
    (reports[index] ??= context.reporterAt(branches[index] as Node, below(place, `/${keyword}/${index}`)));
  const discriminator = type === OBJECT ? discriminatorOf(branches) : undefined;
  if (discriminator !== undefined)
    return discriminated(discriminator, where, (index, value) =>
      check(branches[index] as Node)(value) ? undefined : explain(index),
    );
  // Where nothing stands beside the union, it is what failed.
  const any = keyword === "anyOf" && !isBareUnion(node) ? anyOfCheck(branches, check) : undefined;
  const all = keyword === "oneOf" ? branches.map(check) : undefined;
  const types = branches.map((branch) => acceptedTypes(branch));
  const candidates = [...branches.keys()].filter((i) => ((types[i] ?? 0) & type) !== 0);
  const accepted = namesOf(types.reduce((sum, mask) => sum | mask, 0));
  const wrongType = `expected ${accepted.join(" or ") || "nothing"}, received `;
  const noMatch = `expected a match of ${branches.length === 1 ? "the schema" : `one of ${branches.length} schemas`}`;
  return (value, path, at, sink) => {
    if (any?.(value) === true) return;
    const matches = all === undefined ? 0 : count(all, value);
    if (matches === 1) return;
    if (matches > 1) {
      const message = `expected exactly one of ${branches.length} schemas to match, ${matches} do`;
      addIssue(sink, where, path, at, 1, matches, message);
      return;
    }
    const [first] = candidates;
    const message = first === undefined ? wrongType + typeName(value) : noMatch;
    addIssue(sink, where, path, at, accepted, shown(value), message);
    if (first === undefined) return;
    const alone = candidates.length === 1 || type !== OBJECT;
    explain(alone ? first : closest(branches, candidates, value as Members))(value, path, at, sink);
  };
}

/** Explains the branch that the discriminator of an object selects, or that it selects none. */
function discriminated(
  { key, branches }: Discriminator,
  where: KeywordPlace,
  fault: (index: number, value: unknown) => Reporter | undefined,
): Reporter {
  const selected = { ...where, instance: `${where.instance}/${escapeToken(key)}` };
  const kinds = [...branches.keys()];
  const unknownKind = `expected the property ${quoted(key)} to be one of ${kinds.map(quoted).join(", ")}, received `;
  return (value, path, at, sink) => {
    const selector = (value as Members)[key];
    const index = typeof selector === "string" ? branches.get(selector) : undefined;
    if (index !== undefined) return fault(index, value)?.(value, path, at, sink);
    const met = shown(selector);
    addIssue(sink, selected, path, at, kinds, met, unknownKind + quoted(met));
  };
}

function count(checks: readonly Check[], value: unknown): number {
  let matches = 0;
  for (const check of checks) if (check(value)) matches++;
  return matches;
}

/** Of the branches for objects, the one the members were most likely meant for. */
function closest(branches: readonly Node[], candidates: readonly number[], members: Members): number {
  let best = 0;
  let least = Infinity;
  for (const i of candidates) {
    const distance = distanceTo(followAlias(branches[i] as Node), members);
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
