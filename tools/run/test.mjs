// npm test: everything that must hold, from a fresh clone. The last line counts the checks and the tests.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { install, pnpm, root } from "./workspace.mjs";

const report = join(root, "coverage", "tests.json");

/** @type {[name: string, args: string[]][]} */
const checks = [
  ["format", ["exec", "oxfmt", "--check"]],
  ["build", ["run", "build"]],
  ["types", ["run", "typecheck"]],
  ["lint", ["run", "lint"]],
  [
    "tests",
    ["exec", "vitest", "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
  ],
  ["conformance", ["run", "conformance"]],
  ["packages", ["run", "package"]],
];

await install();
rmSync(report, { force: true });

let passed = 0;
let failed = 0;
let skipped = 0;
for (const together of [["format"], ["build"], ["types"], ["lint"], ["tests"], ["conformance", "packages"]]) {
  // The last two wait more than they work, so they wait together.
  await Promise.all(checks.filter(([name]) => together.includes(name)).map(check));
}

/** @param {(typeof checks)[number]} named */
async function check([name, args]) {
  const started = performance.now();
  process.stdout.write(`\n── ${name}\n`);
  const ok = (await pnpm(args)) === 0;
  process.stdout.write(
    `── ${name}: ${ok ? "passed" : "FAILED"} in ${((performance.now() - started) / 1000).toFixed(1)} s\n`,
  );
  if (name !== "tests") {
    passed += ok ? 1 : 0;
    failed += ok ? 0 : 1;
    return;
  }
  const counts = countTests();
  passed += counts.passed;
  skipped += counts.skipped;
  // A run that fails without a failed test (a file that does not load, an unhandled rejection) is a failure all the same.
  failed += ok ? 0 : Math.max(1, counts.failed);
}

process.stdout.write(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}\n`);
process.exitCode = failed === 0 ? 0 : 1;

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
