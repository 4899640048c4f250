// Runs the official conformance suite against the server and the client that the official repository has for it, first on the official package and then on this one, and prints the differences.
// TENON_OFFICIAL_SDK=<folder> node test/official/conformance.mjs, after a build. The folder is that of run.mjs; it needs no dependencies of its own.
import { execFile, spawn } from "node:child_process";
import {
  cpSync,
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

import { folderWith, removeFolders, sdks } from "../support/install.mjs";
import { bridgeTo } from "./stdio-bridge.mjs";

const folder = process.env.TENON_OFFICIAL_SDK;
if (folder === undefined) {
  console.log(
    "Skipped: 7 runs of the official conformance suite. Set TENON_OFFICIAL_SDK to a folder with the official repository.",
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
const modern = "2026-07-28";

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
  // Its server, without the HTTP server that requires sessions.
  const [example] = readFileSync(join(target, "everythingServer.js"), "utf8").split("const app = express()");
  writeFileSync(join(target, "example.js"), `${example}\nexport { createMcpServer, express };\n`);
  for (const name of ["asking-server", "asking-client"]) {
    cpSync(fileURLToPath(new URL(`${name}.mjs`, import.meta.url)), join(target, `${name}.js`));
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

/** @param isMeant - The checks that count, by their names. */
async function suiteOn(args, isMeant = () => true) {
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
    const checks = JSON.parse(readFileSync(join(out, entry), "utf8")).filter(({ id }) => isMeant(id));
    const bad = checks.filter(({ status }) => status === "FAILURE");
    const good = checks.filter(({ status }) => status === "SUCCESS").length;
    results.set(scenario, { isPassed: bad.length === 0 && good > 0, good, why: bad[0]?.errorMessage ?? "" });
  }
  return results;
}

async function overHttp(sdk, program, selection) {
  const port = await freePort();
  const child = spawn(process.execPath, [join(install(sdk), program)], {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await new Promise((resolve, reject) => {
      child.stdout.once("data", resolve);
      child.once("exit", () => reject(new Error(`The server on ${sdk} does not start.`)));
    });
    const url = `http://localhost:${port}/mcp`;
    return await suiteOn(["server", "--url", url, ...selection]);
  } finally {
    child.kill();
  }
}

const server = (sdk) => overHttp(sdk, "everythingServer.js", ["--suite", "all", "--spec-version", version]);
const modernHttp = (sdk) => overHttp(sdk, "asking-server.js", ["--requirements", modern]);

async function modernStdio(sdk) {
  const port = await freePort();
  const stop = await bridgeTo(join(install(sdk), "asking-server.js"), port);
  try {
    const url = `http://localhost:${port}/mcp`;
    return await suiteOn(
      ["server", "--url", url, "--requirements", modern],
      // Statuses of HTTP, and requests that name no version, which are legacy requests over stdio.
      (id) => !/http|invalid-missing-(meta|protocol-version)/.test(id),
    );
  } finally {
    stop();
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

/** The scenarios of modern clients without a login, which the setting for modern HTTP leaves out. */
const clientScenarios = [
  "tools_call",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  "json-schema-2020-12-preservation",
];

async function modernClient(sdk) {
  const command = `${process.execPath} ${join(install(sdk), "asking-client.js")}`;
  const results = new Map();
  for (const scenario of clientScenarios) {
    const args = [
      "client",
      "--command",
      command,
      "--scenario",
      scenario,
      "--spec-version",
      modern,
      "--force",
    ];
    for (const [, result] of await suiteOn(args)) {
      results.set(scenario, result);
    }
  }
  return results;
}

/** What the program or the official SDK does not have. Any other failure of the modern legs fails. */
const known = [
  [/^tasks-/, "the official SDK has no tasks of this protocol version"],
  [/^http-custom-header-server/, "the official SDK has no headers for arguments"],
  [/^json-schema-2020-12$/, "fails with the original: McpServer lists draft-07 schemas"],
  [
    /^input-required-result-basic-elicitation$/,
    "expects a name of the input request, which the official SDK does not have",
  ],
];
const knownOverStdio = [...known, [/^http-|^dns-/, "is about HTTP"]];

const passed = (results) => [...results.values()].filter(({ isPassed }) => isPassed).length;
const checks = (results) => [...results.values()].reduce((sum, { good }) => sum + good, 0);
let differences = 0;
for (const [name, run] of Object.entries({ server, client })) {
  const original = await run("original");
  const ours = await run("tenon");
  console.log(
    `${name} ${version}: ${passed(original)} of ${original.size} scenarios (${checks(original)} checks) pass on the original, ${passed(ours)} of ${ours.size} (${checks(ours)}) on Tenon`,
  );
  for (const [scenario, { isPassed }] of original) {
    const mine = ours.get(scenario);
    if (isPassed && mine?.isPassed !== true) {
      differences++;
      console.log(`  differs: ${scenario}: ${mine?.why ?? "did not run"}`);
    }
  }
}
const legs = {
  "server over HTTP": modernHttp,
  "server over stdio": modernStdio,
  "client over HTTP": modernClient,
};
for (const [name, run] of Object.entries(legs)) {
  const reasons = run === modernStdio ? knownOverStdio : known;
  const ours = await run("tenon");
  console.log(
    `${name} ${modern}: ${passed(ours)} of ${ours.size} scenarios (${checks(ours)} checks) pass on Tenon`,
  );
  for (const [scenario, { isPassed, why }] of ours) {
    if (!isPassed) {
      const reason = reasons.find(([pattern]) => pattern.test(scenario))?.[1];
      differences += reason === undefined ? 1 : 0;
      console.log(`  ${scenario}: ${reason ?? why}`);
    }
  }
}
removeFolders();
process.exitCode = differences === 0 ? 0 : 1;
