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
  const problem = visit(schema, root, 0);
  return problem === undefined ? { parameters } : { problem };

  /** @param way - `undefined` below a keyword other than `properties`. */
  function visit(node: unknown, way: Way | undefined, depth: number): string | undefined {
    // Called for each value of a schema when a tool is added.
    if (typeof node !== "object" || node === null || depth > maxDepth) {
      return undefined;
    }
    let problem: string | undefined;
    if (Array.isArray(node)) {
      for (let i = 0; i < node.length && problem === undefined; i++) {
        problem = visit(node[i], undefined, depth + 1);
      }
      return problem;
    }
    const record = node as Readonly<Record<string, unknown>>;
    if (keyword in record) {
      problem = annotation(record, way);
    }
    for (const key of Object.keys(record)) {
      const value = record[key];
      if (problem !== undefined || typeof value !== "object" || data.has(key)) {
        continue;
      }
      problem =
        maps.has(key) && isRecord(value)
          ? visitMembers(value, key === "properties" ? way : undefined, depth + 1)
          : visit(value, undefined, depth + 1);
    }
    return problem;
  }

  function visitMembers(
    schemas: Readonly<Record<string, unknown>>,
    way: Way | undefined,
    depth: number,
  ): string | undefined {
    let problem: string | undefined;
    for (const name of Object.keys(schemas)) {
      problem ??= visit(schemas[name], way && { name, above: way }, depth);
    }
    return problem;
  }

  function annotation(node: Readonly<Record<string, unknown>>, way: Way | undefined): string | undefined {
    const { [keyword]: name, type } = node;
    if (typeof name !== "string" || !token.test(name)) {
      return `${keyword} must be the name of a header (letters, digits and !#$%&'*+-.^_\`|~); got ${JSON.stringify(name)}`;
    }
    if (way === undefined || way === root) {
      return `${keyword} ${JSON.stringify(name)} must annotate a property that is reached through "properties" alone`;
    }
    if (!types.has(type)) {
      return `${keyword} ${JSON.stringify(name)} must annotate a property of type string, integer or boolean; got ${JSON.stringify(type)}`;
    }
    if (names.has(name.toLowerCase())) {
      return `${keyword} ${JSON.stringify(name)} occurs twice`;
    }
    names.add(name.toLowerCase());
    parameters.push({ name, path: pathOf(way), type: type as HeaderParameter["type"] });
    return undefined;
  }
}
/** The property names that lead to a schema: the last one, and those before it. */
interface Way {
  readonly name: string;
  readonly above: Way | undefined;
}

const root: Way = { name: "", above: undefined };

function pathOf({ name, above }: Way): string[] {
  return above === undefined ? [] : [...pathOf(above), name];
}
