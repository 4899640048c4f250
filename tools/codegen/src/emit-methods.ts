import type { RevisionRows } from "./emit-docs.ts";
import { deprecationTag, docText } from "./emit-types.ts";
import type { MethodRow } from "./methods.ts";
import type { Definitions } from "./schema.ts";

/**
 * The interfaces `Methods` and `Notifications`: what each method takes and gives, for the type
 * checker.
 *
 * @param typesModule - What the types of params and results are imported from.
 */
export function emitMethodTypes(
  rows: readonly MethodRow[],
  definitions: Definitions,
  label: string,
  typesModule = "./types.ts",
): string {
  const requests = rows.filter((row) => row.kind === "request");
  const notifications = rows.filter((row) => row.kind === "notification");
  return [
    importTypes(rows, typesModule),
    `/**\n * Requests of ${label}: who sends it, its params, its final result, and everything that may come as an answer (a task or\n * a request for input besides the result, where the method allows them).\n */`,
    "export interface Methods {",
    ...requests.flatMap((row) => [...comment(row, definitions), ...member(row)]),
    "}",
    "",
    `/** Notifications of ${label}: who sends it and its params. */`,
    "export interface Notifications {",
    ...notifications.flatMap((row) => [...comment(row, definitions), ...member(row)]),
    "}",
    "",
  ].join("\n");
}

/**
 * The revision whose table another one extends: the one before, if it has no method that the later
 * one lacks. Who loads both then loads the rows that are the same once.
 */
export function extendedBy(
  rows: readonly MethodRow[],
  before: RevisionRows | undefined,
): RevisionRows | undefined {
  const methods = new Set(rows.map(({ method }) => method));
  return before?.rows.every(({ method }) => methods.has(method)) === true ? before : undefined;
}

/**
 * The runtime table of one revision.
 *
 * @param base - The revision that it extends, whose table is `before` where this goes.
 */
export function emitMethodTable({ rows, revision }: RevisionRows, base: RevisionRows | undefined): string {
  const known = new Set(base?.rows.map((row) => entry(row)));
  return [
    `/** Every method and notification of ${revision}. A method that is not here does not exist in this revision. */`,
    // Bundlers would not remove an object with a spread.
    "export const methods: { readonly [M in keyof Methods | keyof Notifications]: MethodInfo } = /* @__PURE__ */ (() => ({",
    ...(base === undefined ? [] : ["  ...before,"]),
    ...rows.map((row) => entry(row)).filter((text) => !known.has(text)),
    "}))();",
    "",
  ].join("\n");
}

/** The facts about the methods of one document, as constants that need no other module. */
export function emitMethodConstants(
  rows: readonly MethodRow[],
  { label }: { readonly label: string },
): string {
  return [
    `/** Every method and notification of ${label}: who sends it, and which capability it needs. */`,
    "export const methods = {",
    ...rows.map(entry),
    "} as const;",
    "",
  ].join("\n");
}

function importTypes(rows: readonly MethodRow[], from: string): string {
  const names = rows.flatMap((row) => [row.params, ...(row.kind === "request" ? answersOf(row) : [])]);
  const list = [...new Set(names.filter((name) => name !== undefined))].sort();
  return `import type {\n${list.map((name) => `  ${name},\n`).join("")}} from "${from}";\n`;
}

/** Names of the definitions that may answer a request. */
export function answersOf(row: MethodRow): string[] {
  return [
    row.result ?? "EmptyResult",
    ...(row.task ? ["CreateTaskResult"] : []),
    ...(row.inputRequired ? ["InputRequiredResult"] : []),
  ];
}

function member(row: MethodRow): string[] {
  const sentBy = row.sentBy === "either" ? `"client" | "server"` : `"${row.sentBy}"`;
  const fields = [`sentBy: ${sentBy};`, `params: ${row.params ?? "undefined"};`];
  if (row.kind === "request") {
    fields.push(`result: ${row.result ?? "EmptyResult"};`, `answer: ${answersOf(row).join(" | ")};`);
  }
  return [`  "${row.method}": {`, ...fields.map((field) => `    ${field}`), "  };"];
}

function comment(row: MethodRow, definitions: Definitions): string[] {
  const description = definitions[row.definition]?.["description"];
  const tag = row.deprecated === undefined ? "" : deprecationTag(row.deprecated);
  const text = [typeof description === "string" ? description : "", tag]
    .filter((part) => part !== "")
    .join("\n\n");
  const lines = text === "" ? [] : docText(text, ".").split("\n");
  if (lines.length === 0) {
    return [];
  }
  if (lines.length === 1) {
    return [`  /** ${lines[0]} */`];
  }
  return ["  /**", ...lines.map((line) => `   * ${line}`.trimEnd()), "   */"];
}

function entry(row: MethodRow): string {
  const fields: [string, unknown][] = [
    ["kind", row.kind],
    ["sentBy", row.sentBy],
    ["requires", Object.keys(row.requires).length > 0 ? row.requires : undefined],
    ["embedded", row.embedded || undefined],
    ["cacheable", row.cacheable || undefined],
    ["inputRequired", row.inputRequired || undefined],
    ["task", row.task || undefined],
    ["header", row.header],
    ["filter", row.filter],
    ["change", row.change],
    ["invalidates", row.invalidates],
    ["hook", row.hook],
    ["repeatable", row.repeatable || undefined],
    ["polled", row.polled || undefined],
    ["coalesceBy", row.coalesceBy],
    ["stateBy", row.stateBy],
    ["undoes", row.undoes],
  ];
  const written = fields
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${literal(value)}`);
  const line = `  "${row.method}": { ${written.join(", ")} },`;
  return line.length <= 110
    ? line
    : `  "${row.method}": {\n${written.map((field) => `    ${field},\n`).join("")}  },`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(literal).join(", ")}]`;
  }
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value);
  }
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name}: ${literal(inner)}`)
    .join(", ")} }`;
}
