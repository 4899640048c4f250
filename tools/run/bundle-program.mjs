// The JavaScript of a program that no package imports: one file for each part that is loaded when it is needed, with everything
// that the program uses of other packages. Whoever installs it gets no other package, and no code that it does not use.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { rolldown } from "rolldown";

const startModules =
  /\/packages\/cli\/src\/(?:exit|shell|table|table\/[\w-]+|command\/(?:help|usage|shared-options)|output\/(?:table|width))\.ts$/;

/**
 * Writes the program of a package, and the licenses of what it contains.
 *
 * @param {string} folder - Of the package, absolute.
 * @returns {Promise<void>}
 */
export async function bundleProgram(folder) {
  const { bin } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const dist = join(folder, "dist");
  const entries = Object.values(bin).map((path) => path.replace(/^\.\/dist\/|\.js$/g, ""));
  const bundle = await rolldown({
    cwd: folder,
    input: Object.fromEntries(entries.map((name) => [name, join("src", `${name}.ts`)])),
    platform: "node",
    // The CommonJS of some packages loads its parts by a `require` that no bundler sees.
    resolve: { mainFields: ["module", "main"] },
    // Node 20 does not know `using`.
    transform: { target: "node20.19" },
    tsconfig: false,
    // What the group below needs.
    preserveEntrySignatures: "allow-extension",
  });
  const { output } = await bundle.write({
    dir: dist,
    format: "esm",
    // Without hashes, so that another build replaces the same files.
    chunkFileNames: "parts/[name].js",
    // What every start needs is one file. The entry itself must stay another: the parts that it loads would wait for its end.
    codeSplitting: {
      groups: [{ name: (id) => (startModules.test(id) ? "start" : null), debugName: "start" }],
      includeDependenciesRecursively: false,
    },
    // Names stay readable in the stack traces of errors.
    minify: { mangle: false, compress: true, codegen: { removeWhitespace: true } },
    comments: { annotation: false, jsdoc: false, legal: true },
  });
  await bundle.close();

  const written = new Set(output.map(({ fileName }) => fileName));
  for (const file of readdirSync(dist, { recursive: true }).map((path) => path.replaceAll("\\", "/"))) {
    if (/\.js(\.map)?$/.test(file) && !written.has(file)) {
      rmSync(join(dist, file));
    }
  }
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  writeFileSync(join(dist, "licenses.txt"), licensesOf(modules));
}

/** The licenses of the packages of others whose code is in the program. */
function licensesOf(modules) {
  const folders = new Set(modules.filter((id) => id.includes("/node_modules/")).map(packageFolder));
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
      const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
      return { name, text: `${name} ${version} (${license})\n\n${text}\n` };
    })
    .filter(({ name }) => !name.startsWith("@tenon/"))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ text }) => text)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function packageFolder(id) {
  let folder = dirname(resolve(id.replace(/^\0/, "").replace(/[?#].*$/, "")));
  while (
    !existsSync(join(folder, "package.json")) ||
    !JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version
  ) {
    folder = dirname(folder);
  }
  return folder;
}
