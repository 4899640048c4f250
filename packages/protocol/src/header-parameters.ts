/** An argument that HTTP clients repeat in the header `Mcp-Param-<name>` (2026-07-28). @source R-316 */
export interface HeaderParameter {
  /** As written in the schema. Header names compare without regard to case. */
  readonly name: string;
  /** The property names that lead to the argument. */
  readonly path: readonly string[];
  readonly type: "string" | "integer" | "boolean";
}

/** What {@link findHeaderParameters} found: parameters, or why the schema must not be used. */
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
 * The `x-mcp-header` annotations of an input schema: each names a token, no two of them the same one, and stands on a `string`, `integer` or `boolean` property
 * that is reached from the root through `properties` alone.
 *
 * @source R-317…R-319
 */
export function findHeaderParameters(schema: unknown): HeaderParameters {
  const parameters: HeaderParameter[] = [];
  const names = new Set<string>();
  const problem = visit(schema, [], 0);
  return problem === undefined ? { parameters } : { problem };

  /** @param path - `undefined` below a keyword other than `properties`. */
  function visit(node: unknown, path: readonly string[] | undefined, depth: number): string | undefined {
    if (Array.isArray(node)) {
      return firstProblem(node, (item) => visit(item, undefined, depth + 1));
    }
    if (!isRecord(node) || depth > maxDepth) {
      return undefined;
    }
    return (
      (keyword in node ? annotation(node, path) : undefined) ??
      firstProblem(Object.entries(node), ([key, value]) => {
        if (data.has(key)) {
          return undefined;
        }
        if (!maps.has(key) || !isRecord(value)) {
          return visit(value, undefined, depth + 1);
        }
        const below = (name: string): readonly string[] | undefined =>
          key === "properties" && path !== undefined ? [...path, name] : undefined;
        return firstProblem(Object.entries(value), ([name, child]) => visit(child, below(name), depth + 1));
      })
    );
  }

  function annotation(
    node: Record<string, unknown>,
    path: readonly string[] | undefined,
  ): string | undefined {
    const { [keyword]: name, type } = node;
    if (typeof name !== "string" || !token.test(name)) {
      return `${keyword} must be the name of a header (letters, digits and !#$%&'*+-.^_\`|~); got ${JSON.stringify(name)}`;
    }
    if (path === undefined || path.length === 0) {
      return `${keyword} ${JSON.stringify(name)} must stand on a property that is reached through "properties" alone`;
    }
    if (!types.has(type)) {
      return `${keyword} ${JSON.stringify(name)} must stand on a property of type string, integer or boolean; got ${JSON.stringify(type)}`;
    }
    if (names.has(name.toLowerCase())) {
      return `${keyword} ${JSON.stringify(name)} is there twice`;
    }
    names.add(name.toLowerCase());
    parameters.push({ name, path, type: type as HeaderParameter["type"] });
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function firstProblem<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = find(item);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}
