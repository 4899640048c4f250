import type { Class } from "../standard/class.ts";
import { chooseBranch } from "./choose.ts";
import { classSpecOf, fieldsOf } from "./metadata.ts";
import type { FieldSpec, Shape } from "./shape.ts";

/** Nesting after which a value is taken as it is; validation then refuses it as too deep. */
const maxDepth = 512;

/**
 * The JSON form of an instance of a class with described fields, or of a plain object with the same
 * fields: names as on the wire, `Date`, `URL`, `Uint8Array` and `bigint` as strings, absent fields
 * left out. A value that does not match its field is kept unchanged for validation to report, and
 * so is a value that contains itself. The argument is not changed.
 */
export function encodeInstance(target: Class, value: unknown): unknown {
  return encodeShape({ kind: "class", resolve: () => target }, value, new Set());
}

/** The JSON form of a described value. */
export function encodeValue({ shape }: Pick<FieldSpec, "shape">, value: unknown): unknown {
  return encodeShape(shape, value, new Set());
}

/** `open` holds the objects and arrays that lead to the value. */
function encodeShape(shape: Shape, value: unknown, open: Set<unknown>): unknown {
  if (value === null || value === undefined) {
    return value;
  }
  switch (shape.kind) {
    case "json":
    case "standard":
      return value;
    case "text":
      return shape.codec.accepts(value) ? shape.codec.encode(value) : value;
    case "union": {
      const branch = chooseBranch(shape.branches, value);
      return branch === undefined
        ? encodeAny(shape.branches, value, open)
        : encodeShape(branch.shape, value, open);
    }
    default:
      break;
  }
  if (typeof value !== "object" || open.has(value) || open.size > maxDepth) {
    return value;
  }
  open.add(value);
  const encoded = encodeContainer(shape, value, open);
  open.delete(value);
  return encoded;
}

function encodeContainer(
  shape: Extract<Shape, { readonly kind: "array" | "class" | "map" }>,
  value: object,
  open: Set<unknown>,
): unknown {
  if (shape.kind === "array") {
    return Array.isArray(value) ? value.map((item) => encodeShape(shape.items.shape, item, open)) : value;
  }
  if (Array.isArray(value)) {
    return value;
  }
  if (shape.kind === "class") {
    return encodeClass(shape.resolve(), value, open);
  }
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.map(([name, member]) => [name, encodeShape(shape.values.shape, member, open)]),
  );
}

function encodeClass(target: Class, value: object, open: Set<unknown>): unknown {
  const out = new Map<string, unknown>();
  const fields = fieldsOf(target);
  for (const { key, name, spec } of fields) {
    const member = encodeShape(spec.shape, fieldOf(value, key), open);
    if (member !== undefined) {
      out.set(name, member);
    }
  }
  // A plain object shows its other properties to validation; an instance has them only if its class
  // is open.
  if (!(value instanceof target) || classSpecOf(target)?.additionalProperties === true) {
    const known = new Set(fields.map(({ key }) => key));
    for (const [key, member] of Object.entries(value)) {
      if (!known.has(key) && member !== undefined && !out.has(key)) {
        out.set(key, member);
      }
    }
  }
  return Object.fromEntries(out);
}

/** The value of a field. Properties that every object inherits are ignored. */
export function fieldOf(value: object, key: string): unknown {
  if (key in Object.prototype && !Object.hasOwn(value, key)) {
    return undefined;
  }
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** For lists, maps and unions in a union: the first branch that changes something. */
function encodeAny(branches: readonly FieldSpec[], value: unknown, open: Set<unknown>): unknown {
  for (const { shape } of branches) {
    if (shape.kind === "class") {
      continue;
    }
    const encoded = encodeShape(shape, value, open);
    if (encoded !== value) {
      return encoded;
    }
  }
  return value;
}
