import { compareDefinitions } from "./compare.ts";
import type { Difference } from "./compare.ts";
import { hoist } from "./hoist.ts";
import { methodTable } from "./methods.ts";
import type { MethodRow } from "./methods.ts";
import { prepare } from "./prepare.ts";
import type { NamedRevision } from "./read-revision.ts";
import type { Repository, RevisionSource } from "./repository.ts";

/**
 * What changed between two revisions or documents, as Markdown tables: methods, then
 * definitions and fields.
 */
export function diffRevisions(repository: Repository, before: NamedRevision, after: NamedRevision): string {
  const methods = diffMethods(rowsOf(before, repository), rowsOf(after, repository));
  const structure = compareDefinitions(before.document.definitions, after.document.definitions).map(
    (difference): [string, string] => [placeOf(difference), difference.detail],
  );
  return [
    `# ${before.label} → ${after.label}`,
    "",
    ...table(["method", "change"], methods),
    "",
    ...table(["place", "change"], structure),
    "",
  ].join("\n");
}

function rowsOf(source: RevisionSource, repository: Repository): MethodRow[] {
  return methodTable(hoist(prepare(source, repository)), source.revision, repository);
}

function diffMethods(before: readonly MethodRow[], after: readonly MethodRow[]): [string, string][] {
  const names = [...new Set([...before, ...after].map((row) => row.method))].sort();
  return names.flatMap((name): [string, string][] => {
    const old = before.find((row) => row.method === name);
    const now = after.find((row) => row.method === name);
    if (old === undefined) {
      return [[name, "added"]];
    }
    if (now === undefined) {
      return [[name, "removed"]];
    }
    const changes = facts(now).filter((fact) => !facts(old).includes(fact));
    const gone = facts(old).filter((fact) => !facts(now).includes(fact));
    const text = [...gone.map((fact) => `no longer ${fact}`), ...changes.map((fact) => `now ${fact}`)].join(
      "; ",
    );
    return text === "" ? [] : [[name, text]];
  });
}

function facts(row: MethodRow): string[] {
  return [
    `sent by ${row.sentBy === "either" ? "either side" : `the ${row.sentBy}`}`,
    ...Object.entries(row.requires).map(([side, path]) => `requires ${side} capability ${path}`),
    ...(row.embedded ? ["embedded in an input request"] : []),
    ...(row.cacheable ? ["cacheable"] : []),
    ...(row.inputRequired ? ["able to ask for input"] : []),
    ...(row.task ? ["able to become a task"] : []),
    ...(row.header === undefined ? [] : [`mirrored in a header (${row.header})`]),
    ...(row.filter === undefined ? [] : [`subject to the filter ${row.filter}`]),
  ];
}

/** `["Tool", "properties", "icons", "items"]` as people write it: `Tool.icons`. */
function placeOf(difference: Difference): string {
  const words: string[] = [];
  for (let index = 0; index < difference.steps.length; index += 1) {
    const step = difference.steps[index] ?? "";
    if (step === "properties" && index + 1 < difference.steps.length) {
      index += 1;
      words.push(`.${difference.steps[index]}`);
    } else if (index === 0) {
      words.push(step);
    } else if (step === "items") {
      words.push("[]");
    } else if (step === "additionalProperties") {
      words.push("{}");
    }
  }
  return words.join("");
}

function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string[] {
  if (rows.length === 0) {
    return [`No ${head[0]} changed.`];
  }
  const width = Math.max(head[0].length, ...rows.map(([place]) => place.length + 2));
  const line = (place: string, change: string): string => `| ${place.padEnd(width)} | ${change} |`;
  return [
    line(...head),
    `| ${"-".repeat(width)} | --- |`,
    ...rows.map(([place, change]) => line(`\`${place}\``, change.replaceAll("|", "\\|"))),
  ];
}
