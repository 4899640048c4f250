// Runs the official conformance suite against the server and the client that the official repository has for it, first on the official package and then on this one, and prints the differences.
// TENON_OFFICIAL_SDK=<folder> node test/official/conformance.mjs, after a build. The folder is that of run.mjs; it needs no dependencies of its own.
import { execFile, spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { folderWith, sdks } from "../support/install.mjs";

const folder = process.env.TENON_OFFICIAL_SDK;
if (folder === undefined) {
  console.log(
    "Skipped: 4 runs of the official conformance suite. Set TENON_OFFICIAL_SDK to a folder with the official repository.",
  );
  process.exit(0);
}
const tools = createRequire(
  fileURLToPath(new URL("../../../../tools/conformance/package.json", import.meta.url)),
);
const { transformSync } = tools("esbuild");
const suite = join(dirname(tools.resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");
const [major] = process.versions.node.split(".");
const node =
  Number(major) >= 22
    ? process.execPath
    : join(dirname(tools.resolve(`node-22-${process.platform}-${process.arch}/package.json`)), "bin/node");
const source = join(folder, "test/conformance/src");
const version = "2025-11-25";

/** The programs of the official repository, which import the SDK by its name. */
function install(sdk) {
  const target = folderWith(sdk, { "package.json": '{"type":"module"}' });
  for (const name of ["express", "cors"]) {
    const siblings = dirname(dirname(realpathSync(sdks.original)));
    symlinkSync(realpathSync(join(siblings, name)), join(target, "node_modules", name));
  }
  for (const path of readdirSync(source, { recursive: true }).filter((each) => each.endsWith(".ts"))) {
    const { code } = transformSync(readFileSync(join(source, path), "utf8"), { loader: "ts", format: "esm" });
    const file = join(target, path.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code.replaceAll(/(["'])(?:\.\.\/)+src\//g, "$1@modelcontextprotocol/sdk/"));
  }
  return target;
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function suiteOn(args) {
  const out = mkdtempSync(join(tmpdir(), "official-conformance-"));
  // The exit code says whether all passed, which the results say too.
  await promisify(execFile)(node, [suite, ...args, "--timeout", "60000", "-o", out], {
    maxBuffer: 1e9,
  }).catch(() => {});
  const results = new Map();
  for (const entry of readdirSync(out, { recursive: true }).filter((each) => each.endsWith("checks.json"))) {
    const scenario = dirname(entry)
      .replace(/^server-/, "")
      .replace(/-\d{4}-\d{2}-\d{2}T.*$/, "");
    const checks = JSON.parse(readFileSync(join(out, entry), "utf8"));
    const bad = checks.filter(({ status }) => status === "FAILURE");
    const good = checks.filter(({ status }) => status === "SUCCESS").length;
    results.set(scenario, { isPassed: bad.length === 0 && good > 0, good, why: bad[0]?.errorMessage ?? "" });
  }
  return results;
}

async function server(sdk) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(install(sdk), "everythingServer.js")], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await new Promise((resolve, reject) => {
      child.stdout.once("data", resolve);
      child.once("exit", () => reject(new Error(`The server on ${sdk} does not start.`)));
    });
    const url = `http://localhost:${port}/mcp`;
    return await suiteOn(["server", "--url", url, "--suite", "all", "--spec-version", version]);
  } finally {
    child.kill();
  }
}

function client(sdk) {
  const program = join(install(sdk), "everythingClient.js");
  return suiteOn([
    "client",
    "--command",
    `${process.execPath} ${program}`,
    "--suite",
    "all",
    "--spec-version",
    version,
  ]);
}

let differences = 0;
for (const [name, run] of Object.entries({ server, client })) {
  const original = await run("original");
  const ours = await run("tenon");
  const passed = (results) => [...results.values()].filter(({ isPassed }) => isPassed).length;
  const checks = (results) => [...results.values()].reduce((sum, { good }) => sum + good, 0);
  console.log(
    `${name}: ${passed(original)} of ${original.size} scenarios (${checks(original)} checks) pass on the original, ${passed(ours)} of ${ours.size} (${checks(ours)}) on Tenon`,
  );
  for (const [scenario, { isPassed }] of original) {
    const mine = ours.get(scenario);
    if (isPassed && mine?.isPassed !== true) {
      differences++;
      console.log(`  differs: ${scenario}: ${mine?.why ?? "did not run"}`);
    }
  }
}
process.exitCode = differences === 0 ? 0 : 1;
