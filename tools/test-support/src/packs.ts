import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const exec = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A package of this repository, by its folder below the root: `packages/mcp`. */
interface Named {
  readonly name: string;
  readonly version: string;
}

/**
 * Unpacks packages as npm would install them: their published files and nothing else, without
 * dependencies. The packs that `npm test` has made (`TENON_PACKS`) are used; otherwise new ones.
 *
 * @param folders - Below the root of the repository: `["packages/mcp"]`.
 * @param modules - A `node_modules` folder.
 * @returns The folder of each package.
 * @throws If a package has not been built.
 */
export async function installPacks(folders: readonly string[], modules: string): Promise<readonly string[]> {
  for (const folder of folders) {
    if (!existsSync(join(root, folder, "dist"))) {
      throw new Error(`${folder} has no dist; run pnpm run build first.`);
    }
  }
  const made = process.env["TENON_PACKS"];
  const packs = made ?? mkdtempSync(join(tmpdir(), "tenon-packs-"));
  try {
    if (made === undefined) {
      // npm needs ten times the time of pnpm, in whose form everything is published anyway.
      const { packageManager } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
        packageManager: string;
      };
      const filters = folders.flatMap((folder) => ["--filter", `./${folder}`]);
      const pack = ["--recursive", ...filters, "pack", "--pack-destination", packs];
      await exec("npx", ["-y", packageManager, ...pack], { cwd: root, shell: process.platform === "win32" });
    }
    return await Promise.all(folders.map((folder) => unpack(folder, packs, modules)));
  } finally {
    if (made === undefined) {
      rmSync(packs, { recursive: true, force: true });
    }
  }
}

async function unpack(folder: string, packs: string, modules: string): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8")) as Named;
  const file = join(packs, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  const target = join(modules, name);
  mkdirSync(target, { recursive: true });
  await exec("tar", ["-xzf", file, "-C", target, "--strip-components=1"]);
  return target;
}
