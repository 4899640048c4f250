import { isRecord } from "@tenon/base";

import { below, isEqual, quoted, type ChangeEffect, type Difference } from "./change.ts";

/** Whether values of a schema are sent to the server, or come from it. */
export type SchemaRole = "input" | "output";

/** A schema can allow fewer values than before, more values, or values that cannot be compared. */
type Shift = "narrower" | "wider" | "other";

const texts = new Set(["$comment", "$id", "$schema", "deprecated", "description", "examples", "title"]);
const lower = new Set([
  "minimum",
  "exclusiveMinimum",
  "minLength",
  "minItems",
  "minProperties",
  "minContains",
]);
const upper = new Set([
  "maximum",
  "exclusiveMaximum",
  "maxLength",
  "maxItems",
  "maxProperties",
  "maxContains",
]);
/** Keywords whose value is one schema, for items or properties. */
const single = new Set([
  "additionalProperties",
  "contains",
  "items",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
const allTypes = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Pairs of schemas are compared only once, so recursive schemas end. */
interface Walk {
  readonly role: SchemaRole;
  readonly roots: readonly [before: unknown, after: unknown];
  readonly compared: Map<unknown, Set<unknown>>;
  readonly differences: Difference[];
}

/**
 * The differences between two schemas of the same input or output. An input that allows fewer
 * values than before is breaking, an output that allows more is breaking, too. A keyword whose
 * values cannot be compared, such as `pattern`, counts as breaking when it changes.
 */
export function diffSchemas(before: unknown, after: unknown, path: string, role: SchemaRole): Difference[] {
  const walk: Walk = { role, roots: [before, after], compared: new Map(), differences: [] };
  compare(walk, before, after, path);
  return walk.differences;
}

function compare(walk: Walk, before: unknown, after: unknown, path: string): void {
  const left = resolved(walk.roots[0], before);
  const right = resolved(walk.roots[1], after);
  if (typeof left === "object" && left !== null) {
    const seen = walk.compared.get(left) ?? new Set();
    if (seen.has(right)) {
      return;
    }
    walk.compared.set(left, seen.add(right));
  }
  const [old, now] = [asObject(left), asObject(right)];
  for (const keyword of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (keyword !== "$defs" && keyword !== "definitions") {
      compareKeyword(walk, keyword, [old, now], below(path, keyword));
    }
  }
}

function compareKeyword(
  walk: Walk,
  keyword: string,
  [old, now]: readonly [Record<string, unknown>, Record<string, unknown>],
  path: string,
): void {
  const [before, after] = [old[keyword], now[keyword]];
  if (keyword === "$ref" && before !== undefined && after !== undefined) {
    const [target, other] = [before, after].map(($ref, side) => resolved(walk.roots[side], { $ref }));
    compare(walk, target, other, path.slice(0, -"/$ref".length));
  } else if (keyword === "properties") {
    compareProperties(walk, [old, now], path);
  } else if (keyword === "required") {
    compareRequired(walk, before, after, path);
  } else if (keyword === "type") {
    compareSets(walk, typesOf(before), typesOf(after), [before, after], path);
  } else if (keyword === "enum" && Array.isArray(before) && Array.isArray(after)) {
    compareSets(walk, textsOf(before), textsOf(after), [before, after], path);
  } else if (keyword === "prefixItems" || keyword === "allOf" || keyword === "anyOf" || keyword === "oneOf") {
    compareList(walk, keyword, [before, after], path);
  } else if (single.has(keyword)) {
    compareSingle(walk, [before, after], path);
  } else if (!isEqual(before, after)) {
    if (texts.has(keyword)) {
      walk.differences.push({ effect: "cosmetic", path, message: changed([before, after]) });
    } else if (keyword === "default") {
      walk.differences.push({ effect: "additive", path, message: changed([before, after]) });
    } else {
      report(walk, shiftOf(keyword, before, after), path, changed([before, after]));
    }
  }
}

function compareProperties(
  walk: Walk,
  [old, now]: readonly [Record<string, unknown>, Record<string, unknown>],
  path: string,
): void {
  const [before, after] = [asObject(old["properties"]), asObject(now["properties"])];
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = below(path, name);
    if (!Object.hasOwn(after, name)) {
      walk.differences.push({ effect: "breaking", path: at, message: "The property was removed." });
    } else if (Object.hasOwn(before, name)) {
      compare(walk, before[name], after[name], at);
    } else {
      walk.differences.push({ effect: "additive", path: at, message: "The property was added." });
    }
  }
}

function compareRequired(walk: Walk, before: unknown, after: unknown, path: string): void {
  const [old, now] = [namesOf(before), namesOf(after)];
  for (const name of now.filter((one) => !old.includes(one))) {
    report(walk, "narrower", path, `${quoted(name)} became required.`);
  }
  for (const name of old.filter((one) => !now.includes(one))) {
    report(walk, "wider", path, `${quoted(name)} is no longer required.`);
  }
}

function compareSets(
  walk: Walk,
  before: readonly string[],
  after: readonly string[],
  values: readonly [unknown, unknown],
  path: string,
): void {
  const isLost = before.some((one) => !after.includes(one));
  const isNew = after.some((one) => !before.includes(one));
  if (isLost || isNew) {
    report(walk, isLost && isNew ? "other" : isLost ? "narrower" : "wider", path, changed(values));
  }
}

/** Schemas in a list are matched by equality first, then by their order. */
function compareList(
  walk: Walk,
  keyword: string,
  [before, after]: readonly [unknown, unknown],
  path: string,
): void {
  const [old, now] = [listOf(before), listOf(after)];
  const isPrefix = keyword === "prefixItems";
  const lost = isPrefix ? old : old.filter((one) => !now.some((other) => isEqual(one, other)));
  const added = isPrefix ? now : now.filter((one) => !old.some((other) => isEqual(one, other)));
  const paired = Math.min(lost.length, added.length);
  for (let index = 0; index < paired; index++) {
    compare(walk, lost[index], added[index], below(path, now.indexOf(added[index])));
  }
  const isUnion = keyword === "anyOf" || keyword === "oneOf";
  for (const one of lost.slice(paired)) {
    // A union that ends altogether allows every value.
    report(walk, isUnion && now.length > 0 ? "narrower" : "wider", path, `${quoted(one)} was removed.`);
  }
  for (const one of added.slice(paired)) {
    report(walk, isUnion && old.length > 0 ? "wider" : "narrower", path, `${quoted(one)} was added.`);
  }
}

function compareSingle(walk: Walk, [before, after]: readonly [unknown, unknown], path: string): void {
  const [old, now] = [before ?? true, after ?? true];
  if (isEqual(old, now)) {
    return;
  }
  if (old === true || isEqual(old, {}) || now === false) {
    report(walk, "narrower", path, changed([before, after]));
  } else if (now === true || isEqual(now, {}) || old === false) {
    report(walk, "wider", path, changed([before, after]));
  } else {
    compare(walk, old, now, path);
  }
}

function shiftOf(keyword: string, before: unknown, after: unknown): Shift {
  if (before === undefined) {
    return "narrower";
  }
  if (after === undefined) {
    return "wider";
  }
  if (typeof before === "number" && typeof after === "number" && (lower.has(keyword) || upper.has(keyword))) {
    return after > before === lower.has(keyword) ? "narrower" : "wider";
  }
  return "other";
}

function report(walk: Walk, shift: Shift, path: string, message: string): void {
  const isFatal = shift === "other" || (shift === "narrower") === (walk.role === "input");
  const effect: ChangeEffect = isFatal ? "breaking" : "additive";
  walk.differences.push({ effect, path, message });
}

/** Follows local references. A loop, or a reference to another document, is not followed. */
function resolved(root: unknown, schema: unknown): unknown {
  let at = schema;
  for (let hops = 0; hops < 32 && isRecord(at) && Object.keys(at).length === 1; hops++) {
    const ref = at["$ref"];
    if (typeof ref !== "string" || !ref.startsWith("#")) {
      break;
    }
    const names = ref.slice(1).split("/").slice(1);
    at = names.reduce<unknown>((inside, name) => {
      const key = decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
      return typeof inside === "object" && inside !== null
        ? (inside as Readonly<Record<string, unknown>>)[key]
        : undefined;
    }, root);
  }
  return at;
}

function asObject(schema: unknown): Record<string, unknown> {
  return isRecord(schema) ? { ...schema } : schema === false ? { not: {} } : {};
}

/** The names of types, with `integer` as a part of `number`. */
function typesOf(value: unknown): string[] {
  const named = value === undefined ? allTypes : namesOf(Array.isArray(value) ? value : [value]);
  return named.includes("number") ? [...new Set([...named, "integer"])] : named;
}

function namesOf(value: unknown): string[] {
  return listOf(value).filter((name) => typeof name === "string");
}

function textsOf(values: readonly unknown[]): string[] {
  return values.map((value) => JSON.stringify(value));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function changed([before, after]: readonly [unknown, unknown]): string {
  if (before === undefined) {
    return `${quoted(after)} was added.`;
  }
  return after === undefined
    ? `${quoted(before)} was removed.`
    : `Changed from ${quoted(before)} to ${quoted(after)}.`;
}
