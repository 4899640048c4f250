import type { Changeset } from "./changeset.ts";

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
  /** The first release is new as a whole: its notes say what there is. */
  readonly isFirst: boolean;
}

/** The part of `CHANGELOG.md` about one version. */
export function releaseSection({ version, date, notes, changes, isFirst }: ReleaseText): string {
  const parts = [`## ${version} (${date})`];
  if (notes !== undefined) {
    parts.push(notes.trim());
  }
  if (!isFirst) {
    parts.push(
      ...listed("New and changed", changes, "major", "minor"),
      ...listed("Repaired", changes, "patch"),
    );
  }
  return `${parts.join("\n\n")}\n`;
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
