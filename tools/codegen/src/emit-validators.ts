import type { JSONSchema } from "@tenon/jsonschema";
import { toModule } from "@tenon/jsonschema/aot";

import { CodegenError } from "./error.ts";
import type { MethodRow } from "./methods.ts";
import { stripProse } from "./prose.ts";
import { stringsOf } from "./schema.ts";
import type { Definitions } from "./schema.ts";

const documentUri = "tenon:schema";

/**
 * The module of validators of one revision: a check per params and result definition, written ahead
 * of time by our own schema compiler, and `checkParams` and `checkResult`, which find the check by
 * method.
 *
 * @throws CodegenError `unsupported_schema` when the checks would need more than plain code: the
 *   package has no dependencies
 */
export function emitValidators(rows: readonly MethodRow[], definitions: Definitions): string {
  const names = rows.flatMap((row) => [row.params, ...(row.kind === "request" ? resultsOf(row) : [])]);
  const roots = [...new Set(names.filter((name) => name !== undefined))].sort();
  const text = toModule(
    Object.fromEntries(roots.map((name) => [name, { $ref: `${documentUri}#/$defs/${name}` }])),
    { schemas: { [documentUri]: documentOf(definitions) }, language: "ts" },
  );
  if (/^import /m.test(text)) {
    throw new CodegenError(
      "unsupported_schema",
      `the validators need helpers: ${/^import .*$/m.exec(text)?.[0]}`,
    );
  }
  return [
    `import { ${helpersOf(rows).join(", ")} } from "../../verdict.ts";`,
    `import type { Checks, Verdict } from "../../verdict.ts";`,
    "",
    text.replace(/^\/\/.*\n/, "").trimEnd(),
    "",
    ...table("params", rows, (row) => paramsCheck(row, definitions)),
    "",
    ...table(
      "results",
      rows.filter((row) => row.kind === "request"),
      resultCheck,
    ),
    "",
    "/** Whether `value` is what the params of `method` have to be; `undefined` stands for no params. */",
    "export function checkParams(method: string, value: unknown): Verdict {",
    "  return verdictOf(params, method, value, lastFailure);",
    "}",
    "",
    "/**",
    " * Whether `value` may answer the request `method`: its result or, where the method allows them, a request for input or a",
    " * created task.",
    " */",
    "export function checkResult(method: string, value: unknown): Verdict {",
    "  return verdictOf(results, method, value, lastFailure);",
    "}",
    "",
  ].join("\n");
}

/**
 * All definitions as one document. A JSON value may be anything that can arrive: what is checked
 * has been parsed from JSON, so looking at each member of it would find nothing.
 */
function documentOf(definitions: Definitions): JSONSchema {
  const known = stripProse(definitions);
  return { $defs: "JSONValue" in known ? { ...known, JSONValue: {} } : known };
}

function helpersOf(rows: readonly MethodRow[]): string[] {
  const asksForInput = rows.some((row) => row.inputRequired) ? ["asksForInput"] : [];
  const hasTask = rows.some((row) => row.task) ? ["hasTask"] : [];
  return [...asksForInput, ...hasTask, "verdictOf"];
}

function resultsOf(row: MethodRow): string[] {
  return [
    row.result ?? "EmptyResult",
    ...(row.task ? ["CreateTaskResult"] : []),
    ...(row.inputRequired ? ["InputRequiredResult"] : []),
  ];
}

function table(name: string, rows: readonly MethodRow[], check: (row: MethodRow) => string): string[] {
  return [`const ${name}: Checks = {`, ...rows.map((row) => `  "${row.method}": ${check(row)},`), "};"];
}

function paramsCheck(row: MethodRow, definitions: Definitions): string {
  if (row.params === undefined) {
    return "(value) => value === undefined";
  }
  const required = stringsOf(definitions[row.definition] ?? {}, "required").includes("params");
  return required ? `is${row.params}` : `(value) => value === undefined || is${row.params}(value)`;
}

/**
 * The discriminator decides which answer a value is meant to be, so that its faults are reported as
 * faults of that answer.
 */
function resultCheck(row: MethodRow): string {
  const final = `is${row.result ?? "EmptyResult"}`;
  if (!row.task && !row.inputRequired) {
    return final;
  }
  const task = row.task ? "hasTask(value) ? isCreateTaskResult(value) : " : "";
  const input = row.inputRequired ? "asksForInput(value) ? isInputRequiredResult(value) : " : "";
  return `(value) => ${input}${task}${final}(value)`;
}
