// Which members of the workspace changed since their checks last passed on this machine.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

import { inputs } from "./inputs.mjs";

/** Programs without which tests are skipped. */
const programs = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "openssl",
  "redis-server",
  "valkey-server",
];

/**
 * What is checked as one: a member of the workspace, or a test file that `inputs.mjs` sets apart.
 *
 * @typedef {object} Unit
 * @property {string} name - `packages/mcp`, or the path of the file.
 * @property {string} directory - `packages/mcp`.
 * @property {string} hash - Of everything that its checks read.
 * @property {ReadonlySet<string>} uses - The directories of all members that it uses, also by others.
 * @property {readonly string[]} tests - The paths of its test files.
 */

/** @param {string} root @returns {readonly string[]} */
function membersOf(root) {
  return ["packages", "tools", "examples"].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}`)
      .filter((directory) => existsSync(join(root, directory, "package.json"))),
  );
}

/** The member that a path belongs to, by its first two folders. @param {string} path */
export const memberOf = (path) => {
  const end = path.indexOf("/", path.indexOf("/") + 1);
  return end < 0 ? path : path.slice(0, end);
};

/** Whether a path is read by those that use its member: its tests and pages are not. @param {string} path */
const isUsed = (path) => !/^[^/]+\/[^/]+\/(?:test\/|.*\.md$)/.test(path);

/**
 * The paths that git knows or would add, with a hash of what is in each.
 *
 * @param {string} root
 * @returns {ReadonlyMap<string, string>}
 */
function contentsOf(root) {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  const files = new Set(listed.split("\0").filter((path) => path !== ""));
  return new Map(
    [...files].flatMap((path) => {
      const file = join(root, path);
      return existsSync(file) && statSync(file).isFile() ? [[path, hashOf([readFileSync(file)])]] : [];
    }),
  );
}

/** @param {Iterable<string | Uint8Array>} parts */
export function hashOf(parts) {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(part).update("\0");
  }
  return hash.digest("base64url");
}

/**
 * The members that each member uses, directly or by others.
 *
 * @param {string} root
 * @returns {ReadonlyMap<string, ReadonlySet<string>>}
 */
export function dependenciesOf(root) {
  const members = membersOf(root);
  const manifests = members.map((directory) =>
    JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8")),
  );
  const byName = new Map(members.map((directory, index) => [manifests[index].name, directory]));
  const direct = new Map(
    members.map((directory, index) => {
      const { dependencies, devDependencies, peerDependencies } = manifests[index];
      const names = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
      return [directory, names.flatMap((name) => byName.get(name) ?? [])];
    }),
  );
  return new Map(
    members.map((directory) => {
      const reached = new Set(direct.get(directory));
      for (const each of reached) {
        (direct.get(each) ?? []).forEach((further) => reached.add(further));
      }
      return [directory, reached];
    }),
  );
}

/** What decides which tests are skipped: programs on the PATH, and variables that name servers and folders. */
function surroundings() {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = programs.filter((name) => folders.some((folder) => existsSync(join(folder, name))));
  const variables = Object.entries(process.env).filter(
    ([name]) => name.startsWith("TENON_") && !/^TENON_(?:BROWSER|COSTS|PACKS|READS|SAMPLES|SEED)$/.test(name),
  );
  return [...found, ...variables.map(String).toSorted()];
}

/**
 * The units of the workspace at `root`, with a hash of what the checks of each depend on: the files of its member, those of the
 * members that it uses without their tests, what `inputs.mjs` declares, everything outside of members (the scripts, the lockfile,
 * the configuration of the tools), and this Node.
 *
 * @param {string} root
 * @returns {readonly Unit[]}
 */
export function units(root) {
  const contents = contentsOf(root);
  const dependencies = dependenciesOf(root);
  const world = hashOf([process.version, process.platform, process.arch, ...surroundings()]);
  const tests = [...contents.keys()].filter((path) => /\.test\.tsx?$/.test(path));
  const apart = Object.keys(inputs).filter((name) => name.endsWith(".ts"));
  const made = [...dependencies].map(([directory, uses]) => ({
    name: directory,
    directory,
    uses,
    tests: tests.filter((path) => memberOf(path) === directory && !apart.includes(path)),
  }));
  const alone = apart.map((name) => {
    const chosen = inputs[name]?.uses ?? [];
    const uses = new Set(chosen.flatMap((member) => [member, ...(dependencies.get(member) ?? [])]));
    return { name, directory: memberOf(name), uses, tests: [name] };
  });
  const members = new Set(dependencies.keys());
  // The scripts are no member. Their tests look at the whole workspace, and are due with every change.
  const scripts = {
    name: "scripts",
    directory: ".",
    uses: new Set(),
    tests: tests.filter((path) => memberOf(path) === "tools/run"),
  };
  return [...made, ...alone, scripts].map((unit) => {
    const parts = [world];
    for (const [path, hash] of contents) {
      if (isDeclared(unit, path, members)) {
        parts.push(path, hash);
      }
    }
    return { ...unit, hash: hashOf(parts) };
  });
}

/**
 * Whether a path is one of a pattern: `*` stands for a name, `**` at the end for everything below.
 *
 * @param {string} pattern
 * @param {string} path
 */
export function matches(pattern, path) {
  let expression = expressions.get(pattern);
  if (expression === undefined) {
    const source = pattern
      .replaceAll(".", "\\.")
      .replaceAll("**", "\0")
      .replaceAll("*", "[^/]*")
      .replaceAll("\0", ".*");
    expression = new RegExp(`^${source}$`);
    expressions.set(pattern, expression);
  }
  return expression.test(path);
}

/** Each pattern is compared with thousands of paths. @type {Map<string, RegExp>} */
const expressions = new Map();

/**
 * Whether the checks of a unit may read a path: only then a change of it makes them due.
 *
 * @param {Omit<Unit, "hash">} unit
 * @param {string} path - Below the root.
 * @param {ReadonlySet<string>} members
 */
export function isDeclared({ name, directory, uses }, path, members) {
  const member = memberOf(path);
  const isCommon = !members.has(member) && !/^(?:docs|\.changeset)\/|\.md$/.test(path);
  return (
    member === directory ||
    isCommon ||
    (uses.has(member) && isUsed(path)) ||
    (inputs[name]?.reads ?? []).some((pattern) => matches(pattern, path))
  );
}

/**
 * Tells whether git knows a path.
 *
 * @param {string} root
 * @returns {(path: string) => boolean}
 */
export function isTracked(root) {
  const paths = new Set(contentsOf(root).keys());
  return (path) => paths.has(path);
}

/**
 * What passed on this machine: the hash of each check and member.
 *
 * @param {string} root
 */
export function openRecord(root) {
  const file = join(root, "node_modules/.cache/tenon/passed.json");
  /** @type {Record<string, string>} */
  let passed = {};
  try {
    passed = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // Nothing has passed yet.
  }
  return {
    /**
     * The units whose check is due.
     *
     * @param {string} check
     * @param {readonly Unit[]} all
     */
    due: (check, all) => all.filter(({ name, hash }) => passed[`${check} ${name}`] !== hash),
    /** @param {string} check @param {readonly Unit[]} those */
    add(check, those) {
      for (const { name, hash } of those) {
        passed[`${check} ${name}`] = hash;
      }
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify(passed));
    },
    clear() {
      passed = {};
    },
  };
}
