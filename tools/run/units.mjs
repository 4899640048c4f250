// Which members of the workspace changed since their checks last passed on this machine.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

import { inputs } from "./inputs.mjs";
import {
  contentsOf,
  directOf,
  hashOf,
  isUsed,
  manifestsOf,
  memberOf,
  namedByTest,
  namesIn,
  reach,
  usedBySources,
} from "./members.mjs";

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
 * @param {ReadonlyMap<string, import("./members.mjs").Content>} [contents]
 * @returns {readonly Unit[]}
 */
export function units(root, contents = contentsOf(root)) {
  const manifests = manifestsOf(root);
  const direct = directOf(manifests);
  const sources = usedBySources(contents, manifests);
  const named = namesIn(manifests);
  const world = hashOf([process.version, process.platform, process.arch, ...surroundings()]);
  const paths = [...contents.keys()];
  const tests = paths.filter((path) => /\.test\.tsx?$/.test(path));
  const isApart = (/** @type {string} */ path) =>
    inputs[path] !== undefined || inputs[memberOf(path)]?.isByFile === true;
  const made = [...manifests.keys()].map((directory) => ({
    name: directory,
    directory,
    uses: reach(direct.get(directory) ?? [], sources),
    tests: tests.filter((path) => memberOf(path) === directory && !isApart(path)),
  }));
  /** @type {Map<string, Map<string, string[]>>} */
  const others = new Map();
  for (const path of paths.filter((path) => !tests.includes(path))) {
    const named = others.get(memberOf(path)) ?? new Map();
    const name = path.slice(path.lastIndexOf("/") + 1);
    others.set(memberOf(path), named.set(name, [...(named.get(name) ?? []), path]));
  }
  const alone = tests.filter(isApart).map((name) => {
    const directory = memberOf(name);
    const chosen =
      inputs[name]?.uses ?? namedByTest(name, others.get(directory) ?? new Map(), contents, named);
    return { name, directory, uses: reach(chosen, sources), tests: [name] };
  });
  const members = new Set(manifests.keys());
  // The scripts are no member. Their tests look at the whole workspace, and are due with every change.
  const scripts = {
    name: "scripts",
    directory: ".",
    /** @type {ReadonlySet<string>} */
    uses: new Set(),
    tests: tests.filter((path) => memberOf(path) === "tools/run" && !isApart(path)),
  };
  const digests = digestsOf(contents, members);
  return [...made, ...alone, scripts].map((unit) => {
    const { directory, uses } = unit;
    const reads = readsOf(unit);
    const parts = [world, digests.common, digests.whole.get(directory) ?? ""];
    for (const member of [...uses].toSorted()) {
      parts.push(member, digests.used.get(member) ?? "");
    }
    for (const [path, { hash }] of reads === undefined ? [] : contents) {
      if (reads?.test(path)) {
        parts.push(path, hash);
      }
    }
    return { ...unit, hash: hashOf(parts) };
  });
}

/**
 * Hashes of the files that many units share: those outside of members, those of each member, and those of each member that others use.
 *
 * @param {ReadonlyMap<string, import("./members.mjs").Content>} contents
 * @param {ReadonlySet<string>} members
 */
function digestsOf(contents, members) {
  /** @type {string[]} */
  const common = [];
  /** @type {Map<string, string[]>} */
  const whole = new Map([...members].map((member) => [member, []]));
  /** @type {Map<string, string[]>} */
  const used = new Map([...members].map((member) => [member, []]));
  for (const [path, { hash }] of contents) {
    const member = memberOf(path);
    whole.get(member)?.push(path, hash);
    if (isUsed(path)) {
      used.get(member)?.push(path, hash);
    }
    if (isCommon(path, members)) {
      common.push(path, hash);
    }
  }
  const hashed = (/** @type {Map<string, string[]>} */ parts) =>
    new Map([...parts].map(([member, each]) => [member, hashOf(each)]));
  return { common: hashOf(common), whole: hashed(whole), used: hashed(used) };
}

/**
 * Whether a path is one of a pattern: `*` stands for a name, `**` at the end for everything below.
 *
 * @param {string} pattern
 * @param {string} path
 */
export const matches = (pattern, path) => expressionOf([pattern]).test(path);

/** @param {readonly string[]} patterns */
function expressionOf(patterns) {
  const sources = patterns.map((pattern) =>
    pattern.replaceAll(".", "\\.").replaceAll("**", "\0").replaceAll("*", "[^/]*").replaceAll("\0", ".*"),
  );
  return new RegExp(`^(?:${sources.join("|")})$`);
}

/** The paths that `inputs.mjs` declares for a unit. @param {Pick<Unit, "name" | "directory">} unit */
function readsOf({ name, directory }) {
  const patterns = (inputs[name] ?? inputs[directory])?.reads ?? [];
  return patterns.length > 0 ? expressionOf(patterns) : undefined;
}

/** Whether all units read a path: the scripts, the lockfile, the configuration of the tools. @param {string} path @param {ReadonlySet<string>} members */
const isCommon = (path, members) =>
  !members.has(memberOf(path)) && !/^(?:docs|\.changeset)\/|\.md$/.test(path);

/**
 * Tells whether the checks of a unit may read a path: only then a change of it makes them due.
 *
 * @param {Omit<Unit, "hash">} unit
 * @param {ReadonlySet<string>} members
 * @returns {(path: string) => boolean}
 */
export function declaredBy(unit, members) {
  const { directory, uses } = unit;
  const reads = readsOf(unit);
  return (path) => {
    const member = memberOf(path);
    return (
      member === directory ||
      (uses.has(member) && isUsed(path)) ||
      isCommon(path, members) ||
      reads?.test(path) === true
    );
  };
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
