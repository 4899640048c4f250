// npm test: everything that must hold. The last line counts the checks and the tests.
// After a run, only what depends on changed files is due. `-- --all` runs everything again, as CI and a fresh clone do.
// npm run test:full: everything, with all samples of the property tests, drawn anew.
import { fork } from "node:child_process";
import { randomInt } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";

import { budget, crowded, watchSpeed } from "./budget.mjs";
import { undeclaredReads } from "./reads.mjs";
import { openRecord, units } from "./units.mjs";
import { install, preparePath, root } from "./workspace.mjs";

const output = join(root, "coverage");
const report = join(output, "tests.json");
const reads = join(output, "reads.log");
const fileCosts = join(output, "costs.tsv");

const isFull = process.argv.includes("--full");
if (isFull) {
  const seed = (process.env["TENON_SEED"] ??= String(randomInt(2 ** 31)));
  process.env["TENON_SAMPLES"] = "all";
  process.env["TENON_READS"] = reads;
  process.stdout.write(`The property tests draw all samples by the seed ${seed}. To repeat them: `);
  process.stdout.write(`TENON_SEED=${seed} npm run test:full\n`);
}

await install();
await preparePath();
mkdirSync(output, { recursive: true });
rmSync(report, { force: true });
rmSync(reads, { force: true });
rmSync(fileCosts, { force: true });
process.env["TENON_COSTS"] = fileCosts;

const all = units(root);
const record = openRecord(root);
if (isFull || process.argv.includes("--all") || process.env["CI"] !== undefined) {
  record.clear();
}
/** @param {import("./units.mjs").Unit} unit */
const isMember = ({ name, directory }) => name === directory;
/** @param {import("./units.mjs").Unit} unit */
const isPublished = ({ directory }) => directory.startsWith("packages/") || directory === "tools/codegen";
const members = all.filter(isMember);
const tested = all.filter(({ tests }) => tests.length > 0);
const due = {
  packages: record.due("packages", members.filter(isPublished)),
  types: record.due("types", members),
  lint: record.due("lint", members),
  conformance: record.due(
    "conformance",
    members.filter(({ directory }) => directory === "tools/conformance"),
  ),
  tests: record.due("tests", tested),
};
const isWhole =
  due.lint.length === members.length && due.tests.length === tested.length && due.conformance.length === 1;

let passed = 0;
let failed = 0;
let skipped = 0;
/** @type {[name: string, seconds: number, cpuSeconds: number | undefined][]} */
const costs = [];

const endWatch = watchSpeed();
await Promise.all([check("format", ["oxfmt", "--check"]), check("build", ["node", "tools/run/build.mjs"])]);
await check("pack", ["node", "tools/run/packages.mjs", "pack"]);
process.env["TENON_PACKS"] = join(root, ".packs");
// The tests wait for other processes a fifth of their time, so the other checks run beside them, one after the other.
await Promise.all([checkTests(), checkOthers()]);
checkCosts();

if (!isWhole) {
  const unchanged = tested.length - due.tests.length;
  const note = `${unchanged} of ${tested.length} units of tests are as they were when they passed here, and did not run again`;
  process.stdout.write(`\n${note}: npm test -- --all runs everything.\n`);
}
process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed === 0 ? 0 : 1;

async function checkOthers() {
  const lint = ["oxlint", "--type-aware", "--deny-warnings"];
  const isAll = due.lint.length === members.length;
  await checkDue("packages", ["node", "tools/run/packages.mjs", "check", ...directoriesOf(due.packages)]);
  await checkDue("types", ["npm", "run", "typecheck", "--silent"]);
  await checkDue("lint", isAll ? lint : [...lint, ...directoriesOf(due.lint)]);
  await check("rules", ["npm", "run", "rules", "--silent"]);
  await checkDue("conformance", ["node", "tools/run/conformance.mjs"]);
}

/** @param {readonly import("./units.mjs").Unit[]} some */
function directoriesOf(some) {
  return some.map(({ directory }) => directory);
}

/**
 * Runs a check that members are due for, and records that they passed.
 *
 * @param {"packages" | "types" | "lint" | "conformance"} name
 * @param {readonly string[]} command
 */
async function checkDue(name, command) {
  if (due[name].length > 0 && (await check(name, command))) {
    record.add(name, due[name]);
  }
}

/** Runs the tests of the members that are due by one vitest, which compiles a source once for all of them. */
async function checkTests() {
  if (due.tests.length === 0) {
    return;
  }
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const chosen = due.tests.flatMap(({ tests }) => tests);
  const isAll = due.tests.length === tested.length;
  const ok = await check("tests", ["vitest", "run", ...reporters, ...(isAll ? [] : chosen)]);
  const results = readResults();
  passed += results.numPassedTests;
  skipped += results.numPendingTests + results.numTodoTests;
  // A run that fails without a failed test (a file that does not load, an unhandled rejection) is a failure all the same.
  failed += ok ? 0 : Math.max(1, results.numFailedTests);
  // A run that fails as a whole may have cut off files that its report calls passed.
  if (ok) {
    record.add("tests", due.tests);
  }
  for (const problem of undeclaredReads(root, reads, all)) {
    process.stdout.write(`${problem}\n`);
    failed++;
  }
}

/**
 * Runs a check. Only the tests print while they run: what the others print is shown when they end.
 *
 * @param {string} name
 * @param {readonly string[]} command
 * @returns {Promise<boolean>} Whether it passed.
 */
async function check(name, command) {
  const file = name === "tests" ? undefined : join(output, `${name}.log`);
  const started = performance.now();
  const { code, cpuSeconds } = await measured(command, file);
  const seconds = (performance.now() - started) / 1000;
  costs.push([name, seconds, cpuSeconds]);
  const printed = file === undefined ? "" : readFileSync(file, "utf8");
  const verdict = code === 0 ? "passed" : "FAILED";
  process.stdout.write(`\n── ${name}\n${printed}── ${name}: ${verdict} in ${seconds.toFixed(1)} s\n`);
  if (name !== "tests") {
    count(code === 0);
  }
  return code === 0;
}

/** @param {boolean} ok */
function count(ok) {
  passed += ok ? 1 : 0;
  failed += ok ? 0 : 1;
}

/**
 * @param {readonly string[]} command
 * @param {string | undefined} file - Takes what the command prints.
 * @returns {Promise<{ code: number, cpuSeconds: number | undefined }>}
 */
function measured(command, file) {
  return new Promise((resolve, reject) => {
    const log = file === undefined ? "inherit" : openSync(file, "w");
    const child = fork(join(root, "tools/run/measure.mjs"), command, {
      cwd: root,
      env: { ...process.env, DO_NOT_TRACK: "1" },
      stdio: ["ignore", log, log, "ipc"],
    });
    if (typeof log === "number") {
      closeSync(log);
    }
    /** @type {number | undefined} */
    let cpuSeconds;
    child.once("message", (message) => {
      ({ cpuSeconds } = /** @type {{ cpuSeconds: number | undefined }} */ (message));
    });
    child.once("error", reject);
    child.once("exit", (code) => resolve({ code: code ?? 1, cpuSeconds }));
  });
}

/** Prints what each phase cost, and fails if the sum has grown. */
function checkCosts() {
  const unit = endWatch();
  process.stdout.write("\n── costs, in seconds\n");
  let sum = 0;
  for (const [name, seconds, cpuSeconds] of costs) {
    sum += cpuSeconds ?? 0;
    const cpu = cpuSeconds === undefined ? "" : `, processor ${cpuSeconds.toFixed(0).padStart(4)}`;
    process.stdout.write(`${name.padEnd(12)} ${seconds.toFixed(0).padStart(4)}${cpu}\n`);
  }
  printFiles();
  process.stdout.write(
    `A fixed piece of work took ${(unit * 1000).toFixed(1)} ms of the processor, in the mean of the run.\n`,
  );
  if (sum > 0 && isWhole && !isFull) {
    const reason = crowded(loadavg()[2] ?? 0, cpus().length);
    const verdict = budget(sum, unit);
    process.stdout.write(`${verdict.text}\n`);
    if (reason === undefined || verdict.ok) {
      count(verdict.ok);
    } else {
      process.stdout.write(`${reason}\n`);
      skipped++;
    }
  }
}

/** Prints the test files that cost most; `costs.tsv` in `coverage` has all: own seconds, those of ended children, the file. */
function printFiles() {
  const lines = existsSync(fileCosts) ? readFileSync(fileCosts, "utf8").trim().split("\n") : [];
  const files = lines.map((line) => {
    const [own, children, path] = line.split("\t");
    return { seconds: Number(own) + Number(children), path };
  });
  for (const { seconds, path } of files.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10)) {
    process.stdout.write(`  ${seconds.toFixed(0).padStart(3)} ${path}\n`);
  }
}

function readResults() {
  try {
    return JSON.parse(readFileSync(report, "utf8"));
  } catch {
    return { numPassedTests: 0, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  }
}
