import { costOf, type NamedTool } from "@tenon/host";
import { answerSearch, createToolIndex, searchTools, type ToolIndex } from "@tenon/host/search";

import { formatTime } from "../../format.ts";
import { interleave, type Metrics, type Subject } from "../../runner.ts";
import type { Budget, Suite } from "../../suite.ts";
import { questions, tools } from "./questions.ts";

const candidate = "tenon";
const manyTools = 2000;
const works = {
  build: `index of ${manyTools} tools`,
  search: `search among ${manyTools} tools`,
} as const;

/** As many tools as wanted: those of the servers again and again, under other names. */
function many(): readonly NamedTool[] {
  return Array.from({ length: manyTools }, (_, index) => {
    const { server, name, tool } = tools[index % tools.length] as NamedTool;
    return { server, name: `${name}_${Math.floor(index / tools.length)}`, tool };
  });
}

/** The share of the questions whose tool is among the first five that a search finds. */
export function recallAt5(index: ToolIndex = createToolIndex(tools)): {
  readonly recall: number;
  readonly missed: readonly string[];
} {
  const missed = questions.filter(({ text, tools: wanted }) => {
    const found = index.search(text, 5).map(({ name }) => name);
    return !wanted.some((name) => found.includes(name));
  });
  return { recall: 1 - missed.length / questions.length, missed: missed.map(({ text }) => text) };
}

/** The share of tokens that a search saves: its three definitions, and its answer to a question. */
export function savedTokens(): number {
  const index = createToolIndex(tools);
  const answers = questions.map(({ text }) => {
    const { content } = answerSearch("search_tools", { query: text }, index);
    return JSON.stringify(content).length / 3.7;
  });
  const answer = answers.reduce((sum, tokens) => sum + tokens, 0) / answers.length;
  return 1 - (costOf(searchTools).tokens + answer) / costOf(tools).tokens;
}

/** Whether a search finds what users ask for, and what it costs, against budgets. */
export const search: Suite = {
  name: "search",
  description: "the search over definitions of tools: what it finds, saves and costs",
  async run({ rounds, wants, log }) {
    const all = many();
    const index = createToolIndex(all);
    const build = (): Metrics => {
      const start = performance.now();
      const { size } = createToolIndex(all);
      const ns = (performance.now() - start) * 1e6;
      if (size !== manyTools) {
        throw new Error(`Expected ${manyTools} tools, got ${size}`);
      }
      return { ns };
    };
    const ask = (): Metrics => {
      const start = performance.now();
      const found = questions.filter(({ text }) => index.search(text).length === 5).length;
      const ns = ((performance.now() - start) * 1e6) / questions.length;
      if (found < questions.length * 0.9) {
        throw new Error(`Expected five tools for most questions, got them for ${found}`);
      }
      return { ns };
    };
    const subjects: Subject[] = [
      { candidate, work: works.build, sample: build },
      { candidate, work: works.search, sample: ask },
    ].filter(({ work }) => wants(work));
    const measurements = await interleave(subjects, {
      rounds,
      onRound: (round, of) => log(`round ${round} of ${of}`),
    });
    const limits: ReadonlyMap<string, number> = new Map([
      [works.build, 150e6],
      [works.search, 2e6],
    ]);
    const { recall, missed } = recallAt5();
    const saved = savedTokens();
    const budgets: Budget[] = [
      ...measurements.flatMap(({ work, median }) => {
        const limit = limits.get(work);
        return limit === undefined ? [] : [{ name: `${work}, ns`, actual: median, limit }];
      }),
      { name: "questions whose tool is not among the first five", actual: 1 - recall, limit: 0.1 },
      { name: "tokens of definitions that a search needs", actual: 1 - saved, limit: 0.15 },
    ];
    return {
      tables: [
        {
          title: `a search among the ${tools.length} tools of 38 servers`,
          columns: ["", "found", "budget"],
          rows: [
            ...measurements.map(({ work, median }) => [
              work,
              formatTime(median),
              `at most ${formatTime(limits.get(work) ?? NaN)}`,
            ]),
            [`recall at 5, ${questions.length} questions`, recall.toFixed(3), "at least 0.9"],
            ["tokens saved", `${(saved * 100).toFixed(1)} %`, "at least 85 %"],
          ],
        },
      ],
      measurements,
      budgets,
      notes: missed.map((text) => `Not among the first five: ${text}`),
    };
  },
};
