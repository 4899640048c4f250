import { isRecord } from "./meta.ts";

/** A parameter of a tool that a header repeats. */
export interface ParamHeader {
  /** As the schema writes it. */
  readonly name: string;
  /** The keys that lead to the parameter. */
  readonly path: readonly string[];
  readonly type: "string" | "integer" | "boolean";
}

/** What the annotations of a schema say: the headers, or what is wrong with them. */
export type ParamHeaders =
  | { readonly headers: readonly ParamHeader[]; readonly problem?: undefined }
  | { readonly headers?: undefined; readonly problem: string };

const annotation = "x-mcp-header";
const tchar = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const maxDepth = 64;

const none: ParamHeaders = { headers: [] };
const known = new WeakMap<object, ParamHeaders>();

/** Reads the `x-mcp-header` annotations of an input schema, once per schema object (R-316…R-319). */
export function paramHeadersOf(schema: object): ParamHeaders {
  let found = known.get(schema);
  if (found === undefined) {
    found = read(schema);
    known.set(schema, found);
  }
  return found;
}

function read(schema: object): ParamHeaders {
  // Schemas without annotations are the rule; looking for the word is faster than walking.
  if (!JSON.stringify(schema).includes(annotation)) {
    return none;
  }
  const headers: ParamHeader[] = [];
  const problem = walk(schema, [], headers) ?? misplaced(schema, headers.length) ?? duplicate(headers);
  return problem === undefined ? { headers } : { problem };
}

/** Follows `properties` alone. */
function walk(schema: unknown, path: readonly string[], headers: ParamHeader[]): string | undefined {
  if (!isRecord(schema) || path.length > maxDepth) {
    return undefined;
  }
  if (Object.hasOwn(schema, annotation)) {
    const header = readAnnotation(schema, path);
    if (typeof header === "string") {
      return header;
    }
    headers.push(header);
  }
  const { properties } = schema;
  if (!isRecord(properties)) {
    return undefined;
  }
  for (const [key, property] of Object.entries(properties)) {
    const problem = walk(property, [...path, key], headers);
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function readAnnotation(
  schema: Readonly<Record<string, unknown>>,
  path: readonly string[],
): ParamHeader | string {
  const name = schema[annotation];
  const { type } = schema;
  const where = path.length === 0 ? "the schema itself" : path.join(".");
  if (typeof name !== "string" || !tchar.test(name)) {
    return `${annotation} of ${where} is no header name`;
  }
  if (path.length === 0 || (type !== "string" && type !== "integer" && type !== "boolean")) {
    return `${annotation} of ${where} is on something other than a string, an integer or a boolean`;
  }
  return { name, path, type };
}

/** Annotations in other places than those that were found by following `properties`. */
function misplaced(schema: object, found: number): string | undefined {
  let count = 0;
  const visit = (value: unknown, inProperties: boolean, depth: number): void => {
    if (typeof value !== "object" || value === null || depth > 4 * maxDepth) {
      return;
    }
    for (const [key, child] of Object.entries(value)) {
      // A parameter may well be called like the annotation.
      count += key === annotation && !inProperties ? 1 : 0;
      visit(child, key === "properties" && !inProperties, depth + 1);
    }
  };
  visit(schema, false, 0);
  return count > found
    ? `${annotation} is on something that is not reached through properties alone`
    : undefined;
}

function duplicate(headers: readonly ParamHeader[]): string | undefined {
  const names = new Set(headers.map(({ name }) => name.toLowerCase()));
  return names.size < headers.length ? `two parameters have the same ${annotation}` : undefined;
}

/** The value at a path, `undefined` if there is none. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isRecord(current) || !Object.hasOwn(current, key)) {
      return undefined;
    }
    current = current[key];
  }
  return current;
}
