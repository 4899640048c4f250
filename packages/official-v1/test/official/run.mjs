// Runs the tests of the official repository, which this repository does not contain, first on the official package and then on this one, and prints the differences.
// TENON_OFFICIAL_SDK=<folder> node test/official/run.mjs [files…], after a build. The folder has the newest 1.x tag, or branch v1.x, of
// https://github.com/modelcontextprotocol/typescript-sdk, with its devDependencies installed.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const folder = process.env.TENON_OFFICIAL_SDK;
if (folder === undefined) {
  console.log(
    "Skipped: 2 runs of the official tests. Set TENON_OFFICIAL_SDK to a folder with the official repository.",
  );
  process.exit(0);
}
const config = fileURLToPath(new URL("vitest.official.ts", import.meta.url));
const out = mkdtempSync(join(tmpdir(), "official-"));

function run(target) {
  const file = join(out, `${target}.json`);
  spawnSync(
    process.execPath,
    [
      fileURLToPath(new URL("../../../../node_modules/vitest/vitest.mjs", import.meta.url)),
      "run",
      "--config",
      config,
      "--maxWorkers=1",
      "--reporter=json",
      `--outputFile=${file}`,
      ...process.argv.slice(2),
    ],
    {
      cwd: folder,
      env: { ...process.env, TENON_OFFICIAL_TARGET: target },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const files = JSON.parse(readFileSync(file, "utf8")).testResults;
  return new Map(
    files.map(({ name, assertionResults: tests, message }) => [
      relative(folder, name),
      { message, tests: new Map(tests.map((test) => [test.fullName, test])) },
    ]),
  );
}

/** Tests that differ, each with its reason. Any other difference fails. */
const known = [
  [
    /debounce calls when params is explicitly undefined|call listTasks method from client side/,
    "expects the key `params: undefined`, which JSON does not have",
  ],
];

const passed = ({ tests }) => [...tests.values()].filter(({ status }) => status === "passed").length;
const original = run("original");
const ours = run("tenon");
let differences = 0;
const total = [0, 0, 0];
for (const [name, file] of [...original].sort(([a], [b]) => a.localeCompare(b))) {
  const other = ours.get(name) ?? { tests: new Map() };
  console.log(
    `${name}: ${passed(file)}/${file.tests.size} original, ${passed(other)}/${other.tests.size} on Tenon${file.tests.size === 0 ? ` (did not load: ${file.message.split("\n")[0]})` : ""}`,
  );
  total[0] += passed(file);
  total[1] += passed(other);
  total[2] += file.tests.size;
  for (const [title, { status }] of file.tests) {
    const mine = other.tests.get(title);
    if (status === "passed" && mine?.status !== "passed") {
      const reason = known.find(([pattern]) => pattern.test(title))?.[1];
      differences += reason === undefined ? 1 : 0;
      console.log(
        `  differs: ${title}\n    ${reason ?? (mine?.failureMessages?.[0] ?? "did not run").split("\n")[0]}`,
      );
    }
  }
}
console.log(
  `${total[0]} of ${total[2]} pass on the original, ${total[1]} on Tenon; ${differences} unknown differences`,
);
process.exitCode = differences === 0 ? 0 : 1;
