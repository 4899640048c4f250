import { visible } from "../output/escape.ts";
import { choiceOf, type EvalReport } from "./report.ts";

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color-scheme:light dark}
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8886;vertical-align:top}
td.number{text-align:right}code{font-size:.9em;overflow-wrap:anywhere}.good{color:#1a7f37}.bad{color:#b42318}
@media(prefers-color-scheme:dark){.good{color:#56d364}.bad{color:#ff8a80}}`;

/** The report as a page without scripts. */
export function reportPage({
  target,
  models,
  scores,
  changes,
  changedChoices,
  percent,
  isRepeated,
}: EvalReport): string {
  const sums = models.map((sum) =>
    row([
      text(sum.model),
      `${sum.passed} of ${sum.runs}`,
      `${sum.rightTools} of ${sum.runs}`,
      `${sum.rightArguments} of ${sum.runs}`,
      String(sum.calls),
      String(sum.inputTokens),
      String(sum.outputTokens),
    ]),
  );
  const runs = scores.map((score) =>
    row([
      text(score.ask),
      text(score.model),
      String(score.repetition),
      score.passed ? '<span class="good">passed</span>' : `<span class="bad">${text(score.problem)}</span>`,
      `<code>${text(choiceOf(score))}</code>`,
    ]),
  );
  const changed = changes.map(({ name, path, message }) =>
    row([text(name), `<code>${text(path)}</code>`, text(message)]),
  );
  const choices = changedChoices.map(({ ask, model, before, after }) =>
    row([text(ask), text(model), `<code>${text(before)}</code>`, `<code>${text(after)}</code>`]),
  );
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>Evaluation of ${text(target)}</title><style>${style}</style>`,
    `<h1>Evaluation of ${text(target)}</h1>`,
    `<p>${percent} % of ${scores.length} runs passed${isRepeated ? ", with recorded responses" : ""}.</p>`,
    tableOf(["Model", "Passed", "Right tools", "Right arguments", "Calls", "Tokens in", "Tokens out"], sums),
    ...(changed.length === 0
      ? []
      : ["<h2>Changes of the tools</h2>", tableOf(["Tool", "Part", "Change"], changed)]),
    ...(choices.length === 0
      ? []
      : ["<h2>Changed choices</h2>", tableOf(["Prompt", "Model", "Recorded", "Now"], choices)]),
    "<h2>Runs</h2>",
    tableOf(["Prompt", "Model", "Repetition", "Result", "Calls"], runs),
    "</html>\n",
  ].join("\n");
}

function tableOf(titles: readonly string[], rows: readonly string[]): string {
  return `<table><thead><tr>${titles.map((title) => `<th scope="col">${title}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function text(value: string): string {
  return visible(value).replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
