// The members of the workspace, their files, and what they use.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

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
export const isUsed = (path) => !/^[^/]+\/[^/]+\/(?:test\/|.*\.md$)/.test(path);

/**
 * What is in a file.
 *
 * @typedef {object} Content
 * @property {string} hash
 * @property {string} text - Empty for files that are no code.
 */

/**
 * The paths that git knows or would add, with what is in each.
 *
 * @param {string} root
 * @returns {Map<string, Content>}
 */
export function contentsOf(root) {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  const files = new Set(listed.split("\0").filter((path) => path !== ""));
  return new Map(
    [...files].flatMap((path) => {
      const file = join(root, path);
      return existsSync(file) && statSync(file).isFile() ? [[path, contentOf(path, readFileSync(file))]] : [];
    }),
  );
}

/** @param {string} path @param {Buffer} data @returns {Content} */
export const contentOf = (path, data) => ({
  hash: hashOf([data]),
  text: /\.[cm]?[jt]sx?$/.test(path) ? data.toString() : "",
});

/** @param {Iterable<string | Uint8Array>} parts */
export function hashOf(parts) {
  const hash = createHash("sha256");
  for (const part of parts) {
    hash.update(part).update("\0");
  }
  return hash.digest("base64url");
}

/**
 * The manifests of the members, by their folders.
 *
 * @param {string} root
 * @returns {ReadonlyMap<string, Readonly<Record<string, any>>>}
 */
export function manifestsOf(root) {
  return new Map(
    membersOf(root).map((directory) => [
      directory,
      JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8")),
    ]),
  );
}

/**
 * The members that each member uses, directly or by others.
 *
 * @param {string} root
 * @returns {ReadonlyMap<string, ReadonlySet<string>>}
 */
export function dependenciesOf(root) {
  const direct = directOf(manifestsOf(root));
  return new Map([...direct].map(([directory, uses]) => [directory, reach(uses, direct)]));
}

/**
 * The members that each manifest names.
 *
 * @param {ReturnType<typeof manifestsOf>} manifests
 * @returns {ReadonlyMap<string, ReadonlySet<string>>}
 */
export function directOf(manifests) {
  const byName = new Map([...manifests].map(([directory, { name }]) => [name, directory]));
  return new Map(
    [...manifests].map(([directory, { dependencies, devDependencies, peerDependencies }]) => {
      const names = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
      return [directory, new Set(names.flatMap((name) => byName.get(name) ?? []))];
    }),
  );
}

/**
 * Those members, those that they use, and so on.
 *
 * @param {Iterable<string>} members
 * @param {ReadonlyMap<string, ReadonlySet<string>>} direct
 * @returns {ReadonlySet<string>}
 */
export function reach(members, direct) {
  const reached = new Set(members);
  for (const each of reached) {
    direct.get(each)?.forEach((further) => reached.add(further));
  }
  return reached;
}

/**
 * The members that the sources of each member use: those that its manifest names, except what only its tests import.
 *
 * @param {ReadonlyMap<string, Content>} contents
 * @param {ReturnType<typeof manifestsOf>} manifests
 */
export function usedBySources(contents, manifests) {
  const direct = directOf(manifests);
  /** @type {Map<string, Set<string>>} */
  const used = new Map([...manifests.keys()].map((directory) => [directory, new Set()]));
  const named = namesIn(manifests);
  for (const [path, { text }] of contents) {
    const member = memberOf(path);
    if (text !== "" && isUsed(path)) {
      named(text).forEach((name) => used.get(member)?.add(name));
    }
  }
  for (const [directory, { dependencies, peerDependencies }] of manifests) {
    const kept = { ...dependencies, ...peerDependencies };
    for (const each of direct.get(directory) ?? []) {
      if (manifests.get(each)?.["name"] in kept) {
        used.get(directory)?.add(each);
      }
    }
    for (const each of used.get(directory) ?? []) {
      if (!direct.get(directory)?.has(each)) {
        used.get(directory)?.delete(each);
      }
    }
  }
  return used;
}

/**
 * Finds the members that a text names, by their package or their folder.
 *
 * @param {ReturnType<typeof manifestsOf>} manifests
 * @returns {(text: string) => ReadonlySet<string>}
 */
export function namesIn(manifests) {
  const byName = new Map([...manifests].map(([directory, { name }]) => [name, directory]));
  return (text) =>
    new Set(
      membersNamedIn(text).flatMap((found) => {
        const directory = byName.get(found) ?? found;
        return manifests.has(directory) ? [directory] : [];
      }),
    );
}

// Many tests import the same files.
const membersNamedIn = oncePerText((text) => [
  ...new Set(text.match(/@tenon\/[\w-]+|(?:packages|tools|examples)\/[\w-]+/g)),
]);
const filesNamedIn = oncePerText((text) => [...new Set(text.match(/[\w./-]+\.\w+/g))]);

/** @param {(text: string) => readonly string[]} find */
function oncePerText(find) {
  /** @type {Map<string, readonly string[]>} */
  const known = new Map();
  return (/** @type {string} */ text) => {
    const found = known.get(text) ?? find(text);
    known.set(text, found);
    return found;
  };
}

/**
 * The members that a test file names, also by the files of its member that it names: by a relative path, or by their names alone.
 *
 * @param {string} test
 * @param {ReadonlyMap<string, readonly string[]>} others - The other files of its member, by their names.
 * @param {ReadonlyMap<string, Content>} contents
 * @param {ReturnType<typeof namesIn>} named
 */
export function namedByTest(test, others, contents, named) {
  const files = new Set([test]);
  /** @type {Set<string>} */
  const members = new Set();
  for (const file of files) {
    const text = contents.get(file)?.text ?? "";
    named(text).forEach((member) => members.add(member));
    for (const word of filesNamedIn(text)) {
      const path = join(dirname(file), word);
      const isPath = /^\.\.?\//.test(word) && contents.has(path);
      const found = isPath ? [path] : others.get(word.slice(word.lastIndexOf("/") + 1));
      found?.filter((each) => memberOf(each) === memberOf(test)).forEach((each) => files.add(each));
    }
  }
  return members;
}
