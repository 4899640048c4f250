import type { Closures } from "../closures/compile.ts";
import { nothingEvaluated } from "../closures/evaluated.ts";
import { absoluteLocation, type Node } from "../ir/node.ts";
import { assertionsOf } from "../report/assertion.ts";
import { escapeToken } from "../resolve/pointer.ts";
import { has } from "../value/members.ts";

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

/** Evaluates every keyword and branch, and collects annotations (core §7.7). The plain interpreter of the IR. */
export function evaluate(root: Node, instance: unknown, closures: Closures): Evaluation {
  const isObject = (value: unknown): value is Members =>
    typeof value === "object" && value !== null && !Array.isArray(value);

  function schema(node: Node, value: unknown, path: string, at: string): Evaluation {
    const unit: Evaluation = {
      valid: true,
      keywordLocation: path,
      absoluteKeywordLocation: absoluteLocation(node),
      instanceLocation: at,
      children: [],
    };
    if (node.schema === false) fail(unit, "no value is allowed here");
    if (typeof node.schema === "boolean") return unit;

    const keyword = (name: string): Evaluation => {
      const written = node.names?.[name] ?? name;
      const child: Evaluation = {
        valid: true,
        keywordLocation: `${path}/${written}`,
        absoluteKeywordLocation: absoluteLocation(node, written),
        instanceLocation: at,
        children: [],
      };
      unit.children.push(child);
      return child;
    };
    const nested = (parent: Evaluation, child: Node, value: unknown, suffix: string, at: string): boolean => {
      const result = schema(child, value, parent.keywordLocation + suffix, at);
      parent.children.push(result);
      return result.valid;
    };

    for (const { keyword: name, test, received, message } of assertionsOf(node)) {
      const own = keyword(name);
      if (!test(value)) fail(own, message(received(value)));
    }
    if (isObject(value)) members(node, value, at, keyword, nested);
    if (Array.isArray(value)) items(node, value, at, keyword, nested);
    inPlace(node, value, at, keyword, nested);
    if (isObject(value) && node.unevaluatedProperties !== undefined) {
      const evaluated = nothingEvaluated();
      closures.collect({ ...node, unevaluatedProperties: undefined })(value, evaluated);
      const left = evaluated.everyName ? [] : Object.keys(value).filter((key) => !evaluated.names.has(key));
      eachMember(keyword("unevaluatedProperties"), node.unevaluatedProperties, value, left, at, nested);
    }
    if (Array.isArray(value) && node.unevaluatedItems !== undefined) {
      const evaluated = nothingEvaluated();
      closures.collect({ ...node, unevaluatedItems: undefined })(value, evaluated);
      const own = keyword("unevaluatedItems");
      let any = false;
      for (let i = evaluated.prefix; i < value.length; i++) {
        if (evaluated.everyItem || evaluated.indices.has(i)) continue;
        any = true;
        if (!nested(own, node.unevaluatedItems, value[i], "", `${at}/${i}`))
          fail(own, "an unevaluated item does not match");
      }
      if (any) own.annotation = true;
    }
    unit.valid = unit.children.every((child) => child.valid);
    if (unit.valid) annotate(node, value, unit, keyword);
    if (!unit.valid) fail(unit, "the value does not match the schema");
    return unit;
  }

  function members(node: Node, value: Members, at: string, keyword: KeywordOf, nested: Nested): void {
    const { properties, patternProperties, additionalProperties, propertyNames } = node;
    if (node.required !== undefined) {
      const own = keyword("required");
      const missing = node.required.filter((name) => !has(value, name));
      if (missing.length > 0) fail(own, `missing ${missing.map((name) => JSON.stringify(name)).join(", ")}`);
    }
    for (const [name, needed] of node.dependentRequired ?? []) {
      const own = keyword("dependentRequired");
      const missing = has(value, name) ? needed.filter((other) => !has(value, other)) : [];
      if (missing.length > 0) fail(own, `missing ${missing.map((name) => JSON.stringify(name)).join(", ")}`);
    }
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    const rest = new Set(keys);
    if (properties !== undefined) {
      const own = keyword("properties");
      const present = [...properties].filter(([name]) => has(value, name));
      own.annotation = present.map(([name]) => name);
      for (const [name, child] of present) {
        rest.delete(name);
        const token = `/${escapeToken(name)}`;
        if (!nested(own, child, value[name], token, at + token)) fail(own, "a property does not match");
      }
    }
    if (patternProperties !== undefined) {
      const own = keyword("patternProperties");
      const matched = new Set<string>();
      for (const [pattern, child] of patternProperties) {
        for (const key of keys.filter((key) => pattern.test(key))) {
          matched.add(key);
          rest.delete(key);
          const suffix = `/${escapeToken(pattern.source)}`;
          if (!nested(own, child, value[key], suffix, `${at}/${escapeToken(key)}`))
            fail(own, "a property does not match");
        }
      }
      own.annotation = [...matched];
    }
    if (additionalProperties !== undefined) {
      eachMember(keyword("additionalProperties"), additionalProperties, value, [...rest], at, nested);
    }
    if (propertyNames !== undefined) {
      const own = keyword("propertyNames");
      for (const key of keys) {
        if (!nested(own, propertyNames, key, "", `${at}/${escapeToken(key)}`))
          fail(own, "a property name does not match");
      }
    }
  }

  function items(
    node: Node,
    value: readonly unknown[],
    at: string,
    keyword: KeywordOf,
    nested: Nested,
  ): void {
    const prefix = node.prefixItems ?? [];
    if (node.prefixItems !== undefined) {
      const own = keyword("prefixItems");
      const count = Math.min(prefix.length, value.length);
      for (let i = 0; i < count; i++) {
        const child = prefix[i];
        if (child !== undefined && !nested(own, child, value[i], `/${i}`, `${at}/${i}`))
          fail(own, "an item does not match");
      }
      if (count > 0) own.annotation = count === value.length ? true : count - 1;
    }
    if (node.items !== undefined) {
      const own = keyword("items");
      for (let i = prefix.length; i < value.length; i++) {
        own.annotation = true;
        if (!nested(own, node.items, value[i], "", `${at}/${i}`)) fail(own, "an item does not match");
      }
    }
    if (node.contains !== undefined) {
      const own = keyword("contains");
      const check = closures.check(node.contains);
      const found = value.flatMap((item, i) => (check(item) ? [i] : []));
      for (const i of found) nested(own, node.contains, value[i], "", `${at}/${i}`);
      own.annotation = found.length === value.length ? true : found;
      if (found.length < (node.minContains ?? 1)) fail(own, `${found.length} matching items are too few`);
      if (found.length > (node.maxContains ?? Infinity))
        fail(own, `${found.length} matching items are too many`);
    }
  }

  function inPlace(node: Node, value: unknown, at: string, keyword: KeywordOf, nested: Nested): void {
    if (node.ref !== undefined) applied(keyword("$ref"), node.ref, value, at, nested);
    if (node.dynamicRef !== undefined) {
      applied(keyword(node.names?.["dynamicRef"] ?? "$dynamicRef"), node.dynamicRef, value, at, nested);
    }
    for (const name of ["allOf", "anyOf", "oneOf"] as const) {
      const branches = node[name];
      if (branches === undefined) continue;
      const own = keyword(name);
      const matches = branches.filter((branch, i) => nested(own, branch, value, `/${i}`, at)).length;
      const enough =
        name === "allOf" ? matches === branches.length : name === "anyOf" ? matches > 0 : matches === 1;
      if (!enough) fail(own, `${matches} of ${branches.length} schemas match`);
    }
    if (node.not !== undefined) {
      const own = keyword("not");
      if (nested(own, node.not, value, "", at))
        fail(own, "the value matches a schema that it must not match");
    }
    if (node.if !== undefined) {
      const met = nested(keyword("if"), node.if, value, "", at);
      if (met && node.then !== undefined) applied(keyword("then"), node.then, value, at, nested);
      if (!met && node.else !== undefined) applied(keyword("else"), node.else, value, at, nested);
    }
    if (!isObject(value)) return;
    for (const [name, child] of node.dependentSchemas ?? []) {
      if (!has(value, name)) continue;
      const own = keyword("dependentSchemas");
      if (!nested(own, child, value, `/${escapeToken(name)}`, at))
        fail(own, "a dependent schema does not match");
    }
  }

  return schema(root, instance, "", "");
}

type KeywordOf = (name: string) => Evaluation;
type Nested = (parent: Evaluation, child: Node, value: unknown, suffix: string, at: string) => boolean;

function applied(own: Evaluation, child: Node, value: unknown, at: string, nested: Nested): void {
  if (!nested(own, child, value, "", at)) fail(own, "the schema it applies does not match");
}

function eachMember(
  own: Evaluation,
  child: Node,
  value: Members,
  keys: string[],
  at: string,
  nested: Nested,
): void {
  const named = keys.filter((key) => value[key] !== undefined);
  own.annotation = named;
  for (const key of named) {
    if (!nested(own, child, value[key], "", `${at}/${escapeToken(key)}`)) {
      fail(own, `the property ${JSON.stringify(key)} does not match`);
    }
  }
}

function fail(unit: Evaluation, error: string): void {
  unit.valid = false;
  unit.error ??= error;
}

/** Annotations of the keywords that assert nothing: metadata, `format`, content, and keywords nobody knows. */
function annotate(node: Node, value: unknown, _unit: Evaluation, keyword: KeywordOf): void {
  if (typeof node.schema === "boolean") return;
  const { keywords, legacy } = node.resource.dialect;
  if (legacy && node.schema["$ref"] !== undefined) return;
  for (const [key, annotation] of Object.entries(node.schema)) {
    const known = keywords.get(key);
    if (known !== undefined && !ANNOTATIONS.has(key)) continue;
    if (key.startsWith("content") && typeof value !== "string") continue;
    if (key === "contentSchema" && node.schema["contentMediaType"] === undefined) continue;
    if (key === "format" && typeof value !== "string") continue;
    keyword(key).annotation = annotation;
  }
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  "format",
  "title",
  "description",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
  "examples",
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
]);
