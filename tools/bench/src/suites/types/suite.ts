import { instantiationsPerTool, registration, toolShapes } from "@tenon/test-support/instantiations";

import type { Measurement } from "../../runner.ts";
import type { Report, Suite } from "../../suite.ts";

const copies = 100;
const limit = 300;

/** What the types of a tool cost the compiler. The counts are the same in every run. */
export const types: Suite = {
  name: "types",
  description: "type instantiations of the compiler for a tool of each style",
  async run({ wants, log }): Promise<Report> {
    const measurements: Measurement[] = [];
    for (const [work, shape] of Object.entries(toolShapes).filter(([name]) => wants(name))) {
      log(work);
      const registrations = Array.from({ length: copies }, (_, copy) => registration(shape, copy));
      const count = await instantiationsPerTool(registrations);
      const metric = "instantiations";
      measurements.push({ candidate: "tenon", work, metric, samples: [count], median: count, min: count });
    }
    return {
      tables: [
        {
          title: "type instantiations for a tool",
          columns: ["", "instantiations"],
          rows: measurements.map(({ work, median }) => [work, String(Math.round(median))]),
        },
      ],
      measurements,
      budgets: measurements.map(({ work, median }) => ({ name: work, actual: median, limit })),
      notes: [],
    };
  },
};
