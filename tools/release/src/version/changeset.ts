import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** By how much a change raises the version. */
export type Bump = "patch" | "minor" | "major";

/** A change that waits for the next release. */
export interface Changeset {
  readonly file: string;
  /** The packages that it changes, without their scope, sorted. */
  readonly packages: readonly string[];
  /** The highest of its packages. */
  readonly bump: Bump;
  readonly text: string;
}

const bumps: readonly Bump[] = ["patch", "minor", "major"];

/** The greater of two. */
export function higher(a: Bump, b: Bump): Bump {
  return bumps.indexOf(a) > bumps.indexOf(b) ? a : b;
}

/**
 * The changesets of a repository, by name.
 *
 * @throws If one has no front matter, or raises a package by anything but a patch, minor or major
 *   version.
 */
export function pendingChangesets(root: string): readonly Changeset[] {
  const folder = join(root, ".changeset");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .toSorted()
    .map((file) => parse(file, readFileSync(join(folder, file), "utf8")));
}

function parse(file: string, source: string): Changeset {
  const [, head, text] = /^---\r?\n([^]*?)\r?\n---\r?\n([^]*)$/.exec(source) ?? [];
  if (head === undefined || text === undefined) {
    throw new Error(`.changeset/${file} must begin with its packages between two lines of "---".`);
  }
  const rows = head.split("\n").filter((line) => line.trim() !== "");
  const packages = rows.map((row) => {
    const [, name, bump] = /^["']?([^"':]+)["']?: *(patch|minor|major)\s*$/.exec(row) ?? [];
    if (name === undefined || bump === undefined) {
      throw new Error(`.changeset/${file}: expected "<package>": patch, minor or major, got ${row}.`);
    }
    return [name, bump as Bump] as const;
  });
  return {
    file,
    packages: packages.map(([name]) => name.replace("@tenon/", "")).toSorted(),
    bump: packages.reduce<Bump>((highest, [, bump]) => higher(highest, bump), "patch"),
    text: text.trim(),
  };
}
