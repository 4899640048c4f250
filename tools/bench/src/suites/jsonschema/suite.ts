import { formatRatio, formatTime } from "../../format.ts";
import { type Measurement, find, interleave, ratio } from "../../runner.ts";
import { geometricMean } from "../../stats.ts";
import type { Budget, Report, Suite } from "../../suite.ts";
import type { Table } from "../../table.ts";
import type { Case } from "./case.ts";
import { argumentCases } from "./cases/arguments.ts";
import { mcpCases } from "./cases/mcp.ts";
import { unionCases } from "./cases/unions.ts";
import { baseline, engines } from "./engines.ts";
import { type Qualified, qualify } from "./qualify.ts";
import { type Kind, subjectsOf, workName } from "./subjects.ts";

/** A column of the scoreboard: a kind of work on some of the cases. */
interface Column {
  readonly title: string;
  readonly kind: Kind;
  readonly wants: (test: Case) => boolean;
}

const scoreboard: readonly Column[] = [
  { title: "valid", kind: "valid", wants: () => true },
  { title: "all errors, flat", kind: "errors", wants: ({ kind }) => kind === "flat" },
  { title: "all errors, unions", kind: "errors", wants: ({ kind }) => kind === "union" },
  { title: "compile + first check", kind: "compile", wants: () => true },
];

/** Budgets, as ratios to the baseline. */
const limits: readonly (readonly [candidate: string, column: string, limit: number])[] = [
  ["tenon codegen", "valid", 0.4],
  ["tenon closures", "valid", 1],
  ["tenon closures", "all errors, flat", 3],
  ["tenon closures", "all errors, unions", 1],
  ["tenon codegen", "all errors, flat", 3],
  ["tenon codegen", "all errors, unions", 1],
  ["tenon closures", "compile + first check", 0.03],
  ["tenon codegen", "compile + first check", 0.15],
];

const metric = "ns";

/** The ratios to the baseline in a column, for the cases in which both answer right. */
function ratios(
  measurements: readonly Measurement[],
  cases: readonly Case[],
  candidate: string,
  column: Column,
): number[] {
  return cases.filter(column.wants).flatMap((test) => {
    const work = workName(column.kind, test.name);
    const own = find(measurements, { candidate, work, metric });
    const base = find(measurements, { candidate: baseline.name, work, metric });
    return own !== undefined && base !== undefined ? [ratio(own, base)] : [];
  });
}

function summaryTable(
  measurements: readonly Measurement[],
  cases: readonly Case[],
  names: readonly string[],
): Table {
  return {
    title: `time relative to ${baseline.name}, geometric mean over ${cases.length} cases (in brackets: over how many, if not all)`,
    columns: ["", ...scoreboard.map(({ title }) => title)],
    rows: names.map((name) => [
      name,
      ...scoreboard.map((column) => {
        const found = ratios(measurements, cases, name, column);
        const all = cases.filter(column.wants).length;
        return `${formatRatio(geometricMean(found))}${found.length < all ? ` (${found.length})` : ""}`;
      }),
    ]),
  };
}

function detailTable(
  measurements: readonly Measurement[],
  cases: readonly Case[],
  names: readonly string[],
  kind: Kind,
): Table {
  const title = {
    valid: "a valid instance",
    errors: "all errors of an invalid instance",
    compile: "compile + first check",
  };
  return {
    title: `${title[kind]}: median of the rounds`,
    columns: ["", ...names],
    rows: cases.map((test) => [
      test.name,
      ...names.map((candidate) => {
        const found = find(measurements, { candidate, work: workName(kind, test.name), metric });
        return found === undefined ? "–" : formatTime(found.median);
      }),
    ]),
  };
}

function budgets(
  measurements: readonly Measurement[],
  cases: readonly Case[],
  names: readonly string[],
): Budget[] {
  return limits.flatMap(([candidate, title, limit]) => {
    const column = scoreboard.find((one) => one.title === title);
    if (column === undefined || !names.includes(candidate)) {
      return [];
    }
    const wanted = cases.filter(column.wants).length;
    if (wanted === 0) {
      return [];
    }
    const found = ratios(measurements, cases, candidate, column);
    const missing = found.length < wanted ? ` (only ${found.length} of ${wanted} cases)` : "";
    const actual = geometricMean(found);
    return [{ name: `${candidate}, ${title}, relative to ${baseline.name}${missing}`, actual, limit }];
  });
}

/**
 * Validators of JSON Schema 2020-12 on arguments as MCP tools have them, and on the protocol's own
 * schema.
 */
export const jsonschema: Suite = {
  name: "jsonschema",
  description: "JSON Schema validators: valid instances, all errors, compile time",
  async run({ rounds = 5, windowMs = 10, wants, log }): Promise<Report> {
    const notes: string[] = [];
    const mcp = mcpCases();
    if (mcp.length === 0) {
      notes.push("the MCP schema is not there (set TENON_SHARED): its cases were skipped");
    }
    const everyCase = [...argumentCases, ...unionCases, ...mcp];
    const caseWanted = everyCase.some(({ name }) => wants(name));
    const cases = caseWanted ? everyCase.filter(({ name }) => wants(name)) : everyCase;
    const engineWanted = engines.some(({ name }) => wants(name));
    const chosen = engines.filter((engine) => engine === baseline || !engineWanted || wants(engine.name));
    const qualified: Qualified[] = [];
    for (const test of cases) {
      for (const engine of chosen) {
        const result = await qualify(engine, test);
        if (typeof result === "string") {
          notes.push(result);
        } else {
          qualified.push(result);
        }
      }
    }
    const measurements = await interleave(
      qualified.flatMap((one) => subjectsOf(one, windowMs)),
      { rounds, onRound: (round, all) => log(round < 1 ? "warming up" : `round ${round} of ${all}`) },
    );
    const names = chosen.map(({ name }) => name);
    return {
      tables: [
        summaryTable(measurements, cases, names),
        ...(["valid", "errors", "compile"] as const).map((kind) =>
          detailTable(measurements, cases, names, kind),
        ),
      ],
      measurements,
      budgets: budgets(measurements, cases, names),
      notes,
    };
  },
};
