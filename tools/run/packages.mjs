// npm run package: packs every package once, as it would be published, and checks the packs. `pack` and `check` do one half.
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

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
  return `${name.slice(1).replace("/", "-")}-${version}.tgz`;
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
