import type { Measurement } from "../../runner.ts";
import type { Budget, Report, Suite } from "../../suite.ts";
import { groupsOf, remotes, type Draft, type Group, type Part } from "./cases.ts";
import { engines, type Engine, type Setting } from "./engines.ts";

const drafts: readonly Draft[] = ["draft2020-12", "draft7"];
const parts: readonly Part[] = ["required", "optional", "format"];

/** How many instances a validator answers right; one that throws does not. */
function countRight(engine: Engine, groups: readonly Group[], setting: Setting): number {
  let right = 0;
  for (const { schema, tests } of groups) {
    let is: ((instance: unknown) => boolean) | undefined;
    try {
      is = engine.compile(schema, setting);
    } catch {
      // No validator, no right answers.
    }
    for (const { data, valid } of tests) {
      try {
        if (is !== undefined && is(data) === valid) {
          right++;
        }
      } catch {
        // An exception is no answer.
      }
    }
  }
  return right;
}

/**
 * The official test suite of JSON Schema, counted for us and for the validators of the official MCP
 * SDK.
 */
export const jsonSchemaSuite: Suite = {
  name: "json-schema-suite",
  description: "the official JSON Schema test suite: how many cases each validator answers right",
  run({ wants }): Promise<Report> {
    const rows: string[][] = [];
    const measurements: Measurement[] = [];
    const budgets: Budget[] = [];
    const known = groupsOf("draft2020-12", "required") === undefined ? undefined : remotes();
    for (const { name, compile } of known === undefined ? [] : engines) {
      if (!wants(name)) {
        continue;
      }
      const row = [name];
      for (const draft of drafts) {
        let [all, total] = [0, 0];
        for (const part of parts) {
          const groups = groupsOf(draft, part) ?? [];
          const size = groups.reduce((sum, { tests }) => sum + tests.length, 0);
          const setting = { draft, assertFormats: part !== "required", remotes: known ?? {} };
          const right = countRight({ name, compile }, groups, setting);
          row.push(`${right} of ${size}`);
          all += right;
          total += size;
        }
        const work = `${draft}, wrong answers`;
        const wrong = total - all;
        measurements.push({
          candidate: name,
          work,
          metric: "cases",
          samples: [wrong],
          median: wrong,
          min: wrong,
        });
        if (name.startsWith("tenon")) {
          budgets.push({ name: `${name}, ${work}`, actual: wrong, limit: 0 });
        }
      }
      rows.push(row);
    }
    const columns = ["", ...drafts.flatMap((draft) => parts.map((part) => `${draft} ${part}`))];
    return Promise.resolve({
      tables: [{ title: "right answers", columns, rows }],
      measurements,
      budgets,
      notes: known === undefined ? ["the test suite is not there: set TENON_SHARED"] : [],
    });
  },
};
