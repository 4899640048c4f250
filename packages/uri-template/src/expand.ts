import { encodeReserved, encodeUnreserved, truncate } from "./encode.ts";
import { UriTemplateError } from "./error.ts";
import { type OperatorRule, operators } from "./operator.ts";
import type { Expression, Part, VariableSpec } from "./syntax.ts";
import type { Scalar } from "./values.ts";

type Pair = readonly [key: string | undefined, value: string];

function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

// A `Date`, a `Map` or a `URL` has no own properties and would be omitted silently.
function isListOrMap(value: unknown): value is object {
  return Array.isArray(value) || Object.prototype.toString.call(value) === "[object Object]";
}

/** The defined elements of a list, or properties of a map. */
function members(name: string, value: object): Pair[] {
  const list = Array.isArray(value);
  const pairs: Pair[] = [];
  for (const [key, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined || member === null) {
      continue;
    }
    if (!isScalar(member)) {
      throw invalid(name, "items that are strings, numbers or booleans", member);
    }
    pairs.push([list ? undefined : key, String(member)]);
  }
  return pairs;
}

function invalid(name: string, expected: string, value: unknown): UriTemplateError {
  const kind = Array.isArray(value)
    ? "a list"
    : typeof value === "object"
      ? Object.prototype.toString.call(value)
      : typeof value;
  return new UriTemplateError("invalid-value", `Expected ${expected} for variable "${name}", got ${kind}`);
}

/** The value with its name, where the operator writes names. */
function label(rule: OperatorRule, name: string, value: string): string {
  if (!rule.named) {
    return value;
  }
  return value === "" ? name + rule.ifEmpty : `${name}=${value}`;
}

/** The text of one variable, or `undefined` when it is not defined (RFC 6570 §3.2.1). */
function expandVariable(rule: OperatorRule, spec: VariableSpec, value: unknown): string | undefined {
  const { name, prefix } = spec;
  const encode = rule.reserved ? encodeReserved : encodeUnreserved;
  if (value === undefined || value === null) {
    return undefined;
  }
  if (isScalar(value)) {
    const text = String(value);
    return label(rule, name, encode(prefix === undefined ? text : truncate(text, prefix, rule.reserved)));
  }
  if (!isListOrMap(value)) {
    throw invalid(name, "text, a number, a boolean, a list or a map", value);
  }
  if (prefix !== undefined) {
    throw invalid(name, "one value, because of its prefix modifier,", value);
  }
  const pairs = members(name, value);
  if (pairs.length === 0) {
    return undefined;
  }
  if (!spec.explode) {
    const flat = pairs.flatMap(([key, text]) => (key === undefined ? [text] : [key, text]));
    return label(rule, name, flat.map(encode).join(","));
  }
  return pairs
    .map(([key, text]) =>
      key === undefined || rule.named
        ? label(rule, key === undefined ? name : encode(key), encode(text))
        : `${encode(key)}=${encode(text)}`,
    )
    .join(rule.separator);
}

function expandExpression(expression: Expression, values: Readonly<Record<string, unknown>>): string {
  const rule = operators[expression.operator];
  const texts = expression.variables
    .map((spec) =>
      expandVariable(rule, spec, Object.hasOwn(values, spec.name) ? values[spec.name] : undefined),
    )
    .filter((text) => text !== undefined);
  return texts.length === 0 ? "" : rule.first + texts.join(rule.separator);
}

/**
 * Expands a parsed template (RFC 6570 §3). Only own properties of `values` count.
 *
 * @throws UriTemplateError `invalid-value` for a value that is not a string, number, boolean, or a
 *   flat list or map of them.
 */
export function expandParts(parts: readonly Part[], values: Readonly<Record<string, unknown>>): string {
  return parts.map((part) => (typeof part === "string" ? part : expandExpression(part, values))).join("");
}
