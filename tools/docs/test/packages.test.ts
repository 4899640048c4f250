import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
}

interface Config {
  readonly references?: readonly { readonly path: string }[];
  readonly tags?: readonly string[];
}

const textOf = (path: string): string => readFileSync(join(root, path), "utf8");
const packages = readdirSync(join(root, "packages"))
  .filter((name) => existsSync(join(root, "packages", name, "package.json")))
  .toSorted();
const forTests = /^@types\/|^@tenon\/(?:matrix|test-support|samples)$/;

/** A program that is bundled whole has its dependencies among the devDependencies. */
function dependenciesOf(folder: string): readonly string[] {
  const { dependencies, devDependencies, exports } = JSON.parse(textOf(`${folder}/package.json`)) as Manifest;
  const isPackage = folder.startsWith("packages/");
  const isBundled = isPackage && Object.keys(exports).every((name) => name === "./package.json");
  const bundled = isBundled ? Object.keys(devDependencies ?? {}) : [];
  return [...Object.keys(dependencies ?? {}), ...bundled.filter((name) => !forTests.test(name))];
}
const referencesIn = (path: string): readonly string[] =>
  ((JSON.parse(textOf(path)) as Config).references ?? []).map((reference) => reference.path);
const scope = "@tenon/";

test("README lists every package once", () => {
  const table = /^## Packages\n([\s\S]*?)^## /m.exec(textOf("README.md"))?.[1] ?? "";
  const listed = [...table.matchAll(/\(packages\/([^/)]+)\)/g)].map(([, name = ""]) => name);
  expect(listed.toSorted()).toEqual(packages);
});

test.each(["tsconfig.json", "tsconfig.build.json"])("%s refers to every package", (config) => {
  const folders = packages.map((name) => `packages/${name}`);
  expect(folders.filter((folder) => !referencesIn(config).includes(folder))).toEqual([]);
});

test.each(packages)("%s refers to the packages that it depends on", (name) => {
  const folder = join(root, "packages", name);
  const configs = readdirSync(folder).filter((file) => /^tsconfig.*\.json$/.test(file));
  const referred = configs.flatMap((file) => referencesIn(`packages/${name}/${file}`));
  const needed = dependenciesOf(`packages/${name}`)
    .filter((dependency) => dependency.startsWith(scope))
    .map((dependency) => `../${dependency.slice(scope.length)}`);
  expect(needed.filter((path) => !referred.includes(path))).toEqual([]);
});

test.each(packages)("%s has the tag of one level", (name) => {
  const { tags = [] } = JSON.parse(textOf(`packages/${name}/turbo.json`)) as Config;
  expect(tags).toEqual([expect.stringMatching(/^(base|level\d|contracts)$/)]);
});

test("DEPENDENCIES gives a reason for everything that a package brings along", () => {
  const page = textOf("DEPENDENCIES.md");
  const rows = /^## At run time\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
  const foreign = [...packages.map((name) => `packages/${name}`), "tools/codegen"]
    .flatMap((folder) => dependenciesOf(folder))
    .filter((dependency) => !dependency.startsWith(scope));
  expect(new Set(foreign).size).toBeGreaterThan(5);
  expect(foreign.filter((dependency) => !rows.includes(`\`${dependency}\``))).toEqual([]);
});
