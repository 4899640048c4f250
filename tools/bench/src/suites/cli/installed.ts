import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const exec = promisify(execFile);
const folder = join(import.meta.dirname, "../../../../../packages/cli");

/** A file of an installation. */
export interface InstalledFile {
  /** Relative to the folder of modules. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * Packs the command line as a release does, and installs it in an empty folder with everything that
 * it depends on.
 *
 * @returns All files, the largest first.
 */
export async function installedFiles(): Promise<readonly InstalledFile[]> {
  const project = mkdtempSync(join(tmpdir(), "tenon-cli-size-"));
  try {
    const { stdout } = await exec(
      "npm",
      ["pack", "--ignore-scripts", "--json", "--pack-destination", project],
      {
        cwd: folder,
      },
    );
    const [{ filename } = { filename: "" }] = JSON.parse(stdout) as { filename: string }[];
    writeFileSync(join(project, "package.json"), '{ "private": true }');
    const install = ["install", `./${filename}`, "--no-audit", "--no-fund", "--no-package-lock"];
    await exec("npm", install, { cwd: project });
    const modules = join(project, "node_modules");
    return readdirSync(modules, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith(".package-lock"))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return { path: path.slice(modules.length + 1), bytes: statSync(path).size };
      })
      .toSorted((a, b) => b.bytes - a.bytes);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}

/** The size of each package of an installation, the largest first. */
export function sizesOfPackages(files: readonly InstalledFile[]): readonly (readonly [string, number])[] {
  const sizes = new Map<string, number>();
  for (const { path, bytes } of files) {
    const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? dirname(path);
    sizes.set(name, (sizes.get(name) ?? 0) + bytes);
  }
  return [...sizes].toSorted(([, a], [, b]) => b - a);
}
