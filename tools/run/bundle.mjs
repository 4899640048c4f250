// The JavaScript of a package, after tsc has written the declarations: one file for each export and command, and what these share.
// Node spends about a millisecond on every file it loads; a server that starts from a few files is ready in half the time.
// Packages are never bundled into one another: whatever a package imports by name stays an import. bundle-program.mjs is for programs that no package imports.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

import { rolldown } from "rolldown";

import { sharedFiles } from "./chunks.mjs";

/** The modules that conditions may select, as they are named in `dist`; `null` selects none. */
function targets(entry) {
  if (entry === null) {
    return [];
  }
  if (typeof entry === "string") {
    return entry.startsWith("./dist/") ? [entry.slice("./dist/".length, -".js".length)] : [];
  }
  return Object.entries(entry).flatMap(([condition, value]) => (condition === "types" ? [] : targets(value)));
}

/** Whether a package has exports of its own, so that others import it. */
export const isLibrary = ({ exports = {} }) => targets(exports).length > 0;

function filesOf(folder) {
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true }).map((path) => path.replaceAll("\\", "/"))
    : [];
}

/**
 * Writes what others load of a package.
 *
 * @param {string} folder - Of the package, absolute.
 * @returns {Promise<void>}
 */
export async function bundlePackage(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { bin = {}, exports, imports = {}, sideEffects } = manifest;
  const src = join(folder, "src");
  const dist = join(folder, "dist");
  const sources = filesOf(src).flatMap((path) =>
    path.endsWith(".ts") ? [path.slice(0, -".ts".length)] : [],
  );
  const matching = (name) => {
    const [start, end] = name.split("*");
    return end === undefined
      ? [name]
      : sources.filter((source) => source.startsWith(start) && source.endsWith(end));
  };
  const names = [...new Set([...targets(exports), ...targets(imports), ...targets(bin)].flatMap(matching))];

  const shared = sharedFiles(src, names, sources, sideEffects === true);
  const fileOf = (id) => shared.get(relative(src, id).replaceAll("\\", "/").slice(0, -".ts".length)) ?? null;

  const bundle = await rolldown({
    cwd: folder,
    input: Object.fromEntries(names.map((name) => [name, join("src", `${name}.ts`)])),
    external: (id) => !/^[./]/.test(id) && !id.startsWith(folder) && !id.startsWith("@oxc-project/runtime/"),
    platform: "neutral",
    // Node 20 does not know `using`. The function that takes its place becomes a part of the package.
    transform: { target: "node20.19" },
    tsconfig: false,
    // Directives of entries, such as "use client", stay in their files.
    checks: { moduleLevelDirective: false },
    // What the groups below need. No entry exports more than its source, because what others import of it is in files that are shared.
    preserveEntrySignatures: "allow-extension",
  });
  const { output } = await bundle.write({
    dir: dist,
    format: "esm",
    chunkFileNames: "shared/[name].js",
    codeSplitting: {
      groups: [{ name: fileOf, debugName: "common" }],
      includeDependenciesRecursively: false,
    },
    // What tools that remove unused code read stays; documentation is in the declarations.
    comments: { annotation: true, jsdoc: false, legal: true },
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundle.close();

  // What was there before stays until there is something to take its place.
  const written = new Set(output.flatMap(({ fileName }) => [fileName, `${fileName}.map`]));
  for (const path of filesOf(dist).filter((file) => /\.js(\.map)?$/.test(file) && !written.has(file))) {
    rmSync(join(dist, path));
  }

  // The compiler leaves the declarations of sources that are gone or renamed, which would be published.
  for (const path of filesOf(dist)) {
    const source = /^(.*)\.d\.ts(?:\.map)?$/.exec(path)?.[1];
    if (source !== undefined && !sources.includes(source) && !sources.includes(`${source}.d`)) {
      rmSync(join(dist, path));
    }
  }

  // The bundler lets an entry import the files of the entries that it re-exports, even if it takes everything from files they share. In a package without side effects
  // such an import does nothing, and users' bundlers warn of it. The line stays, for the source map.
  for (const { fileName } of sideEffects === false ? output : []) {
    if (fileName.endsWith(".js")) {
      rewrite(join(dist, fileName), /^import "\.[^"]*";$/gm);
    }
  }

  // The ids of requirements are for those who work on this repository; users would read them in every hover. Lines stay, since declaration maps count them.
  for (const path of filesOf(dist).filter((file) => file.endsWith(".d.ts"))) {
    rewrite(join(dist, path), / *@source\b.*?(?= *\*\/|$)/gm);
  }

  // TypeScript lets a CommonJS module import only what is declared as CommonJS, although Node loads ES modules by `require`. Without "ts-ignore" it reports the import below.
  for (const { types } of Object.values(exports)) {
    const name = types?.require?.slice("./dist/".length, -".d.cts".length);
    for (const match of name === undefined ? [] : matching(name)) {
      const text = `// @ts-ignore Node.js loads ES modules by require, too.\nexport * from "./${basename(match)}.js";\n`;
      writeFileSync(join(dist, `${match}.d.cts`), text);
    }
  }
}

/** Removes a pattern from a file. Its time stays: for the compiler, what uses a newer declaration is out of date. */
function rewrite(file, pattern) {
  const text = readFileSync(file, "utf8");
  const without = text.replace(pattern, "");
  if (without !== text) {
    const { atime, mtime } = statSync(file);
    writeFileSync(file, without);
    utimesSync(file, atime, mtime);
  }
}
