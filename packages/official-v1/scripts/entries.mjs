// Writes the entries of this package that only pass on those of the official package; with `--check` reports what it would write.
// A module of the official package that runs the engine, directly or through others, gets the line that puts Tenon's engine in place first.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL("..", import.meta.url));
const official = dirname(dirname(fileURLToPath(import.meta.resolve("mcp-sdk-1/types.js")))) + "/esm";
const entries = join(here, "src/entry");

/** The entries that are written by hand. */
export const own = new Set(["server/stdio", "tenon"]);

/** Every module that the official package publishes, without its suffix. */
export const modules = readdirSync(official, { recursive: true })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".js"))
  .map((path) => path.slice(0, -".js".length))
  .sort((a, b) => (a < b ? -1 : 1));

const importsOf = new Map();
for (const name of modules) {
  const text = readFileSync(join(official, `${name}.js`), "utf8");
  const paths = [...text.matchAll(/^(?:import|export)\b[^;]*?['"](\.[^'"]+)\.js['"]/gm)].map(([, path]) =>
    join(dirname(name), path).replaceAll("\\", "/"),
  );
  importsOf.set(name, paths);
}
/** Whether a module loads `wanted`. */
function loads(name, wanted, seen = new Set()) {
  if (name === wanted) {
    return true;
  }
  if (seen.has(name)) {
    return false;
  }
  seen.add(name);
  return (importsOf.get(name) ?? []).some((each) => loads(each, wanted, seen));
}

/** The parts of the engine, and the official module whose classes each of them changes. */
const parts = [
  ["server/index", "server/engine"],
  ["client/index", "client/engine"],
  ["server/webStandardStreamableHttp", "server/web-http"],
  ["server/streamableHttp", "server/node-http"],
];

/** The classes that this package exports in the place of those with the same name. */
const classes = new Map([
  ["server/index", `{ Server } from "../../server/server-class.ts"`],
  ["server/mcp", `{ McpServer } from "../../server/mcp-server-class.ts"`],
  ["client/index", `{ Client } from "../../client/client-class.ts"`],
]);

/** The text of an entry. */
export function textOf(name) {
  const up = relative(dirname(join("entry", name)), ".").replaceAll("\\", "/");
  const needed = parts.filter(([module]) => loads(name, module)).map(([, part]) => part);
  if (needed.length === 0 && loads(name, "shared/protocol")) {
    needed.push("shared/engine");
  }
  return [
    "// Written by scripts/entries.mjs. Do not edit.",
    "",
    ...needed.map((part) => `import "${up}/${part}.ts";`),
    ...(needed.length > 0 ? [""] : []),
    `export * from "mcp-sdk-1/${name}.js";`,
    ...(classes.has(name) ? [`export ${classes.get(name)};`] : []),
    "",
  ].join("\n");
}

/** The entries whose files differ from what this script writes, and the files that should not exist. */
export function stale() {
  const wanted = modules.filter((name) => !own.has(name));
  const there = readdirSync(entries, { recursive: true })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => path.slice(0, -".ts".length));
  return [
    ...wanted.filter((name) => {
      const file = join(entries, `${name}.ts`);
      return !existsSync(file) || readFileSync(file, "utf8") !== textOf(name);
    }),
    ...there.filter((name) => !own.has(name) && !wanted.includes(name)),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = stale();
  if (process.argv.includes("--check")) {
    console.log(found.join("\n"));
    process.exitCode = found.length === 0 ? 0 : 1;
  } else {
    for (const name of found.filter((each) => modules.includes(each))) {
      mkdirSync(dirname(join(entries, name)), { recursive: true });
      writeFileSync(join(entries, `${name}.ts`), textOf(name));
    }
    console.log(`${found.length} of ${modules.length} entries written`);
  }
}
