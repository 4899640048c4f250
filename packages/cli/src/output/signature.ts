import { isRecord } from "@tenon/base";

import { visibleLine } from "./escape.ts";

/** Maximum depth of types in a signature. */
const maxDepth = 3;
const maxMembers = 12;

/** The parameters of a tool: `(path: string, head?: integer)`. */
export function parametersOf(schema: unknown): string {
  if (!isRecord(schema) || !isRecord(schema["properties"])) {
    return "()";
  }
  const root = schema;
  const required = namesIn(schema["required"]);
  const members = Object.entries(schema["properties"]);
  // The required ones come first, as in a call.
  const ordered = [
    ...members.filter(([name]) => required.has(name)),
    ...members.filter(([name]) => !required.has(name)),
  ];
  const shown = ordered
    .slice(0, maxMembers)
    .map(
      ([name, member]) => `${visibleLine(name)}${required.has(name) ? "" : "?"}: ${typeOf(member, root, 1)}`,
    );
  return `(${[...shown, ...(ordered.length > maxMembers ? ["…"] : [])].join(", ")})`;
}

/** The type that a schema describes, in a few words. */
export function typeOf(schema: unknown, root: unknown = schema, depth = 0): string {
  if (schema === true || !isRecord(schema)) {
    return "any";
  }
  if (depth > maxDepth) {
    return "…";
  }
  const reference = schema["$ref"];
  if (typeof reference === "string") {
    return typeOf(resolved(reference, root), root, depth + 1);
  }
  if ("const" in schema) {
    return literal(schema["const"]);
  }
  if (Array.isArray(schema["enum"])) {
    return union(schema["enum"].map((value: unknown) => literal(value)));
  }
  const either = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(either)) {
    return union(either.map((each: unknown) => typeOf(each, root, depth + 1)));
  }
  const { type } = schema;
  return Array.isArray(type)
    ? union(type.map((each: unknown) => ofType(String(each), schema, root, depth)))
    : ofType(typeof type === "string" ? type : "any", schema, root, depth);
}

function ofType(type: string, schema: Record<string, unknown>, root: unknown, depth: number): string {
  if (type === "array") {
    const items = typeOf(schema["items"], root, depth + 1);
    return /[ |]/.test(items) ? `(${items})[]` : `${items}[]`;
  }
  const properties = schema["properties"];
  if (type === "object" && isRecord(properties) && depth < maxDepth) {
    const required = namesIn(schema["required"]);
    const members = Object.entries(properties).map(
      ([name, member]) =>
        `${visibleLine(name)}${required.has(name) ? "" : "?"}: ${typeOf(member, root, depth + 1)}`,
    );
    const shown = members.length > maxMembers ? [...members.slice(0, maxMembers), "…"] : members;
    return shown.length === 0 ? "object" : `{ ${shown.join(", ")} }`;
  }
  return visibleLine(type);
}

function namesIn(list: unknown): ReadonlySet<unknown> {
  return new Set(Array.isArray(list) ? (list as readonly unknown[]) : []);
}

function literal(value: unknown): string {
  return visibleLine(JSON.stringify(value)?.slice(0, 60) ?? "any");
}

function union(types: readonly string[]): string {
  const some = [...new Set(types)];
  return some.length > maxMembers ? `${some.slice(0, maxMembers).join(" | ")} | …` : some.join(" | ");
}

/** A reference inside of the same schema. */
function resolved(reference: string, root: unknown): unknown {
  let found = root;
  for (const part of reference.startsWith("#/") ? reference.slice(2).split("/") : ["?"]) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isRecord(found) ? found[name] : undefined;
  }
  return found;
}
