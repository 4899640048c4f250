import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { publishedPackages, root } from "./packages.ts";

/**
 * Copies what a release changes: everything that git knows or would add, without tests and
 * pages, and the installed programs by a link.
 *
 * @param isCopied - Whether a path is copied, too. Default: every one.
 * @returns The folder of the copy.
 */
export function copyRepository(isCopied: (path: string) => boolean = () => true): string {
  const copy = mkdtempSync(join(tmpdir(), "tenon-release-"));
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  const files = listed
    .split("\0")
    .filter(
      (path) =>
        path !== "" &&
        isCopied(path) &&
        existsSync(join(root, path)) &&
        !/^(?:docs|schema|examples\/[^/]+\/(?!package))|^[^/]+\/[^/]+\/test\//.test(path),
    );
  for (const path of files) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");
  // The command asks for the tag of the last release, and a copy has none.
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  return copy;
}

/** Links thousands of files, none of which a release writes. Another disk gets copies. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      linkFolder(source, target);
    } else {
      try {
        linkSync(source, target);
      } catch {
        copyFileSync(source, target);
      }
    }
  }
}

/**
 * Adds to a copy what its packages publish besides sources, and the links by which pnpm finds the
 * versions of its packages.
 *
 * @throws If a package has not been built.
 */
export function copyBuilt(copy: string): void {
  const published = publishedPackages(copy);
  const folders = new Map(published.map(({ folder, manifest }) => [manifest.name, folder]));
  for (const { folder, manifest } of published) {
    for (const built of ["dist", "assets"]) {
      if (existsSync(join(root, folder, built))) {
        linkFolder(join(root, folder, built), join(copy, folder, built));
      } else if (built === "dist") {
        throw new Error(`${folder} has no dist; run pnpm run build first.`);
      }
    }
    for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) {
      const dependency = folders.get(name);
      if (dependency !== undefined) {
        const link = join(copy, folder, "node_modules", name);
        mkdirSync(dirname(link), { recursive: true });
        symlinkSync(join(copy, dependency), link, "junction");
      }
    }
  }
}
