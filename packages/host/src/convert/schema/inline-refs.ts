import { isRecord } from "@tenon/jsonrpc2/transport";

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** Maximum depth of a converted schema. Deeper subschemas become `{}`. */
const maxDepth = 32;

/**
 * Replaces `#/…` references by their targets, for vendors that do not support `$ref`. A reference
 * to an enclosing schema, a foreign reference, and everything below 32 levels become `{}`. `$defs`
 * are omitted.
 */
export function inlineRefs(root: Schema): Schema {
  const member = (keyword: string, value: unknown, depth: number, above: readonly string[]): unknown => {
    if (instances.has(keyword)) {
      return value;
    }
    // The keys are names here, whatever they look like.
    return named.has(keyword) && isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, depth, above)]))
      : walk(value, depth, above);
  };
  const walk = (value: unknown, depth: number, above: readonly string[]): unknown => {
    if (Array.isArray(value)) {
      return value.map((item) => walk(item, depth + 1, above));
    }
    if (!isRecord(value)) {
      return value;
    }
    if (depth > maxDepth) {
      return {};
    }
    const { $ref, $defs: _, definitions: __, ...rest } = value;
    const inlined = Object.fromEntries(
      Object.entries(rest).map(([keyword, item]) => [keyword, member(keyword, item, depth + 1, above)]),
    );
    if (typeof $ref !== "string") {
      return inlined;
    }
    const target = above.includes($ref) ? undefined : pointTo(root, $ref);
    const found = walk(target ?? {}, depth + 1, [...above, $ref]);
    return { ...(isRecord(found) ? found : {}), ...inlined };
  };
  return walk(root, 0, []) as Schema;
}

/** Keywords whose values are schemas by name. */
const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"]);

/** Keywords whose values are not schemas. */
const instances: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required"]);

function pointTo(root: Schema, ref: string): unknown {
  if (ref !== "#" && !ref.startsWith("#/")) {
    return undefined;
  }
  return ref
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, part) => (isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined),
      root,
    );
}
