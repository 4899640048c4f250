// npm test: everything that must hold, from a fresh clone. The last line counts the checks and the tests.
// npm run test:full: the same with all samples of the property tests, drawn anew.
import { fork } from "node:child_process";
import { randomInt } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { budget, speed } from "./budget.mjs";
import { install, preparePath, root } from "./workspace.mjs";

const output = join(root, "coverage");
const report = join(output, "tests.json");

/** @type {Readonly<Record<string, readonly string[]>>} */
const phases = {
  format: ["oxfmt", "--check"],
  build: ["turbo", "run", "build"],
  pack: ["node", "tools/run/packages.mjs", "pack"],
  packages: ["node", "tools/run/packages.mjs", "check"],
  types: ["npm", "run", "typecheck", "--silent"],
  lint: ["npm", "run", "lint", "--silent"],
  conformance: ["node", "tools/run/conformance.mjs"],
  tests: ["vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
};

const isFull = process.argv.includes("--full");
if (isFull) {
  const seed = (process.env["TENON_SEED"] ??= String(randomInt(2 ** 31)));
  process.env["TENON_SAMPLES"] = "all";
  process.stdout.write(`The property tests draw all samples by the seed ${seed}. To repeat them: `);
  process.stdout.write(`TENON_SEED=${seed} npm run test:full\n`);
}

await install();
await preparePath();
mkdirSync(output, { recursive: true });
rmSync(report, { force: true });

let passed = 0;
let failed = 0;
let skipped = 0;
/** @type {[name: string, seconds: number, cpuSeconds: number | undefined][]} */
const costs = [];

const unit = speed();
await Promise.all([check("format"), check("build")]);
await check("pack");
process.env["TENON_PACKS"] = join(root, ".packs");
// The tests wait for other processes a fifth of their time, so the other checks run beside them, one after the other.
await Promise.all([check("tests"), checkInTurn(["packages", "types", "lint", "conformance"])]);
checkCosts();

process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** @param {readonly string[]} names */
async function checkInTurn(names) {
  for (const name of names) {
    await check(name);
  }
}

/**
 * Runs a phase. Only the tests print while they run: what the others print is shown when they end.
 *
 * @param {string} name
 */
async function check(name) {
  const file = name === "tests" ? undefined : join(output, `${name}.log`);
  const started = performance.now();
  const { code, cpuSeconds } = await measured(phases[name] ?? [], file);
  const seconds = (performance.now() - started) / 1000;
  costs.push([name, seconds, cpuSeconds]);
  const printed = file === undefined ? "" : readFileSync(file, "utf8");
  const verdict = code === 0 ? "passed" : "FAILED";
  process.stdout.write(`\n── ${name}\n${printed}── ${name}: ${verdict} in ${seconds.toFixed(1)} s\n`);
  if (name !== "tests") {
    count(code === 0);
    return;
  }
  const counts = countTests();
  passed += counts.passed;
  skipped += counts.skipped;
  // A run that fails without a failed test (a file that does not load, an unhandled rejection) is a failure all the same.
  failed += code === 0 ? 0 : Math.max(1, counts.failed);
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
  process.stdout.write("\n── costs, in seconds\n");
  let sum = 0;
  for (const [name, seconds, cpuSeconds] of costs) {
    sum += cpuSeconds ?? 0;
    const cpu = cpuSeconds === undefined ? "" : `, processor ${cpuSeconds.toFixed(0).padStart(4)}`;
    process.stdout.write(`${name.padEnd(12)} ${seconds.toFixed(0).padStart(4)}${cpu}\n`);
  }
  if (sum > 0 && !isFull) {
    const verdict = budget(sum, unit);
    process.stdout.write(`${verdict.text}\n`);
    count(verdict.ok);
  }
}

function countTests() {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
}
