import type { Check } from "../closures/check.ts";
import { anyOfCheck } from "../closures/union.ts";
import { followAlias, type Node } from "../ir/node.ts";
import { acceptedTypes, discriminatorOf, literalsOf, type Discriminator } from "../ir/union.ts";
import { escapeToken } from "../reference/pointer.ts";
import { has, type Members } from "../value/members.ts";
import { anyBits, namesOf, objectBit, typeName } from "../value/type.ts";
import { quoted, shown } from "./assertion.ts";
import { below, keywordAt, type Place } from "./place.ts";
import type { ReportContext } from "./reporter.ts";
import { addIssue, type KeywordPlace, type Reporter } from "./sink.ts";

/** Reporters of the keywords that apply subschemas to the same value, for values of one type. */
export function inPlaceReporters(node: Node, type: number, place: Place, context: ReportContext): Reporter[] {
  const parts: Reporter[] = [];
  const nested = (child: Node | undefined, step: string): void => {
    if (child !== undefined) {
      parts.push(context.report(child, below(place, step, "")));
    }
  };
  nested(node.ref, "/$ref");
  nested(node.dynamicRef, `/${node.names?.["dynamicRef"] ?? "$dynamicRef"}`);
  for (const [i, child] of (node.allOf ?? []).entries()) {
    nested(child, `/allOf/${i}`);
  }
  if (node.anyOf !== undefined) {
    parts.push(union(node, "anyOf", node.anyOf, type, place, context));
  }
  if (node.oneOf !== undefined) {
    parts.push(union(node, "oneOf", node.oneOf, type, place, context));
  }
  if (node.not !== undefined) {
    parts.push(negation(node, node.not, place, context));
  }
  if (node.if !== undefined) {
    parts.push(conditional(node.if, node, place, context));
  }
  return parts;
}

/** Reporters of `dependentSchemas`; for objects only. */
export function dependentReporters(node: Node, place: Place, context: ReportContext): Reporter[] {
  const { keyword } = keywordAt(node, place, "dependentSchemas");
  return (node.dependentSchemas ?? []).map(([name, child]) => {
    const report = context.report(child, below(place, `/${keyword}/${escapeToken(name)}`, ""));
    return (value, path, at, sink) => {
      if (has(value as Members, name)) {
        report(value, path, at, sink);
      }
    };
  });
}

function negation(node: Node, schema: Node, place: Place, context: ReportContext): Reporter {
  const check = context.closures.check(schema);
  const where = keywordAt(node, place, "not");
  return (value, path, at, sink) => {
    if (!check(value)) {
      return;
    }
    const message = "the value matches a schema that it must not match";
    addIssue(sink, where, path, at, "no match", "a match", message);
  };
}

function conditional(condition: Node, node: Node, place: Place, context: ReportContext): Reporter {
  const check = context.closures.check(condition);
  const then = node.then === undefined ? undefined : context.report(node.then, below(place, "/then", ""));
  const otherwise =
    node.else === undefined ? undefined : context.report(node.else, below(place, "/else", ""));
  return (value, path, at, sink) => (check(value) ? then : otherwise)?.(value, path, at, sink);
}

/**
 * A failed union is one issue for the union, followed by the issues of the branch that was most
 * likely meant: the branch that its discriminator selects, or else, of the branches that accept its
 * type, the branch with the fewest errors.
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
  const reportOf = (i: number): Reporter =>
    (reports[i] ??= context.report(branches[i] as Node, below(place, `/${keyword}/${i}`, "")));
  const discriminator = type === objectBit ? discriminatorOf(branches) : undefined;
  if (discriminator !== undefined) {
    return discriminated(discriminator, where, reportOf);
  }
  const types = branches.map((branch) => acceptedTypes(branch));
  const candidates = [...branches.keys()].filter((i) => takes(types[i] ?? 0, type));
  const accepted = namesOf(types.reduce((sum, mask) => sum | mask, 0));
  const [first] = candidates;
  if (first === undefined) {
    const wrongType = `expected ${accepted.join(" or ") || "nothing"}, received `;
    return (value, path, at, sink) =>
      addIssue(sink, where, path, at, accepted, shown(value), wrongType + typeName(value));
  }
  const noMatch = `expected a match of ${branches.length === 1 ? "the schema" : `one of ${branches.length} schemas`}`;
  const single = keyword === "anyOf" || candidates.length === 1;
  const choose = candidates.length > 1 && type === objectBit;
  let checks: readonly Check[] | undefined;
  return (value, path, at, sink) => {
    const { issues, max } = sink;
    const before = issues.length;
    const meant = choose ? closest(branches, candidates, value as Members) : first;
    // The branch is explained before it is known whether it fails, so that it is visited only once.
    const early = single && before + 1 < max;
    if (early) {
      addIssue(sink, where, path, at, accepted, shown(value), noMatch);
      reportOf(meant)(value, path, at, sink);
      if (issues.length === before + 1) {
        return void issues.pop();
      }
      if (candidates.length === 1) {
        return;
      }
    }
    // One check for all of `anyOf`, as the validator's own, need not try each branch.
    checks ??=
      keyword === "anyOf" ? [anyOfCheck(branches, check)] : candidates.map((i) => check(branches[i] as Node));
    const matches = checks.filter((matchesBranch) => matchesBranch(value)).length;
    if (early) {
      if (matches > 0) {
        issues.length = before;
      }
    } else if (matches === 0) {
      addIssue(sink, where, path, at, accepted, shown(value), noMatch);
      reportOf(meant)(value, path, at, sink);
    } else if (matches > 1 && keyword === "oneOf") {
      const message = `expected exactly one of ${branches.length} schemas to match, ${matches} do`;
      addIssue(sink, where, path, at, 1, matches, message);
    }
  };
}

/** Values that are not JSON pass if no type is required. */
function takes(accepted: number, type: number): boolean {
  return (accepted & type) !== 0 || (type > anyBits && accepted === anyBits);
}

/** Explains the branch that the discriminator of an object selects, or that it selects none. */
function discriminated(
  { key, branches }: Discriminator,
  where: KeywordPlace,
  reportOf: (branch: number) => Reporter,
): Reporter {
  const selected = { ...where, instance: `${where.instance}/${escapeToken(key)}` };
  const kinds = [...branches.keys()];
  const unknownKind = `expected the property ${quoted(key)} to be one of ${kinds.map(quoted).join(", ")}, received `;
  return (value, path, at, sink) => {
    const selector = (value as Members)[key];
    const index = typeof selector === "string" ? branches.get(selector) : undefined;
    if (index !== undefined) {
      return reportOf(index)(value, path, at, sink);
    }
    const met = shown(selector);
    addIssue(sink, selected, path, at, kinds, met, unknownKind + quoted(met));
  };
}

/** Of the branches for objects, the one the properties were most likely meant for. */
function closest(branches: readonly Node[], candidates: readonly number[], members: Members): number {
  let best = 0;
  let least = Infinity;
  for (const i of candidates) {
    const distance = distanceTo(followAlias(branches[i] as Node), members);
    if (distance >= least) {
      continue;
    }
    if (distance === 0) {
      return i;
    }
    best = i;
    least = distance;
  }
  return best;
}

function distanceTo(branch: Node, members: Members): number {
  const { properties, required = [] } = branch;
  let distance = 0;
  for (const name of required) {
    if (!has(members, name)) {
      distance++;
    }
  }
  for (const key in members) {
    const property = properties?.get(key);
    if (property === undefined) {
      if (branch.additionalProperties?.schema === false) {
        distance++;
      }
    } else if (literalsOf(followAlias(property))?.includes(members[key]) === false) {
      distance += 2;
    }
  }
  return distance;
}
