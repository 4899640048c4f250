import { isRecord } from "@tenon/base";

/**
 * An argument that HTTP clients repeat in the header `Mcp-Param-<name>` (2026-07-28).
 *
 * @source R-316
 */
export interface HeaderParameter {
  /** As written in the schema. Header names compare without regard to case. */
  readonly name: string;
  /** The property names that lead to the argument. */
  readonly path: readonly string[];
  readonly type: "string" | "integer" | "boolean";
}

/**
 * The result of {@link findHeaderParameters}: parameters, or the reason why the schema must not be
 * used.
 */
export type HeaderParameters =
  | { readonly parameters: readonly HeaderParameter[]; readonly problem?: undefined }
  | { readonly parameters?: undefined; readonly problem: string };

const keyword = "x-mcp-header";
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types = new Set<unknown>(["string", "integer", "boolean"]);
/** Keywords whose value is data, not a schema. */
const data = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose value maps names to schemas. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const maxDepth = 64;

/**
 * Returns the `x-mcp-header` annotations of an input schema. Each must name a token that is unique
 * in the schema, and annotate a `string`, `integer` or `boolean` property that is reached from the
 * root only through `properties`.
 *
 * @source R-317…R-319
 */
export function findHeaderParameters(schema: unknown): HeaderParameters {
  const parameters: HeaderParameter[] = [];
  const names = new Set<string>();
  const problem = visit(schema, [], 0);
  return problem === undefined ? { parameters } : { problem };

  /** @param path - The path of a property; `[]` for the root; `undefined` for other schemas. */
  function visit(node: unknown, path: readonly string[] | undefined, depth: number): string | undefined {
    // Called for each value of a schema when a tool is added.
    if (typeof node !== "object" || node === null || depth > maxDepth) {
      return undefined;
    }
    const record = node as Readonly<Record<string, unknown>>;
    let problem = keyword in node ? annotation(record, path) : undefined;
    for (const key of Object.keys(node)) {
      const value = record[key];
      if (problem !== undefined || typeof value !== "object" || data.has(key)) {
        continue;
      }
      if (!maps.has(key) || !isRecord(value)) {
        problem = visit(value, undefined, depth + 1);
        continue;
      }
      const inner = key === "properties" ? path : undefined;
      for (const name of Object.keys(value)) {
        problem ??= visit(value[name], inner && [...inner, name], depth + 1);
      }
    }
    return problem;
  }

  function annotation(
    { [keyword]: name, type }: Readonly<Record<string, unknown>>,
    path: readonly string[] = [],
  ): string | undefined {
    const found = `${keyword} ${JSON.stringify(name)}`;
    if (typeof name !== "string" || !token.test(name)) {
      return `${found} must be the name of a header (letters, digits, -)`;
    }
    if (path.length === 0) {
      return `${found} must annotate a property that is reached through "properties" alone`;
    }
    if (!types.has(type)) {
      return `${found} must annotate a property of type string, integer or boolean; got ${JSON.stringify(type)}`;
    }
    if (names.has(name.toLowerCase())) {
      return `${found} occurs twice`;
    }
    names.add(name.toLowerCase());
    parameters.push({ name, path, type: type as HeaderParameter["type"] });
    return undefined;
  }
}
