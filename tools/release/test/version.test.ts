import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";

import { copyRepository } from "../src/copy.ts";
import { publishedPackages, root } from "../src/packages.ts";
import { firstChangelog, releaseSection, sectionOf, withSection } from "../src/version/changelog.ts";
import { pendingChangesets } from "../src/version/changeset.ts";
import { raiseVersion, versionsOfSelves } from "../src/version/raise.ts";

let copy = "";
const day = new Date("2026-12-01T12:00:00Z");
const git = (...args: readonly string[]): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args], {
    cwd: copy,
    encoding: "utf8",
  });
const read = (path: string): string => readFileSync(join(copy, path), "utf8");
const change = (name: string, bump: string, text: string): void =>
  writeFileSync(join(copy, `.changeset/${name}.md`), `---\n"@tenon/mcp": ${bump}\n---\n\n${text}\n`);

/** The sources of one package stand for all sources that have the version in them. */
const isCopied = (path: string): boolean => !/^packages\/(?!ship\/)[^/]+\/[^/]+\//.test(path);

beforeAll(() => {
  copy = copyRepository(isCopied);
  for (const { folder } of publishedPackages(copy)) {
    mkdirSync(join(copy, folder, "src"), { recursive: true });
  }
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

test("every changeset names packages that exist, and says something", () => {
  const names = new Set(publishedPackages().map(({ manifest }) => manifest.name.replace("@tenon/", "")));
  const wrong = pendingChangesets(root).filter(
    ({ packages, text }) => text.length < 20 || packages.some((name) => !names.has(name)),
  );
  expect(wrong.map(({ file }) => file)).toEqual([]);
});

test("S-204: one command makes the next release of all packages, with a changelog for people and one of each package", () => {
  const before = readVersion();
  change("adds", "minor", "`made_up` is new.");
  const { from, version } = raiseVersion(copy, day);
  expect([from, version]).toEqual([before, nextOf(before)]);
  expect(new Set(publishedPackages(copy).map(({ manifest }) => manifest.version))).toEqual(
    new Set([version]),
  );
  expect(new Set(versionsOfSelves(copy))).toEqual(new Set([version]));
  expect(pendingChangesets(copy)).toEqual([]);
  expect(read("CHANGELOG.md")).toContain(`\n## ${version} (2026-12-01)\n`);
  // The first release is new as a whole: nobody knows the versions that its changesets changed.
  const isFirst = before === "0.0.0";
  const said = isFirst ? "npm install @tenon/sdk" : "`made_up` is new.";
  expect(sectionOf(read("CHANGELOG.md"), version)).toContain(said);
  expect(read("packages/mcp/CHANGELOG.md")).toContain(isFirst ? "The first release." : "- `made_up` is new.");
  expect(read("packages/mcp/CHANGELOG.md")).toContain(`\n## ${version}\n`);
  expect(read("packages/mcp/CHANGELOG.md")).not.toContain("Updated dependencies");
  // What is not published has no versions.
  expect(existsSync(join(copy, "tools/release/CHANGELOG.md"))).toBe(false);
  git("add", "--all");
  git("commit", "--quiet", "--message", "release");
  git("tag", `v${version}`);
});

test("the first release says what each package is, and not how it was made", () => {
  const manifest = {
    name: "@tenon/mcp",
    version: "0.1.0",
    description: "The protocol",
    homepage: "https://example.com/mcp",
  };
  const change = { file: "a.md", packages: ["mcp"], bump: "patch", text: "A list is complete." } as const;
  const published = { folder: "packages/mcp", manifest };
  expect(firstChangelog(published, "0.1.0")).toMatch(
    /^# @tenon\/mcp\n\n## 0\.1\.0\n\nThe first release\. The protocol\. Its \[README\]\(https:\/\/example\.com\/mcp\)/,
  );
  const section = releaseSection({
    version: "0.1.0",
    date: "2026-12-01",
    notes: "Read this.",
    changes: [change],
    first: [published],
  });
  expect(section).toMatch(
    /^## 0\.1\.0 \(2026-12-01\)\n\nRead this\.\n\n### Packages\n\n- \[`@tenon\/mcp`\]\(https:\S+\/packages\/mcp\/README\.md\): The protocol\n$/,
  );
});

test("without changesets there is nothing to release", () => {
  expect(() => raiseVersion(copy, day)).toThrow("There is nothing to release");
});

test("S-204: what breaks programs cannot be released as a patch, and the message names it", () => {
  const before = readVersion();
  change("breaks", "patch", "A tool is asked for more than before.");
  const report = "tools/release/api/transports-memory.txt";
  writeFileSync(join(copy, report), read(report).replace("createInMemoryTransports", "createTransportPair"));
  expect(() => raiseVersion(copy, day)).toThrow(
    /make a patch release of .*\n.*transports-memory\.txt: .*createInMemoryTransports[^]*Give the changeset .* a minor version/,
  );
  expect(readVersion()).toBe(before);

  change("breaks", "minor", "`createInMemoryTransports` is `createTransportPair` now.");
  const { version } = raiseVersion(copy, day);
  expect(version).toBe(nextOf(before));
  expect(sectionOf(read("CHANGELOG.md"), version)).toBe(
    "### New and changed\n\n- **mcp**: `createInMemoryTransports` is `createTransportPair` now.",
  );
  expect(sectionOf(read("CHANGELOG.md"), before)).not.toContain("createTransportPair");
});

test("the changelog for people tells what is new from what is repaired, below what a person wrote", () => {
  const section = releaseSection({
    version: "1.2.3",
    date: "2026-12-01",
    notes: "Read this.\n",
    changes: [
      {
        file: "a.md",
        packages: ["mcp"],
        bump: "patch",
        text: "A list no longer ends early.\n\nOld clients saw it.",
      },
      {
        file: "b.md",
        packages: ["auth", "host", "http", "mcp", "node"],
        bump: "minor",
        text: "`limit` is new.",
      },
    ],
  });
  expect(withSection("# Old head\n\n## 1.2.2 (2026-11-01)\n\nOld.\n", section)).toMatch(
    /^# Changelog\n[^]*\n\n## 1\.2\.3 \(2026-12-01\)\n\nRead this\.\n\n### New and changed\n\n- \*\*many packages\*\*: `limit` is new\.\n\n### Repaired\n\n- \*\*mcp\*\*: A list no longer ends early\.\n\n {2}Old clients saw it\.\n\n## 1\.2\.2 \(2026-11-01\)\n\nOld\.\n$/,
  );
});

function readVersion(): string {
  return publishedPackages(copy)[0]?.manifest.version ?? "";
}

/** The next minor version. */
function nextOf(version: string): string {
  const [major, minor] = version.split(".");
  return `${major}.${Number(minor) + 1}.0`;
}
