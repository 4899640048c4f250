import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { describe, expect, test } from "vitest";

const packages = resolve(import.meta.dirname, "../../../packages");

const read = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), "utf8"));

/** Every file below a folder, relative to it, with slashes. */
const below = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));

/** The JavaScript files that an entry of `exports` or `imports` may select. */
function targets(entry: unknown): string[] {
  if (typeof entry === "string") {
    return entry.endsWith(".js") ? [entry] : [];
  }
  return Object.values(entry as Record<string, unknown>).flatMap(targets);
}

/** The packages that a module loads at once, with all modules that it imports by path. */
function packagesOf(first: string): Set<string> {
  const names = new Set<string>();
  const modules = new Set([first]);
  for (const module of modules) {
    const text = readFileSync(module, "utf8");
    for (const [, clause = "", path = ""] of text.matchAll(imported)) {
      if (path.startsWith(".")) {
        modules.add(resolve(module, "..", path));
      } else if (!path.startsWith("#") && !isOfTypes(clause)) {
        names.add(path.split("/", path.startsWith("@") ? 2 : 1).join("/"));
      }
    }
  }
  return names;
}

const imported = /^(?:import|export)(?! type\b)(?:\s([^;"]*?)\bfrom)?\s*"([^"]+)";/gm;

/** Whether all names of an import are types, so that compiled code does not have it. */
function isOfTypes(clause: string): boolean {
  const names = /^\s*\{([^]*)\}\s*$/.exec(clause)?.[1]?.split(",") ?? [""];
  const written = names.map((name) => name.trim()).filter((name) => name !== "");
  return written.length > 0 && written.every((name) => name.startsWith("type "));
}

/**
 * Whether a file has no code of its own: it only imports and exports. Its map names the sources all
 * the same.
 */
function onlyPasses(text: string): boolean {
  return text.replace(/^(?:import|export)\b[^;"]*(?:"[^"]*")?;$|^\/\/.*$/gm, "").trim() === "";
}

describe.each(readdirSync(packages))("the built package %s", (name) => {
  const folder = join(packages, name);
  const manifest = read(folder, "package.json") as {
    exports: unknown;
    imports?: unknown;
    bin?: unknown;
    sideEffects?: unknown;
  };
  const maps = below(join(folder, "dist")).filter(
    (file) =>
      file.endsWith(".js.map") && !onlyPasses(readFileSync(join(folder, "dist", file.slice(0, -4)), "utf8")),
  );
  const sources = maps.flatMap((map) =>
    (read(folder, "dist", map) as { sources: string[] }).sources.map((source) =>
      resolve(folder, "dist", map, "..", source),
    ),
  );

  test("has every file that its manifest names", () => {
    const { exports, imports = {}, bin = {} } = manifest;
    const files = [exports, imports, bin].flatMap(targets);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files.filter((path) => !path.includes("*"))) {
      expect(existsSync(join(folder, file)), file).toBe(true);
    }
  });

  test("has declarations without the ids of requirements, which users would read in every hover", () => {
    const declarations = below(join(folder, "dist")).filter((file) => file.endsWith(".d.ts"));
    expect(declarations.length).toBeGreaterThan(0);
    expect(
      declarations.filter((file) => readFileSync(join(folder, "dist", file), "utf8").includes("@source")),
    ).toEqual([]);
  });

  test("has no `using`, which Node 20 does not know", () => {
    const files = below(join(folder, "dist")).filter((file) => file.endsWith(".js"));
    // Templates may be code for newer versions, which a program writes.
    const codeOf = (file: string): string =>
      readFileSync(join(folder, "dist", file), "utf8").replace(/`(?:[^`\\]|\\[^])*`/g, "``");
    expect(files.filter((file) => /^\s*(?:await )?using \w+ = /m.test(codeOf(file)))).toEqual([]);
  });

  // Nobody bundles a program, which has no code to import.
  const isProgram = manifest.sideEffects !== false && manifest.bin !== undefined;

  // The entries of this package put its engine into the official package.
  const hasEffects = name === "official-v1";

  test.skipIf(isProgram || hasEffects)(
    "imports no file only to run it, which bundlers warn of in packages without side effects",
    () => {
      const files = below(join(folder, "dist")).filter((file) => file.endsWith(".js"));
      expect(files.length).toBeGreaterThan(0);
      expect(
        files.filter((file) => /^import\s*"/m.test(readFileSync(join(folder, "dist", file), "utf8"))),
      ).toEqual([]);
    },
  );

  test("exports what its sources export, and nothing that its files need of each other", async () => {
    for (const file of targets(manifest.exports).filter((path) => !path.includes("*"))) {
      const source = file.replace("./dist/", "./src/").replace(/\.js$/, ".ts");
      const [built, written] = (await Promise.all(
        [file, source].map((path) => import(pathToFileURL(join(folder, path)).href)),
      )) as object[];
      expect(Object.keys(built ?? {}).toSorted(), file).toEqual(Object.keys(written ?? {}).toSorted());
    }
  });

  test("has no main entry that loads a package which its sources do not load", () => {
    const main = targets(manifest.exports).filter((path) => path === "./dist/index.js");
    for (const file of main) {
      const needed = packagesOf(join(folder, "src/index.ts"));
      const loaded = [...packagesOf(join(folder, file))];
      expect(loaded.filter((each) => !needed.has(each))).toEqual([]);
    }
  });

  test("is made of its own sources, each in one file, so that no class or table exists twice", () => {
    expect(sources.filter((source) => !source.startsWith(join(folder, "src")))).toEqual([]);
    expect(sources.filter((source, index) => sources.indexOf(source) !== index)).toEqual([]);
    expect(sources.filter((source) => !existsSync(source))).toEqual([]);
  });
});
