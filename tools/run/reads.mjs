// What tests have read, compared with what makes them due.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { declaredBy, isTracked } from "./units.mjs";

/**
 * Returns the undeclared reads, a line for each unit and path: files that tests read although a change of them does not make the tests due.
 *
 * @param {string} root
 * @param {string} file - What `record-reads.ts` has written; there may be none.
 * @param {readonly import("./units.mjs").Unit[]} units
 * @returns {readonly string[]}
 */
export function undeclaredReads(root, file, units) {
  if (!existsSync(file)) {
    return [];
  }
  const members = new Set(units.flatMap(({ name, directory }) => (name === directory ? [name] : [])));
  const tracked = isTracked(root);
  /** @type {Map<import("./units.mjs").Unit, (path: string) => boolean>} */
  const declared = new Map();
  const isDeclared = (/** @type {import("./units.mjs").Unit} */ unit) => {
    const known = declared.get(unit) ?? declaredBy(unit, members);
    declared.set(unit, known);
    return known;
  };
  /** @type {Set<string>} */
  const problems = new Set();
  for (const line of new Set(readFileSync(file, "utf8").split("\n"))) {
    const [test = "", path = ""] = line.split("\t");
    const unit = units.find(({ tests }) => tests.includes(test));
    const source = sourceOf(root, path);
    if (unit !== undefined && tracked(source) && !isDeclared(unit)(source)) {
      problems.add(`The tests of ${unit.name} read ${source}, which tools/run/inputs.mjs does not declare.`);
    }
  }
  return [...problems].toSorted();
}

/**
 * Returns the manifest of the member for a built or packed file, because such files are made from the member's sources. Other paths are returned unchanged.
 *
 * @param {string} root
 * @param {string} path
 */
function sourceOf(root, path) {
  const [, member, rest] = /^((?:packages|tools|examples)\/[^/]+)\/(.*)$/.exec(path) ?? [];
  if (member !== undefined && /^(?:dist|assets)(?:\/|$)/.test(rest ?? "")) {
    return `${member}/package.json`;
  }
  const pack = /^\.packs\/tenon-(.+?)-\d/.exec(path)?.[1];
  return pack !== undefined && existsSync(join(root, "packages", pack))
    ? `packages/${pack}/package.json`
    : path;
}
