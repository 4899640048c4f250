import type { Published } from "../packages.ts";
import type { Changeset } from "./changeset.ts";

const repository = "https://github.com/tenon-mcp/tenon/blob/main";

const head = `# Changelog

All packages are released together under one version. This file says what is new for people who use them; the \`CHANGELOG.md\` of each package has its own part. [VERSIONING.md](VERSIONING.md) says what a version promises.
`;

/** What a release says of itself. */
export interface ReleaseText {
  readonly version: string;
  /** `2026-11-30`. */
  readonly date: string;
  /** What a person wrote about it, if anything. */
  readonly notes: string | undefined;
  readonly changes: readonly Changeset[];
  /** The packages of the first release. It is new as a whole, and its notes say what there is. */
  readonly first?: readonly Published[] | undefined;
}

/** The part of `CHANGELOG.md` about one version. */
export function releaseSection({ version, date, notes, changes, first }: ReleaseText): string {
  const parts = [`## ${version} (${date})`];
  if (notes !== undefined) {
    parts.push(notes.trim());
  }
  if (first === undefined) {
    parts.push(
      ...listed("New and changed", changes, "major", "minor"),
      ...listed("Repaired", changes, "patch"),
    );
  } else {
    const lines = first.map(
      ({ folder, manifest: { name, description = "" } }) =>
        `- [\`${name}\`](${repository}/${folder}/README.md): ${description}`,
    );
    parts.push("### Packages", lines.join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}

/**
 * The changelog of a package at its first release. The changesets until then describe how it was
 * made, to readers who know no earlier version.
 */
export function firstChangelog(
  { manifest: { name, description = "", homepage = "" } }: Published,
  version: string,
): string {
  const text = `The first release. ${description}. Its [README](${homepage}) shows how to use it. The [notes of the release](${repository}/CHANGELOG.md) describe all packages together.`;
  return `# ${name}\n\n## ${version}\n\n${text}\n`;
}

function listed(
  title: string,
  changes: readonly Changeset[],
  ...bumps: readonly Changeset["bump"][]
): readonly string[] {
  const lines = changes
    .filter(({ bump }) => bumps.includes(bump))
    .map(({ packages, text }) => {
      const names = packages.length > 4 ? "many packages" : packages.join(", ");
      return `- **${names}**: ${text.replaceAll("\n", "\n  ").replaceAll(/\n +\n/g, "\n\n")}`;
    });
  return lines.length === 0 ? [] : [`### ${title}`, lines.join("\n")];
}

/** Puts a section above those that are there. */
export function withSection(changelog: string | undefined, section: string): string {
  const older = changelog === undefined ? "" : changelog.slice(Math.max(0, changelog.indexOf("\n## ")));
  return `${head}\n${section}${older.startsWith("\n## ") ? older : ""}`;
}

/**
 * What `CHANGELOG.md` says about a version: the text of its release on GitHub.
 *
 * @throws If it says nothing.
 */
export function sectionOf(changelog: string, version: string): string {
  const sections = changelog.split(/^(?=## )/m);
  const section = sections.find((each) => each.startsWith(`## ${version} `));
  if (section === undefined) {
    throw new Error(
      `CHANGELOG.md has no section for ${version}; run pnpm --filter @tenon/release run version.`,
    );
  }
  return section.slice(section.indexOf("\n")).trim();
}
