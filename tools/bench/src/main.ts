import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { numbersOf, recordNumbers } from "./history/history.ts";
import { environment, isKept, renderReport } from "./report.ts";
import { recordSpeed } from "./speed/record.ts";
import { suites } from "./suites.ts";

const usage = `npm run bench -- <suite> [options]

Suites:
${[...suites.values()].map(({ name, description }) => `  ${name.padEnd(12)} ${description}`).join("\n")}

Options:
  --json <file>    write all samples as JSON
  --only <regexp>  only candidates and works whose name matches; the baseline always runs
  --rounds <n>     counted rounds
  --window <ms>    length of a sample
  --seed <n>       seed of what is random (soak); default 1
  --check          exit with 1 when a budget is missed
  --release <v>    write the numbers that are kept for each release into history.json, in the line of this version
  --speed          write the rows of README's table "Speed" that this suite measures into speed.json`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: "string" },
      only: { type: "string" },
      rounds: { type: "string" },
      window: { type: "string" },
      seed: { type: "string" },
      check: { type: "boolean", default: false },
      release: { type: "string" },
      speed: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [name = ""] = positionals;
  const suite = suites.get(name);
  if (suite === undefined || values.help) {
    console.log(usage);
    return values.help || name === "" ? 0 : 2;
  }
  const only = new RegExp(values.only ?? "", "u");
  const number = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : Number(text);
  const machine = environment();
  const report = await suite.run({
    rounds: number(values.rounds),
    windowMs: number(values.window),
    seed: number(values.seed),
    wants: (candidate) => only.test(candidate),
    log: (text) => void process.stderr.write(`${text}\n`),
  });
  console.log(renderReport(report, machine));
  if (values.json !== undefined) {
    const file = resolve(process.env["INIT_CWD"] ?? process.cwd(), values.json);
    writeFileSync(file, `${JSON.stringify({ suite: name, machine, ...report }, undefined, 2)}\n`);
  }
  if (values.release !== undefined) {
    recordNumbers(values.release, name, numbersOf(name, report));
  }
  if (values.speed) {
    recordSpeed(name, report.measurements, machine);
  }
  return values.check && !report.budgets.every(isKept) ? 1 : 0;
}

process.exitCode = await main();
