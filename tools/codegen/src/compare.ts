import {
  canonical,
  escapePointer,
  isSchema,
  mapOf,
  proseKeywords,
  refName,
  sorted,
  stringsOf,
} from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/** One structural difference between two sets of definitions. */
export interface Difference {
  /** Steps from the definitions down to the node, e.g. `["Tool", "properties", "title"]`. */
  readonly steps: readonly string[];
  readonly change: "added" | "removed" | "renamed" | "changed";
  /** What is different, in words. */
  readonly detail: string;
}

/**
 * Structural differences, in the order of the definitions' names. Prose, and the order of fields,
 * of union members, of enum values and of requirements, do not count: they say nothing about what
 * is valid.
 */
export function compareDefinitions(before: Definitions, after: Definitions): Difference[] {
  return compareMaps(before, after, [], (name) => `definition ${name}`);
}

/** The JSON pointer of a difference in a document with this definitions container. */
export function pointerOf(difference: Difference, container: string): string {
  return ["#", container, ...difference.steps.map(escapePointer)].join("/");
}

type SchemaMap = { readonly [name: string]: Schema };

function compareMaps(
  before: SchemaMap,
  after: SchemaMap,
  steps: readonly string[],
  label: (name: string) => string,
): Difference[] {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  const added = new Set(Object.keys(after).filter((name) => !Object.hasOwn(before, name)));
  const out: Difference[] = [];
  for (const name of removed) {
    const twin = [...added].find((other) => shape(after[other]) === shape(before[name]));
    if (twin === undefined) {
      out.push({ steps: [...steps, name], change: "removed", detail: `${label(name)} removed` });
    } else {
      added.delete(twin);
      const detail = `${label(name)} removed and ${twin} added, which may be a new name for it`;
      out.push({ steps: [...steps, name], change: "renamed", detail });
    }
  }
  for (const name of added) {
    const kind = steps.length === 0 ? "" : ` (${typeText(after[name] ?? {})})`;
    out.push({ steps: [...steps, name], change: "added", detail: `${label(name)}${kind} added` });
  }
  for (const [name, schema] of sorted(before)) {
    const other = after[name];
    if (other !== undefined) {
      out.push(...compareNodes(schema, other, [...steps, name]));
    }
  }
  return out.sort((a, b) => (a.steps.join("/") < b.steps.join("/") ? -1 : 1));
}

function compareNodes(before: Schema, after: Schema, steps: readonly string[]): Difference[] {
  if (shape(before) === shape(after)) {
    return [];
  }
  if (kindOf(before) !== kindOf(after) || kindOf(before) === "reference") {
    return [{ steps, change: "changed", detail: `${typeText(before)} became ${typeText(after)}` }];
  }
  const keywords = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (keyword) => !proseKeywords.includes(keyword),
  );
  return keywords.sort().flatMap((keyword) => compareKeyword(keyword, before, after, [...steps, keyword]));
}

function compareKeyword(
  keyword: string,
  before: Schema,
  after: Schema,
  steps: readonly string[],
): Difference[] {
  const [old, now] = [before[keyword], after[keyword]];
  if (keyword === "properties") {
    return compareMaps(
      mapOf(before, keyword),
      mapOf(after, keyword),
      steps,
      (name) => `field ${name}`,
    ).concat((old === undefined) === (now === undefined) ? [] : [changed(steps, old, now)]);
  }
  if (keyword === "required") {
    return compareLists(stringsOf(before, keyword), stringsOf(after, keyword), steps, "requirement");
  }
  if (isSchema(old) && isSchema(now)) {
    return compareNodes(old, now, steps);
  }
  if (Array.isArray(old) && Array.isArray(now)) {
    const what = keyword === "enum" ? "value" : keyword === "type" ? "type" : "member";
    return compareLists(old.map(print), now.map(print), steps, what);
  }
  return canonical(old) === canonical(now) ? [] : [changed(steps, old, now)];
}

function compareLists(
  before: readonly string[],
  after: readonly string[],
  steps: readonly string[],
  what: string,
): Difference[] {
  const removed = before.filter((item) => !after.includes(item));
  const added = after.filter((item) => !before.includes(item));
  return [
    ...removed.map((item): Difference => ({ steps, change: "removed", detail: `${what} ${item} removed` })),
    ...added.map((item): Difference => ({ steps, change: "added", detail: `${what} ${item} added` })),
  ];
}

function changed(steps: readonly string[], old: unknown, now: unknown): Difference {
  if (old === undefined) {
    return { steps, change: "added", detail: `${steps.at(-1)} ${print(now)} added` };
  }
  if (now === undefined) {
    return { steps, change: "removed", detail: `${steps.at(-1)} ${print(old)} removed` };
  }
  return { steps, change: "changed", detail: `${print(old)} became ${print(now)}` };
}

function kindOf(schema: Schema): string {
  return refName(schema) !== undefined
    ? "reference"
    : (["anyOf", "oneOf", "allOf"].find((keyword) => keyword in schema) ?? "plain");
}

/** A schema as a type, for people: `Icon[]`, `string | integer`, `object`. */
function typeText(schema: Schema): string {
  const name = refName(schema);
  if (name !== undefined) {
    return name;
  }
  if (Array.isArray(schema["anyOf"])) {
    return schema["anyOf"].map((member: unknown) => (isSchema(member) ? typeText(member) : "?")).join(" | ");
  }
  if (schema["const"] !== undefined) {
    return JSON.stringify(schema["const"]);
  }
  if (schema["type"] === "array") {
    return `${isSchema(schema["items"]) ? typeText(schema["items"]) : "any"}[]`;
  }
  const type = schema["type"];
  if (Array.isArray(type)) {
    return type.join(" | ");
  }
  return typeof type === "string" ? type : "any";
}

/** A value in a report: a reference by its name, a schema without prose. */
function print(value: unknown): string {
  const text =
    refName(value) ??
    (isSchema(value) ? shape(value) : typeof value === "string" ? value : JSON.stringify(value));
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}

/** Text that is equal for two schemas exactly when they accept the same by construction. */
function shape(schema: unknown): string {
  return canonical(bare(schema));
}

function bare(value: unknown, keyword = ""): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => bare(item));
    return unordered.has(keyword) ? items.sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1)) : items;
  }
  if (!isSchema(value)) {
    return value;
  }
  if (keyword === "properties") {
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, bare(child)]));
  }
  if (keyword === "const" || keyword === "default") {
    return value;
  }
  const kept = Object.entries(value).filter(([name]) => !proseKeywords.includes(name));
  return Object.fromEntries(kept.map(([name, child]) => [name, bare(child, name)]));
}

const unordered = new Set(["required", "enum", "type", "anyOf", "oneOf", "allOf"]);
