import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { compareReports, type ApiChange } from "../api/compare.ts";
import { publishedPackages } from "../packages.ts";
import { firstChangelog, releaseSection, withSection } from "./changelog.ts";
import { higher, pendingChangesets, type Bump } from "./changeset.ts";

/** What a release became. */
export interface Raised {
  readonly from: string;
  readonly version: string;
}

/**
 * Turns the changesets into a release: the versions of all packages, their changelogs, the one for
 * people, and the version that programs say of themselves. Commits nothing.
 *
 * @param root - The repository, with `node_modules`.
 * @param today - The date of the release.
 * @throws If there are no changesets, or if the public interface lost something since the last
 *   release and the changesets raise the version too little for that. Nothing is changed then.
 */
export function raiseVersion(root: string, today: Date = new Date()): Raised {
  const from = versionOf(root);
  const changes = pendingChangesets(root);
  if (changes.length === 0) {
    throw new Error("There is nothing to release: .changeset has no changesets.");
  }
  const bump = changes.reduce<Bump>((highest, change) => higher(highest, change.bump), "patch");
  checkBump(from, bump, lostSince(root, `v${from}`));
  execFileSync(join(root, "node_modules/.bin/changeset"), ["version"], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    shell: process.platform === "win32",
  });
  const version = versionOf(root);
  const first = from === "0.0.0" ? publishedPackages(root) : undefined;
  for (const each of first ?? []) {
    writeFileSync(join(root, each.folder, "CHANGELOG.md"), firstChangelog(each, version));
  }
  const notes = join(root, `tools/release/notes/${version}.md`);
  const file = join(root, "CHANGELOG.md");
  const section = releaseSection({
    version,
    date: today.toISOString().slice(0, 10),
    notes: existsSync(notes) ? readFileSync(notes, "utf8") : undefined,
    changes,
    first,
  });
  writeFileSync(file, withSection(existsSync(file) ? readFileSync(file, "utf8") : undefined, section));
  renameSelves(root, from, version);
  return { from, version };
}

/** @throws If the packages have several versions. */
function versionOf(root: string): string {
  const versions = new Set(publishedPackages(root).map(({ manifest }) => manifest.version));
  const [version] = versions;
  if (version === undefined || versions.size > 1) {
    throw new Error(`Expected one version of all packages, got ${[...versions].join(", ")}.`);
  }
  return version;
}

/** What programs could use at a tag, and cannot use now. Without a tag nothing can be lost. */
function lostSince(root: string, tag: string): readonly ApiChange[] {
  const folder = "tools/release/api";
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 1 << 26,
      stdio: ["ignore", "pipe", "pipe"],
    });
  if (git("tag", "--list", tag).trim() === "") {
    return [];
  }
  return git("ls-tree", "--name-only", `${tag}:${folder}`)
    .split("\n")
    .filter((file) => file !== "" && file !== "base.txt")
    .map((file) => {
      const now = join(root, folder, file);
      const text = existsSync(now) ? readFileSync(now, "utf8") : "";
      return compareReports(file, git("show", `${tag}:${folder}/${file}`), text);
    })
    .filter(({ removed }) => removed.length > 0);
}

function checkBump(from: string, bump: Bump, lost: readonly ApiChange[]): void {
  const needed: Bump = from.startsWith("0.") ? "minor" : "major";
  if (lost.length === 0 || higher(bump, needed) === bump) {
    return;
  }
  const lines = lost.flatMap(({ file, removed }) => removed.slice(0, 5).map((line) => `  ${file}: ${line}`));
  throw new Error(
    `The changesets make a ${bump} release of ${from}, but the public interface lost or changed:\n${lines.join("\n")}\n` +
      `Give the changeset of that change a ${needed} version, and say in it how to adapt.`,
  );
}

/** `"tenon-host", version: "0.1.0"`: programs say which version of Tenon they are. */
const self = /("(?:tenon-[a-z]+|@tenon\/[a-z]+)", version: ")([^"]+)(")/g;

function renameSelves(root: string, from: string, version: string): void {
  for (const path of selves(root)) {
    const text = readFileSync(path, "utf8");
    writeFileSync(
      path,
      text.replaceAll(self, (all, start: string, old: string, end: string) =>
        old === from ? `${start}${version}${end}` : all,
      ),
    );
  }
}

/** The sources that have the version of Tenon in them. */
export function selves(root: string): readonly string[] {
  return publishedPackages(root).flatMap(({ folder }) => {
    const sources = join(root, folder, "src");
    return readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => join(sources, path))
      .filter((path) => readFileSync(path, "utf8").search(self) >= 0);
  });
}

/** The versions that sources say of Tenon. */
export function versionsOfSelves(root: string): readonly string[] {
  return selves(root).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(self)].map(([, , version = ""]) => version),
  );
}
