import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { publishedPackages, root, type Published } from "../src/packages.ts";

const repository = "https://github.com/tenon-mcp/tenon";
const published = publishedPackages();
const named = published.map((each) => [each.manifest.name, each] as const);
const readmeOf = ({ folder }: Published): string => readFileSync(join(root, folder, "README.md"), "utf8");
const withoutCode = (page: string): string => page.replaceAll(/```[\s\S]*?```/g, "");

test("all packages have one version, and are versioned together", () => {
  expect(new Set(published.map(({ manifest }) => manifest.version)).size).toBe(1);
  const { fixed } = JSON.parse(readFileSync(join(root, ".changeset/config.json"), "utf8")) as {
    readonly fixed: readonly [readonly string[]];
  };
  const covers = (name: string): boolean =>
    fixed[0].some((pattern) => name === pattern || name.startsWith(pattern.replace(/\*$/, "")));
  expect(published.map(({ manifest }) => manifest.name).filter((name) => !covers(name))).toEqual([]);
});

test.each(named)("the manifest of %s says what a registry shows", (name, { folder, manifest }) => {
  expect(manifest).toMatchObject({
    description: expect.stringMatching(/^[A-Z][^\n]{20,140}[^.]$/) as unknown,
    homepage: `${repository}/tree/main/${folder}#readme`,
    bugs: `${repository}/issues`,
    license: "MIT",
    repository: { type: "git", url: `git+${repository}.git`, directory: folder },
    type: "module",
    publishConfig: { access: "public", provenance: true },
    engines: { node: ">=20.19" },
  });
  expect(manifest.keywords).toEqual([...(manifest.keywords ?? [])].toSorted());
  expect(manifest.keywords?.length, name).toBeGreaterThan(1);
  expect(manifest.funding).toBeUndefined();
});

test.each(named)("%s is published with its changelog, and without what nobody can use", (_, { manifest }) => {
  expect(manifest.files).toContain("CHANGELOG.md");
  expect(manifest.files?.filter((path) => /test|\.\.|^\*/.test(path))).toEqual([]);
  if (manifest.bin === undefined) {
    expect(manifest.exports).toHaveProperty(["./package.json"], "./package.json");
  }
});

test.each(named)("S-008: nothing of %s runs when it is installed", (_, { manifest }) => {
  const scripts = Object.keys(manifest.scripts ?? {});
  expect(scripts.filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});

test.each(named)(
  "%s takes other packages of Tenon in the version that it was tested with",
  (_, { manifest }) => {
    const { dependencies, peerDependencies, optionalDependencies } = manifest;
    const all = Object.entries({ ...dependencies, ...peerDependencies, ...optionalDependencies });
    const ours = all.filter(([name]) => name.startsWith("@tenon/"));
    expect(ours.filter(([, range]) => range !== "workspace:^")).toEqual([]);
  },
);

test.each(named)(
  "the README of %s begins with its name, and its links work where npm shows it",
  (name, each) => {
    const readme = readmeOf(each);
    expect(readme.split("\n", 1)[0]).toBe(`# ${name}`);
    const links = [...withoutCode(readme).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    // A relative link leads nowhere inside node_modules.
    expect(links.filter((link) => !/^(?:https:|mailto:|#)/.test(link))).toEqual([]);
    const ours = links.flatMap((link) => {
      const path = /^https:\/\/github\.com\/tenon-mcp\/tenon\/(?:blob|tree)\/main\/([^#]+)/.exec(link)?.[1];
      return path === undefined ? [] : [path];
    });
    expect(ours.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);

test("the README of every package shows how to install it, or says that it is internal", () => {
  const without = published
    .filter((each) => !/npm (?:install|create)|npx |"overrides"|It is internal\./.test(readmeOf(each)))
    .map(({ manifest }) => manifest.name);
  expect(without).toEqual([]);
});
