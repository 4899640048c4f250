import { classSpecOf, fieldsOf } from "./metadata.ts";
import type { FieldSpec } from "./shape.ts";
import type { Class } from "./source.ts";

/** Nesting after which a value is taken as it is; validation then refuses it as too deep. */
const MAX_DEPTH = 512;

/**
 * The JSON form of an instance of a class with described fields, or of a plain object with the same fields: names as on
 * the wire, `Date`, `URL`, `Uint8Array` and `bigint` as strings, absent fields left out. What does not fit its field
 * stays as it is, for validation to report. The value itself is not changed.
 */
export function encode(target: Class, value: unknown): unknown {
  return encodeClass(target, value, 0);
}

/** The JSON form of a described value. */
export function encodeValue(spec: FieldSpec, value: unknown, depth: number): unknown {
  if (value === null || value === undefined || depth > MAX_DEPTH) return value;
  const { shape } = spec;
  switch (shape.kind) {
    case "json":
    case "standard":
      return value;
    case "text":
      return shape.codec.accepts(value) ? shape.codec.encode(value) : value;
    case "class":
      return encodeClass(shape.resolve(), value, depth);
    case "array":
      return Array.isArray(value) ? value.map((item) => encodeValue(shape.items, item, depth + 1)) : value;
    case "map":
      return encodeMap(shape.values, value, depth);
    case "union":
      break;
  }
  return encodeUnion(shape.branches, value, depth);
}

function encodeClass(target: Class, value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const source = value as Readonly<Record<string, unknown>>;
  const out: [string, unknown][] = [];
  const fields = fieldsOf(target);
  for (const { key, name, spec } of fields) {
    const member = encodeValue(spec, source[key], depth + 1);
    if (member !== undefined) out.push([name, member]);
  }
  // A plain object shows its other members to validation; an instance has them only if its class is open.
  if (!(value instanceof target) || classSpecOf(target)?.additionalProperties === true) {
    const known = new Set(fields.map(({ key }) => key));
    for (const [key, member] of Object.entries(source)) {
      if (!known.has(key) && member !== undefined) out.push([key, member]);
    }
  }
  return Object.fromEntries(out);
}

function encodeMap(values: FieldSpec, value: unknown, depth: number): unknown {
  if (typeof value !== "object" || Array.isArray(value)) return value;
  const entries = Object.entries(value as object).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([name, member]) => [name, encodeValue(values, member, depth + 1)]));
}

// The branch of the value's own class, else the first that changes something.
function encodeUnion(branches: readonly FieldSpec[], value: unknown, depth: number): unknown {
  for (const branch of branches) {
    if (branch.shape.kind === "class" && value instanceof branch.shape.resolve()) {
      return encodeValue(branch, value, depth);
    }
    if (branch.shape.kind === "text" && branch.shape.codec.accepts(value)) {
      return encodeValue(branch, value, depth);
    }
  }
  for (const branch of branches) {
    if (branch.shape.kind === "class" || branch.shape.kind === "text") continue;
    const encoded = encodeValue(branch, value, depth);
    if (encoded !== value) return encoded;
  }
  return value;
}
