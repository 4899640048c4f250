// Runs real servers of npm on the original SDK and on this package, and prints a table: every tool, resource and prompt that they list, and wrong requests.
// node test/real/run.mjs <folder> [part of a name…], after a build. It installs the servers of servers.json in the folder, without their scripts, and keeps them.
// Both runs use version 1.32.2 of the SDK, whatever the server asks for, so that every difference is ours.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { Client } from "@tenon/mcp/client";
import { CommandTransport } from "@tenon/transports-stdio/client";

import { converse } from "../support/converse.mjs";
import { sdks } from "../support/install.mjs";

const [root, ...wanted] = process.argv.slice(2);
if (root === undefined) {
  console.log("Skipped: 38 servers. Give a folder to install them in.");
  process.exit(0);
}
const servers = JSON.parse(readFileSync(new URL("servers.json", import.meta.url), "utf8")).filter(
  ([name]) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
);

/** Every SDK below a folder. */
function sdksBelow(folder) {
  const found = [];
  const visit = (modules) => {
    for (const name of existsSync(modules) ? readdirSync(modules) : []) {
      if (name.startsWith("@")) {
        for (const each of readdirSync(join(modules, name))) {
          if (name === "@modelcontextprotocol" && each === "sdk") {
            found.push(join(modules, name, each));
          } else {
            visit(join(modules, name, each, "node_modules"));
          }
        }
      } else {
        visit(join(modules, name, "node_modules"));
      }
    }
  };
  visit(join(folder, "node_modules"));
  return found;
}

function install([name, version]) {
  const folder = join(root, name.replaceAll(/[@/]/g, "_"));
  if (!existsSync(join(folder, "node_modules"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), "{}");
    const { status } = spawnSync(
      "npm",
      ["install", `${name}@${version}`, "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"],
      { cwd: folder, stdio: "ignore", timeout: 120_000 },
    );
    if (status !== 0) {
      return undefined;
    }
  }
  return folder;
}

function use(folder, sdk) {
  for (const path of sdksBelow(folder)) {
    if (lstatSync(path).isSymbolicLink()) {
      rmSync(path);
    } else {
      renameSync(path, `${path}-as-installed`);
    }
    symlinkSync(sdks[sdk], path);
  }
}

/** Parts of results that differ from run to run. */
const steady = (value) =>
  JSON.parse(
    JSON.stringify(value)
      .replaceAll(
        /\d{1,2}:\d\d:\d\d [AP]M|\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b1[5-9]\d{11}\b/g,
        "*",
      )
      .replaceAll(/\d+(\.\d+)?\s?(ms|seconds)/g, "*"),
  );
/** Calls without effect on other machines: with no arguments most tools reject them, and that text is compared, too. */
async function everything(call) {
  const { result } = await call("tools/list");
  for (const { name } of result?.tools?.slice(0, 12) ?? []) {
    await call("tools/call", { name, arguments: { "not an argument": 1 } });
  }
  await call("tools/call", { name: "no such tool" });
  await call("tools/call", {});
  for (const method of [
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "ping",
    "no/such/method",
  ]) {
    await call(method);
  }
  await call("resources/read", { uri: "no:such" });
  await call("prompts/get", { name: "no such" });
}

const env = Object.fromEntries(
  ["BRAVE", "GOOGLE", "AMAP_MAPS", "BAIDU_MAP", "CIRCLECI", "DEEPSEEK", "LUNCHMONEY", "API"].map((name) => [
    `${name}_API_KEY`,
    "none",
  ]),
);
Object.assign(env, {
  API_TOKEN: "none",
  CHATWORK_API_TOKEN: "none",
  CIRCLECI_TOKEN: "none",
  LUNCHMONEY_API_TOKEN: "none",
  CODACY_ACCOUNT_TOKEN: "none",
  BROWSERSTACK_USERNAME: "none",
  BROWSERSTACK_ACCESS_KEY: "none",
  JIRA_HOST: "127.0.0.1:9",
  JIRA_API_TOKEN: "none",
  JIRA_BASE_URL: "http://127.0.0.1:9",
  CONFLUENCE_HOST: "127.0.0.1:9",
  CONFLUENCE_API_TOKEN: "none",
  GOOGLE_MAPS_API_KEY: "none",
  BW_SESSION: "none",
  GOOGLE_SEARCH_ENGINE_ID: "none",
  JIRA_INSTANCE_URL: "http://127.0.0.1:9",
  JIRA_USER_EMAIL: "a@b.c",
  MEMORY_BANK_ROOT: root,
  PAPERLESS_URL: "http://127.0.0.1:9",
  PAPERLESS_API_KEY: "none",
  WP_API_URL: "http://127.0.0.1:9",
  WP_API_USERNAME: "a",
  WP_API_PASSWORD: "b",
});

async function modernOf(file, args, cwd, legacy) {
  const client = new Client({ name: "modern", version: "1.0.0" }, { onError: () => {} });
  try {
    const session = await client.connect(
      new CommandTransport({ command: process.execPath, args: [file, ...args], cwd, env }),
      { signal: AbortSignal.timeout(30_000) },
    );
    const names = (session.serverCapabilities.tools ? (await session.listTools()).tools : []).map(
      (tool) => tool.name,
    );
    const before = (legacy.results[1]?.result?.tools ?? []).map((tool) => tool.name);
    const missing = before.filter((name) => !names.includes(name));
    const called =
      names.length > 0
        ? await session
            .callTool({ name: names[0], arguments: { "not an argument": 1 } })
            .catch((error) => error)
        : undefined;
    return `${session.revision}, ${names.length} tools${missing.length > 0 ? `, without ${missing.join(" ")}` : ""}${called === undefined ? "" : ", call answered"}`;
  } catch (error) {
    return `failed: ${String(error.message).slice(0, 80)}`;
  } finally {
    await client.close();
  }
}

let unequal = 0;
console.log(
  "| server | SDK it has installed | 2025-11-25, compared with the original | the newest version |\n|---|---|---|---|",
);
for (const server of servers) {
  const [name, version, ...given] = server;
  const label = `${name} ${version}`;
  const folder = install(server);
  if (folder === undefined) {
    console.log(`| ${label} | | could not be installed | |`);
    continue;
  }
  const args = given.map((each) => each.replace("{folder}", folder));
  const found = sdksBelow(folder);
  const manifest = JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"));
  const bin =
    typeof manifest.bin === "string"
      ? manifest.bin
      : (manifest.bin?.[basename(name)] ?? Object.values(manifest.bin ?? {})[0] ?? manifest.main);
  const file = join(folder, "node_modules", name, bin);
  const installed = found.map((path) => {
    const kept = existsSync(`${path}-as-installed`) ? `${path}-as-installed` : path;
    return JSON.parse(readFileSync(join(kept, "package.json"), "utf8")).version;
  });
  if (found.length === 0) {
    console.log(`| ${label} | none: bundled or another | | |`);
    continue;
  }
  const runs = {};
  for (const sdk of ["original", "tenon"]) {
    use(folder, sdk);
    runs[sdk] = await converse(file, args, everything, { cwd: folder, env, timeoutMs: 10_000 });
  }
  const { original, tenon } = runs;
  const started = original.results[0]?.result !== undefined;
  const differing = original.results.filter(
    (each, i) => !isDeepStrictEqual(steady(each), steady(tenon.results[i] ?? null)),
  );
  const others =
    isDeepStrictEqual(steady(original.notifications), steady(tenon.notifications)) &&
    isDeepStrictEqual(original.asked, tenon.asked);
  if (process.env.SHOW !== undefined) {
    original.results.forEach((each, i) => {
      if (!isDeepStrictEqual(steady(each), steady(tenon.results[i] ?? null))) {
        console.log(JSON.stringify(each).slice(0, 600), "\n", JSON.stringify(tenon.results[i]).slice(0, 600));
      }
    });
  }
  unequal += started ? differing.length : 0;
  const result = started
    ? `${original.results.length - differing.length} of ${original.results.length} results equal${others ? "" : ", other notifications"}`
    : `does not start with either (${String(original.results[0]?.error?.stderr ?? "")
        .trim()
        .split("\n")
        .at(-1)
        ?.slice(0, 70)})`;
  console.log(
    `| ${label} | ${installed.join(", ")} | ${result} | ${started ? await modernOf(file, args, folder, tenon) : ""} |`,
  );
}
console.log(`${unequal} results differ`);
process.exitCode = unequal === 0 ? 0 : 1;
