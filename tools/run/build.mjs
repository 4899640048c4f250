// npm run build [-- member…]: what the members of the workspace publish and start from, in `dist`. Members are named by folder or package; without
// names, all are built. One compiler checks them all and writes the declarations, one process bundles. What has not changed since the last build stays.
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join, relative, resolve } from "node:path";

import { bundleProgram } from "./bundle-program.mjs";
import { bundlePackage, isLibrary } from "./bundle.mjs";
import { dependenciesOf, hashOf } from "./members.mjs";
import { root } from "./workspace.mjs";

const dependencies = dependenciesOf(root);
const built = join(root, "node_modules/.cache/tenon/built.json");
const scripts = join(root, "tools/run");

/** The hashes of the files that were read. @type {Map<string, string>} */
const contents = new Map();
const wanted = process.argv.slice(2).map(memberNamed);
/** The members to build. Programs come last, since they contain what the others have written. */
const members = [...dependencies.keys()]
  .filter(
    (member) =>
      wanted.length === 0 || wanted.some((one) => one === member || dependencies.get(one)?.has(member)),
  )
  .toSorted((a, b) => Number(isLibrary(manifestOf(b))) - Number(isLibrary(manifestOf(a))));

compile();
await bundle();

/** @param {string} name - The name of a package, or a folder. */
function memberNamed(name) {
  const folder = relative(root, resolve(name)).replaceAll("\\", "/");
  const found = [...dependencies.keys()].find(
    (member) => member === folder || manifestOf(member).name === name,
  );
  if (found === undefined) {
    throw new Error(`${name} is no member of the workspace: name its folder or its package.`);
  }
  return found;
}

/** @param {string} member */
function manifestOf(member) {
  return JSON.parse(readFileSync(join(root, member, "package.json"), "utf8"));
}

/** Checks the sources and writes the declarations. */
function compile() {
  const projects = members.flatMap((member) =>
    ["tsconfig.json", "tsconfig.node.json"]
      .map((file) => join(root, member, file))
      .filter((file) => existsSync(file)),
  );
  const chosen = wanted.length === 0 ? [join(root, "tsconfig.build.json")] : projects;
  if (chosen.length > 0) {
    const tsc = createRequire(import.meta.url)
      .resolve("typescript/package.json")
      .replace("package.json", "bin/tsc");
    runNode([tsc, "-b", ...chosen], root);
  }
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function runNode(args, cwd) {
  const { status } = spawnSync(process.execPath, args, { cwd, stdio: "inherit" });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}

async function bundle() {
  /** @type {Record<string, string>} */
  let passed = {};
  try {
    passed = JSON.parse(readFileSync(built, "utf8"));
  } catch {
    // Nothing has been built yet.
  }
  const bundlers = hashOf(
    ["bundle.mjs", "bundle-program.mjs", "chunks.mjs"].map((file) => contentOf(join(scripts, file))),
  );
  for (const member of members) {
    const steps = stepsOf(member);
    if (steps.length === 0) {
      continue;
    }
    const before = stateOf(member, bundlers);
    if (passed[member] !== before) {
      for (const step of steps) {
        await step();
      }
      passed[member] = stateOf(member, bundlers);
    }
  }
  mkdirSync(join(built, ".."), { recursive: true });
  // Clones may share the old file by a hard link.
  writeFileSync(`${built}.new`, JSON.stringify(passed));
  renameSync(`${built}.new`, built);
}

/**
 * How a member is bundled: by its own `build.mjs`, as a package that others import, or as a program.
 *
 * @param {string} member
 * @returns {Promise<readonly (() => void | Promise<void>)[]>}
 */
function stepsOf(member) {
  const folder = join(root, member);
  const manifest = manifestOf(member);
  const steps = [];
  const own = existsSync(join(folder, "build.mjs"));
  if (own) {
    steps.push(() => runNode(["build.mjs"], folder));
  }
  if (member.startsWith("packages/")) {
    if (isLibrary(manifest)) {
      steps.push(() => bundlePackage(folder));
    } else if (!own && manifest.bin !== undefined) {
      steps.push(() => bundleProgram(folder));
    }
  }
  return steps;
}

/**
 * A hash of what the bundles of a member are made from, and of what was written.
 *
 * @param {string} member
 * @param {string} bundlers
 */
function stateOf(member, bundlers) {
  const parts = [bundlers, process.version, ...contentsIn(member, ["package.json", "build.mjs", "src"])];
  // A program contains what it imports, and the page of the inspector does.
  const isWhole = !isLibrary(manifestOf(member)) || existsSync(join(root, member, "build.mjs"));
  for (const used of isWhole ? (dependencies.get(member) ?? []) : []) {
    parts.push(...contentsIn(used, ["package.json", "src"]));
  }
  parts.push(...(isWhole ? contentsIn(".", ["schema"]) : []));
  for (const folder of ["dist", "assets"]) {
    for (const file of filesIn(join(root, member, folder))) {
      const { size, mtimeMs } = statSync(file);
      parts.push(file, `${size} ${mtimeMs}`);
    }
  }
  return hashOf(parts);
}

/**
 * @param {string} member
 * @param {readonly string[]} paths
 */
function contentsIn(member, paths) {
  return paths
    .flatMap((path) => filesIn(join(root, member, path)))
    .flatMap((file) => [file, contentOf(file)]);
}

/** @param {string} file */
function contentOf(file) {
  const known = contents.get(file) ?? hashOf([readFileSync(file)]);
  contents.set(file, known);
  return known;
}

/** @param {string} path - A folder, a file or nothing. */
function filesIn(path) {
  if (!existsSync(path) || statSync(path).isFile()) {
    return existsSync(path) ? [path] : [];
  }
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []))
    .toSorted();
}
