// npm run package: packs every package once, as it would be published, and checks the packs. `pack` and `check` do one half.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, posix } from "node:path";

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { problemAffectsResolutionKind } from "@arethetypeswrong/core/problems";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

import { must, pnpm, root } from "./workspace.mjs";

/** Where the packs are. Tests take them from there if `TENON_PACKS` names the folder. */
const folder = join(root, ".packs");
/** The packages are ES modules, so resolutions by which CommonJS finds no types do not count. */
const resolutions = /** @type {const} */ (["node16-esm", "bundler"]);

const [only, ...directories] = process.argv.slice(2);
/** The names of the packs to check: without directories, all. */
const names = directories.map((directory) => {
  const { name, version } = JSON.parse(readFileSync(join(root, directory, "package.json"), "utf8"));
  return `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
});

if (only !== "check") {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const published = ["--filter", "./packages/*", "--filter", "@tenon/codegen"];
  const args = ["--recursive", ...published, "pack", "--pack-destination", folder];
  await must(pnpm(args, { quiet: true }), "Packing");
}
if (only !== "pack") {
  let wrong = 0;
  for (const name of names.length > 0 ? names : readdirSync(folder).sort()) {
    for (const problem of await problemsOf(readFileSync(join(folder, name)))) {
      wrong++;
      process.stdout.write(`${name}: ${problem}\n`);
    }
  }
  process.exitCode = wrong === 0 ? 0 : 1;
}

/**
 * What publint and "are the types wrong" report about a pack.
 *
 * @param {Buffer} pack
 * @returns {Promise<string[]>}
 */
async function problemsOf(pack) {
  const data = new Uint8Array(pack);
  const unpacked = createPackageFromTarballData(data);
  const { messages, pkg } = await publint({ pack: { tarball: data.buffer }, strict: true });
  const problems = messages.map((message) => formatMessage(message, pkg) ?? message.code);
  problems.push(...missingFiles(unpacked));
  // The command line has no exports: there is nothing to resolve.
  const analysis = pkg["exports"] === undefined ? undefined : await checkPackage(unpacked);
  for (const problem of analysis !== undefined && "problems" in analysis ? analysis.problems : []) {
    const counts = resolutions.some((kind) => problemAffectsResolutionKind(problem, kind, analysis));
    if (counts && problem.kind !== "FalseCJS") {
      problems.push(JSON.stringify(problem));
    }
  }
  return problems;
}

/**
 * What a pack lacks: the license and the README, source maps that its files name, and the sources that the maps name.
 *
 * @param {import("@arethetypeswrong/core").Package} unpacked
 * @returns {string[]}
 */
function missingFiles(unpacked) {
  const top = `/node_modules/${unpacked.packageName}/`;
  const files = unpacked.listFiles(top.slice(0, -1));
  const missing = ["LICENSE", "README.md"].flatMap((name) =>
    unpacked.fileExists(top + name) ? [] : [`There is no ${name}.`],
  );
  for (const file of files) {
    if (file.endsWith(".map")) {
      const { sources, sourcesContent } = JSON.parse(unpacked.readFile(file));
      for (const [index, source] of sources.entries()) {
        // A part of the compiler's own runtime has no file.
        const path = posix.join(posix.dirname(file), source);
        if (
          typeof sourcesContent?.[index] !== "string" &&
          !unpacked.fileExists(path) &&
          !source.includes("node_modules")
        ) {
          missing.push(`${file} names ${source}, which is not in the pack.`);
        }
      }
    } else if (/\.(?:js|[cm]?ts)$/.test(file)) {
      const map = /^\/\/# sourceMappingURL=(?!data:)(\S+)\s*$/m.exec(unpacked.readFile(file))?.[1];
      if (map !== undefined && !unpacked.fileExists(posix.join(posix.dirname(file), map))) {
        missing.push(`${file} names the source map ${map}, which is not in the pack.`);
      }
    }
  }
  return missing;
}
