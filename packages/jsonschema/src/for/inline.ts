import { SchemaError } from "../error.ts";
import { isJsonObject, type JSONSchema, type JSONSchemaObject } from "../schema.ts";
import { describes, holdsData } from "./keywords.ts";

/** Options of {@link inline}. */
export interface InlineOptions {
  /**
   * What happens to a definition that contains itself, which cannot be written out: `"keep"` leaves the `$ref` and the
   * definition (default), `"loosen"` puts a schema in its place that only says the type.
   */
  readonly recursive?: "keep" | "loosen" | undefined;
  /** The most objects and arrays in the result. Default 10 000. */
  readonly maxNodes?: number | undefined;
}

/** Nesting of the result, references written out. */
const MAX_DEPTH = 512;

interface Inlining {
  readonly root: JSONSchemaObject;
  readonly loosen: boolean;
  /** Definitions that are being written out. */
  readonly open: Set<unknown>;
  readonly kept: Set<string>;
  budget: number;
  depth: number;
}

/**
 * A copy of the schema in which each local `$ref` (`#…`, a JSON Pointer) is replaced by what it names, for clients
 * that cannot follow references. Keywords beside `$ref` win over those of its target, if they only describe; else both
 * stand in `allOf`. Definitions nobody refers to any more are left out. References to other documents and to anchors
 * stay as they are.
 *
 * @throws SchemaError `limit-exceeded` if the result would have more than `maxNodes` nodes, or more than 512
 * levels
 */
export function inline(schema: JSONSchema, options: InlineOptions = {}): JSONSchema {
  if (typeof schema === "boolean") return schema;
  const inlining: Inlining = {
    root: schema,
    loosen: options.recursive === "loosen",
    open: new Set([schema]),
    kept: new Set(),
    budget: options.maxNodes ?? 10_000,
    depth: 0,
  };
  const { $defs, definitions, ...rest } = schema;
  const result = copy(rest, inlining) as JSONSchemaObject;
  return { ...result, ...keep("$defs", $defs, inlining), ...keep("definitions", definitions, inlining) };
}

// A kept definition may refer to more of them, so until nothing new turns up.
function keep(
  keyword: "$defs" | "definitions",
  from: Readonly<Record<string, JSONSchema>> | undefined,
  inlining: Inlining,
): JSONSchemaObject {
  const out: Record<string, JSONSchema> = {};
  const prefix = `#/${keyword}/`;
  for (let found = true; found;) {
    found = false;
    for (const reference of inlining.kept) {
      const [name = ""] = reference.startsWith(prefix) ? reference.slice(prefix.length).split("/") : [];
      const target = from?.[unescape(name)];
      if (target === undefined || Object.hasOwn(out, unescape(name))) continue;
      inlining.open.add(target);
      out[unescape(name)] = copy(target, inlining) as JSONSchema;
      inlining.open.delete(target);
      found = true;
    }
  }
  return Object.keys(out).length === 0 ? {} : { [keyword]: out };
}

function copy(value: unknown, inlining: Inlining): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (--inlining.budget < 0) {
    throw new SchemaError("limit-exceeded", "#", "the schema without references would have too many nodes");
  }
  if (++inlining.depth > MAX_DEPTH) {
    throw new SchemaError("limit-exceeded", "#", `the schema is nested deeper than ${MAX_DEPTH} levels`);
  }
  const copied = Array.isArray(value)
    ? value.map((item: unknown) => copy(item, inlining))
    : copyObject(value as Readonly<Record<string, unknown>>, inlining);
  inlining.depth--;
  return copied;
}

function copyObject(value: Readonly<Record<string, unknown>>, inlining: Inlining): unknown {
  const { $ref, ...rest } = value;
  const beside = Object.fromEntries(
    Object.entries(rest).map(([keyword, member]) => [
      keyword,
      holdsData(keyword) ? structuredClone(member) : copy(member, inlining),
    ]),
  );
  return typeof $ref === "string" ? resolve($ref, beside, inlining) : beside;
}

function resolve(
  reference: string,
  beside: Readonly<Record<string, unknown>>,
  inlining: Inlining,
): Readonly<Record<string, unknown>> {
  const target = lookUp(inlining.root, reference);
  if (target === undefined) return { $ref: reference, ...beside };
  if (inlining.open.has(target)) {
    if (inlining.loosen) return { ...typeOf(target), ...beside };
    inlining.kept.add(reference);
    return { $ref: reference, ...beside };
  }
  inlining.open.add(target);
  const written = copy(target, inlining);
  inlining.open.delete(target);
  if (typeof written === "boolean") return written ? beside : { ...beside, not: {} };
  const asserts = Object.keys(beside).some((keyword) => !describes(keyword));
  if (!asserts) return { ...(written as object), ...beside };
  return { ...beside, allOf: [...((beside["allOf"] as unknown[] | undefined) ?? []), written] };
}

function lookUp(root: JSONSchemaObject, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const segment of reference.slice(2).split("/")) {
    const key = unescape(segment);
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return isJsonObject(at) || typeof at === "boolean" ? at : undefined;
}

function unescape(segment: string): string {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // Not percent-encoded after all.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}

function typeOf(target: unknown): JSONSchemaObject {
  const { type, description } = isJsonObject(target) ? (target as JSONSchemaObject) : {};
  return { ...(type === undefined ? {} : { type }), ...(description === undefined ? {} : { description }) };
}
