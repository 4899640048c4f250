import { describes, mapParts, references, somePart } from "../dialect/schema-parts.ts";
import { SchemaError } from "../error.ts";
import { decodeFragment, pointerTokens } from "../reference/pointer.ts";
import type { JSONSchema, JSONSchemaObject, RawSchema } from "../schema.ts";
import { isMembers } from "../value/members.ts";

/** Options of {@link inline}. */
export interface InlineOptions {
  /**
   * The treatment of a recursive definition, which cannot be inlined: `"keep"` leaves the `$ref`
   * and the definition (default), `"loosen"` replaces it by a schema that contains only the type.
   */
  readonly recursive?: "keep" | "loosen" | undefined;
  /**
   * The most objects and arrays in the result, those that hold schemas by name not counted.
   * Default: `10_000`.
   */
  readonly maxNodes?: number | undefined;
}

/** Nesting of the result, references written out. */
const maxDepth = 512;

/** Keywords by which the schema they stand in can be referred to. */
const names = ["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"];

interface Inlining {
  readonly root: JSONSchemaObject;
  readonly loosen: boolean;
  /** In draft-07 a reference hides what stands beside it. */
  readonly legacy: boolean;
  /** Definitions that are being written out. */
  readonly open: Set<unknown>;
  /** Definitions that stay, as `$defs/name` or `definitions/name`. */
  readonly kept: Set<string>;
  /** Whether there is a name in a schema: it must not be in the result twice. */
  readonly named: (schema: unknown) => boolean;
  budget: number;
  depth: number;
}

/**
 * A copy of the schema in which each local `$ref` (`#…`, a JSON Pointer) is replaced by its target,
 * for clients that cannot resolve references. Describing keywords next to `$ref` override the
 * keywords of the target; otherwise both are combined by `allOf`. Unused definitions are omitted.
 * References by a name (a URI, an anchor, a dynamic reference), and references to definitions that
 * contain one, stay unchanged; in this case all definitions are preserved.
 *
 * @throws SchemaError `limit-exceeded` if the result would have more than `maxNodes` nodes, or more
 *   than 512 levels
 */
export function inline(schema: JSONSchema, options: InlineOptions = {}): JSONSchema {
  if (typeof schema === "boolean") {
    return schema;
  }
  const inlining: Inlining = {
    root: schema,
    loosen: options.recursive === "loosen",
    legacy: schema.$schema?.includes("draft-07") === true,
    open: new Set([schema]),
    kept: new Set(),
    named: createNameSearch(),
    budget: options.maxNodes ?? 10_000,
    depth: 0,
  };
  const { $defs: _defs, definitions: _definitions, ...rest } = schema;
  const result = copySchema({ ...rest }, inlining);
  return { ...result, ...keptDefinitions(inlining) };
}

// A kept definition may lead to more of them: the set grows while it is walked through.
function keptDefinitions(inlining: Inlining): Readonly<Record<string, unknown>> {
  const out: Record<string, (readonly [name: string, schema: unknown])[]> = {};
  for (const place of inlining.kept) {
    const slash = place.indexOf("/");
    const [keyword, name] = [place.slice(0, slash), place.slice(slash + 1)];
    const target = lookUp(inlining.root, [keyword, name]);
    inlining.open.add(target);
    (out[keyword] ??= []).push([name, copy(target, inlining)]);
    inlining.open.delete(target);
  }
  return Object.fromEntries(
    Object.entries(out).map(([keyword, entries]) => [keyword, Object.fromEntries(entries)]),
  );
}

/** Keeps all definitions for a reference by name, which may lead to any of them. */
function keepAll({ root, kept, named }: Inlining): void {
  if (!named(root)) {
    return;
  }
  for (const keyword of ["$defs", "definitions"] as const) {
    for (const name of Object.keys(root[keyword] ?? {})) {
      kept.add(`${keyword}/${name}`);
    }
  }
}

function copy(value: unknown, inlining: Inlining): unknown {
  return descend(value, inlining, copy, (schema) => {
    if (typeof schema["$id"] !== "string") {
      return copySchema(schema, inlining);
    }
    // References inside a resource of its own lead into it, and outside by URI.
    keepAll(inlining);
    return copyMembers(schema, inlining);
  });
}

function copyData(value: unknown, inlining: Inlining): unknown {
  return descend(value, inlining, copyData, (data) => copyMembers(data, inlining));
}

function copyMembers(data: RawSchema, inlining: Inlining): RawSchema {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [name, copyData(value, inlining)]));
}

function descend(
  value: unknown,
  inlining: Inlining,
  item: (value: unknown, inlining: Inlining) => unknown,
  object: (value: RawSchema) => unknown,
): unknown {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (--inlining.budget < 0) {
    throw new SchemaError("limit-exceeded", "#", "the schema without references would have too many nodes");
  }
  if (++inlining.depth > maxDepth) {
    throw new SchemaError("limit-exceeded", "#", `the schema is nested deeper than ${maxDepth} levels`);
  }
  const copied = Array.isArray(value)
    ? value.map((each) => item(each, inlining))
    : object(value as RawSchema);
  inlining.depth--;
  return copied;
}

function copySchema(schema: RawSchema, inlining: Inlining): RawSchema {
  if (references.some((keyword) => keyword !== "$ref" && schema[keyword] !== undefined)) {
    keepAll(inlining);
  }
  const copied = mapParts(
    schema,
    (part) => copy(part, inlining),
    (data) => copyData(data, inlining),
  );
  const { $ref, ...beside } = copied;
  return typeof $ref === "string" ? resolve($ref, beside, inlining) : copied;
}

function resolve(reference: string, beside: RawSchema, inlining: Inlining): RawSchema {
  const { open, kept, named } = inlining;
  const stays = { $ref: reference, ...beside };
  const pointer = reference.startsWith("#") ? decodeFragment(reference.slice(1)) : undefined;
  // Any other fragment is the name of an anchor.
  const tokens = pointer === "" || pointer?.startsWith("/") === true ? pointerTokens(pointer) : undefined;
  const target = tokens === undefined ? undefined : lookUp(inlining.root, tokens);
  if (tokens === undefined || target === undefined) {
    keepAll(inlining);
    return stays;
  }
  if (inlining.loosen && open.has(target)) {
    return { ...typeOf(target), ...beside };
  }
  if (open.has(target) || named(target)) {
    const [keyword, name] = tokens;
    if (keyword === "$defs" || keyword === "definitions") {
      kept.add(`${keyword}/${name ?? ""}`);
    }
    return stays;
  }
  open.add(target);
  const written = copy(target, inlining) as RawSchema | boolean;
  open.delete(target);
  const asserting = Object.keys(beside).filter((keyword) => !describes(keyword));
  if (typeof written === "boolean") {
    return written ? beside : { ...beside, not: {} };
  }
  if (asserting.length === 0) {
    return { ...written, ...beside };
  }
  if (inlining.legacy) {
    return { ...written, ...without(beside, asserting) };
  }
  return { ...beside, allOf: [...((beside["allOf"] as unknown[] | undefined) ?? []), written] };
}

function without(members: RawSchema, names: readonly string[]): RawSchema {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}

function createNameSearch(): Inlining["named"] {
  const known = new Map<object, boolean>();

  function named(part: unknown, depth: number): boolean {
    if (Array.isArray(part)) {
      return part.some((item) => named(item, depth + 1));
    }
    if (!isMembers(part)) {
      return false;
    }
    let found = known.get(part);
    if (found !== undefined) {
      return found;
    }
    // Copying refuses what is nested deeper.
    found = depth > maxDepth || names.some((keyword) => part[keyword] !== undefined);
    known.set(part, (found ||= somePart(part, (inner) => named(inner, depth + 1))));
    return found;
  }

  return (schema) => named(schema, 0);
}

function lookUp(root: JSONSchemaObject, tokens: readonly string[]): RawSchema | boolean | undefined {
  let at: unknown = root;
  for (const key of tokens) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) {
      return undefined;
    }
    at = (at as RawSchema)[key];
  }
  return isMembers(at) || typeof at === "boolean" ? at : undefined;
}

function typeOf(target: unknown): JSONSchemaObject {
  const { type, description } = isMembers(target) ? (target as JSONSchemaObject) : {};
  return { ...(type === undefined ? {} : { type }), ...(description === undefined ? {} : { description }) };
}
