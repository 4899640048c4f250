import type { Closures } from "../closures/compile.ts";
import { unevaluatedIndices, unevaluatedNames } from "../closures/evaluated.ts";
import type { Meter } from "../ir/meter.ts";
import { absoluteLocation, type Node } from "../ir/node.ts";
import { escapeToken } from "../reference/pointer.ts";
import { assertionsOf, faultOf, kinds, kindOf, messageOf, none } from "../report/assertion.ts";
import { has, isMembers } from "../value/members.ts";

/** One evaluated schema or keyword: the whole tree, passed and failed. */
export interface Evaluation {
  valid: boolean;
  readonly keywordLocation: string;
  readonly absoluteKeywordLocation: string;
  readonly instanceLocation: string;
  error?: string;
  annotation?: unknown;
  readonly children: Evaluation[];
}

type Members = Readonly<Record<string, unknown>>;

/** How much more a unit of output costs than the verdict alone, in work units. */
const weight = 8;

/**
 * A node without its `unevaluated…` keywords. It is cached, because collectors are stored by node.
 */
const withoutOutput: WeakMap<Node, Node> = new WeakMap();

/** A subschema, the value it applies to, and the way to both from the keyword, as JSON Pointers. */
type Applied = readonly [child: Node, value: unknown, suffix: string, at: string];

/**
 * Evaluates every keyword and branch, and collects annotations (core §7.7). The plain interpreter
 * of the IR.
 */
export function evaluate(root: Node, instance: unknown, closures: Closures, meter: Meter): Evaluation {
  function schema(node: Node, value: unknown, path: string, at: string): Evaluation {
    const unit = unitOf(path, absoluteLocation(node), at);
    if (node.schema === false) {
      fail(unit, "no value is allowed here");
    }
    if (typeof node.schema === "boolean") {
      return unit;
    }
    if (node.fuel > 0) {
      meter.enter(weight * node.fuel, value);
    }

    const keyword: KeywordOf = (name) => {
      const written = node.names?.[name] ?? name;
      const child = unitOf(path + tokenOf(written), absoluteLocation(node, escapeToken(written)), at);
      unit.children.push(child);
      return child;
    };
    const apply: Apply = (name, applied, error) => {
      const own = keyword(name);
      for (const [child, value, suffix, below] of applied) {
        own.children.push(schema(child, value, own.keywordLocation + suffix, at + below));
      }
      const matches = own.children.filter((child) => child.valid).length;
      if (error !== undefined && matches < applied.length) {
        fail(own, error);
      }
      return [own, matches];
    };

    for (const assertion of assertionsOf(node)) {
      const own = keyword(assertion.keyword);
      const met =
        (assertion.types & (kinds[kindOf(value)] as number)) === 0 ? none : faultOf(assertion, value);
      if (met !== none) {
        fail(own, messageOf(assertion, met));
      }
    }
    if (isMembers(value)) {
      members(node, value, keyword, apply);
    }
    // Spread, because other code treats a hole in an array as an item.
    if (Array.isArray(value)) {
      items(node, [...(value as unknown[])], apply);
    }
    inPlace(node, value, apply);
    unevaluated(node, value, apply);
    if (node.fuel > 0) {
      meter.depth--;
    }
    unit.valid = unit.children.every((child) => child.valid);
    if (unit.valid) {
      annotate(node, value, keyword);
    } else {
      fail(unit, "the value does not match the schema");
    }
    return unit;
  }

  function items(node: Node, value: readonly unknown[], apply: Apply): void {
    const { prefixItems, items, contains } = node;
    const each = (child: Node, i: number, suffix = ""): Applied => [child, value[i], suffix, `/${i}`];
    const count = Math.min(prefixItems?.length ?? 0, value.length);
    if (prefixItems !== undefined) {
      const applied = prefixItems.slice(0, count).map((child, i) => each(child, i, `/${i}`));
      const [own] = apply("prefixItems", applied, "an item does not match");
      if (count > 0) {
        own.annotation = count === value.length ? true : count - 1;
      }
    }
    if (items !== undefined) {
      const applied = value.slice(count).map((_, i) => each(items, count + i));
      const [own] = apply("items", applied, "an item does not match");
      if (applied.length > 0) {
        own.annotation = true;
      }
    }
    if (contains !== undefined) {
      const check = closures.check(contains);
      const found = value.flatMap((item, i) => (check(item) ? [i] : []));
      const [own] = apply(
        "contains",
        found.map((i) => each(contains, i)),
      );
      own.annotation = found.length === value.length ? true : found;
      const { minContains = 1, maxContains = Infinity } = node;
      if (found.length < minContains) {
        fail(own, `${found.length} matching items are too few`);
      }
      if (found.length > maxContains) {
        fail(own, `${found.length} matching items are too many`);
      }
    }
  }

  function unevaluated(node: Node, value: unknown, apply: Apply): void {
    const { unevaluatedProperties, unevaluatedItems } = node;
    if (isMembers(value) && unevaluatedProperties !== undefined) {
      const left = unevaluatedNames(closures.collect(without(node)), value);
      eachMember("unevaluatedProperties", unevaluatedProperties, value, left, apply);
    }
    if (Array.isArray(value) && unevaluatedItems !== undefined) {
      const left = unevaluatedIndices(closures.collect(without(node)), value);
      const applied = left.map((i): Applied => [unevaluatedItems, value[i], "", `/${i}`]);
      const [own] = apply("unevaluatedItems", applied, "an unevaluated item does not match");
      if (applied.length > 0) {
        own.annotation = true;
      }
    }
  }

  return schema(root, instance, "", "");
}

type KeywordOf = (name: string) => Evaluation;
/**
 * Evaluates a keyword that applies subschemas; the keyword fails with `error`, if given, unless all
 * of them match.
 */
type Apply = (
  name: string,
  applied: readonly Applied[],
  error?: string,
) => readonly [own: Evaluation, matches: number];

function without(node: Node): Node {
  let bare = withoutOutput.get(node);
  if (bare === undefined) {
    bare = { ...node, unevaluatedProperties: undefined, unevaluatedItems: undefined };
    withoutOutput.set(node, bare);
  }
  return bare;
}

function unitOf(keywordLocation: string, absoluteKeywordLocation: string, at: string): Evaluation {
  return { valid: true, keywordLocation, absoluteKeywordLocation, instanceLocation: at, children: [] };
}

function members(node: Node, value: Members, keyword: KeywordOf, apply: Apply): void {
  const { properties, patternProperties, additionalProperties, propertyNames } = node;
  const need = (name: string, needed: readonly string[]): void => {
    const own = keyword(name);
    const missing = needed.filter((other) => !has(value, other));
    if (missing.length > 0) {
      fail(own, `missing ${missing.map((name) => JSON.stringify(name)).join(", ")}`);
    }
  };
  if (node.required !== undefined) {
    need("required", node.required);
  }
  for (const [name, needed] of node.dependentRequired ?? []) {
    need("dependentRequired", has(value, name) ? needed : []);
  }
  const keys = namesOf(value);
  const rest = new Set(keys);
  const known = (name: string, applied: readonly (readonly [key: string, applied: Applied])[]): void => {
    const [own] = apply(
      name,
      applied.map(([, each]) => each),
      "a property does not match",
    );
    own.annotation = [...new Set(applied.map(([key]) => key))];
    for (const [key] of applied) {
      rest.delete(key);
    }
  };
  const member = (child: Node, key: string, suffix: string): readonly [string, Applied] => [
    key,
    [child, value[key], suffix, tokenOf(key)],
  ];
  if (properties !== undefined) {
    const present = [...properties].filter(([name]) => has(value, name));
    known(
      "properties",
      present.map(([name, child]) => member(child, name, tokenOf(name))),
    );
  }
  if (patternProperties !== undefined) {
    const matched = patternProperties.flatMap(([pattern, child]) =>
      keys.filter((key) => pattern.test(key)).map((key) => member(child, key, tokenOf(pattern.source))),
    );
    known("patternProperties", matched);
  }
  if (additionalProperties !== undefined) {
    eachMember("additionalProperties", additionalProperties, value, [...rest], apply);
  }
  if (propertyNames !== undefined) {
    const applied = keys.map((key): Applied => [propertyNames, key, "", tokenOf(key)]);
    apply("propertyNames", applied, "a property name does not match");
  }
}

function eachMember(name: string, child: Node, value: Members, keys: string[], apply: Apply): void {
  const applied = keys.map((key): Applied => [child, value[key], "", tokenOf(key)]);
  const [own] = apply(name, applied, "a property does not match");
  own.annotation = keys;
}

function inPlace(node: Node, value: unknown, apply: Apply): void {
  const one = (name: string, child: Node | undefined): void => {
    if (child !== undefined) {
      apply(name, [[child, value, "", ""]], "the schema it applies does not match");
    }
  };
  one("$ref", node.ref);
  one(node.names?.["dynamicRef"] ?? "$dynamicRef", node.dynamicRef);
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    const branches = node[name];
    if (branches === undefined) {
      continue;
    }
    const applied = branches.map((branch, i): Applied => [branch, value, `/${i}`, ""]);
    const [own, matches] = apply(name, applied);
    const enough =
      name === "allOf" ? matches === branches.length : name === "anyOf" ? matches > 0 : matches === 1;
    if (!enough) {
      fail(own, `${matches} of ${branches.length} schemas match`);
    }
  }
  if (node.not !== undefined) {
    const [own, matches] = apply("not", [[node.not, value, "", ""]]);
    if (matches > 0) {
      fail(own, "the value matches a schema that it must not match");
    }
  }
  if (node.if !== undefined) {
    const [, matches] = apply("if", [[node.if, value, "", ""]]);
    if (matches > 0) {
      one("then", node.then);
    } else {
      one("else", node.else);
    }
  }
  for (const [name, child] of node.dependentSchemas ?? []) {
    if (!isMembers(value) || !has(value, name)) {
      continue;
    }
    apply("dependentSchemas", [[child, value, tokenOf(name), ""]], "a dependent schema does not match");
  }
}

function tokenOf(name: string): string {
  return `/${escapeToken(name)}`;
}

/** The properties that are present: `undefined` is not JSON. */
function namesOf(value: Members): string[] {
  return Object.keys(value).filter((key) => value[key] !== undefined);
}

function fail(unit: Evaluation, error: string): void {
  unit.valid = false;
  unit.error ??= error;
}

/** The annotations that are for strings only (validation §7.1, §8). */
const contentKeywords = ["format", "contentEncoding", "contentMediaType", "contentSchema"];

/**
 * Annotations of the keywords that assert nothing: metadata, `format`, content, and unknown
 * keywords.
 */
function annotate(node: Node, value: unknown, keyword: KeywordOf): void {
  if (typeof node.schema === "boolean") {
    return;
  }
  const { keywords, legacy } = node.resource.dialect;
  if (legacy && node.schema["$ref"] !== undefined) {
    return;
  }
  for (const [key, annotation] of Object.entries(node.schema)) {
    const aboutText = contentKeywords.includes(key);
    if (keywords.has(key) && !aboutText) {
      continue;
    }
    if (aboutText && typeof value !== "string") {
      continue;
    }
    if (key === "contentSchema" && node.schema["contentMediaType"] === undefined) {
      continue;
    }
    keyword(key).annotation = annotation;
  }
}
