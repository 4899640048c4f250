import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats } from "node:fs";
import { join, posix, relative, resolve } from "node:path";

import type { ResolvedLimits } from "@tenon/base";

import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import { tokenFiles } from "../image/manager.ts";
import { projectFiles } from "../install/host-files.ts";
import type { PackLimits } from "./limits.ts";
import { entryPoint } from "./manifest.ts";

/**
 * Reads files and folders of a package for its bundle, by their paths below the folder. Links are
 * refused, because the file that is packed could be any file of the machine.
 *
 * @throws `ShipError` `INVALID_PACKAGE`, or `LIMIT` before more is read than may be packed.
 */
export function includedFiles(
  folder: string,
  include: readonly string[],
  limits: ResolvedLimits<PackLimits>,
): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  let count = 0;
  let total = 0;
  const take = (name: string, bytes: number): void => {
    total += bytes;
    checkBytes(name, bytes, total, limits);
  };
  /** Folders count too: they cost time even if nothing is in them. */
  const tally = (name: string, more: number): void => {
    count += more;
    if (count > limits.maxFiles) {
      throw new ShipError("LIMIT", `${name} exceeds maxFiles (${limits.maxFiles}).`);
    }
  };
  const add = (name: string): void => {
    const full = join(folder, name);
    const stats = lstatSync(full);
    if (stats.isDirectory()) {
      const names = readdirSync(full).toSorted();
      tally(name, names.length);
      for (const each of names) {
        add(`${name}/${each}`);
      }
      return;
    }
    if (!stats.isFile()) {
      throw new ShipError(
        "INVALID_PACKAGE",
        `${JSON.stringify(name)} is ${stats.isSymbolicLink() ? "a link" : "neither a file nor a folder"}, and cannot be included.`,
        { hint: "include the file itself" },
      );
    }
    if (name === "manifest.json" || name === entryPoint) {
      throw new ShipError(
        "INVALID_PACKAGE",
        `${name} is written by the bundle itself, and cannot be included.`,
      );
    }
    if (found.has(name)) {
      return;
    }
    // The size is compared before and after reading, because the file can grow.
    take(name, stats.size);
    const data = readFileSync(full);
    take(name, data.length - stats.size);
    found.set(name, data);
  };
  tally(entryPoint, 1);
  const root = realpathSync(folder);
  for (const path of include) {
    const full = resolve(folder, path);
    const name = relative(folder, full).replaceAll("\\", "/");
    if (name === "" || name.startsWith("..") || statsOf(full) === undefined) {
      throw new ShipError(
        "INVALID_PACKAGE",
        `${JSON.stringify(path)} is not a file or folder of the package.`,
      );
    }
    if (realpathSync(full) !== join(root, name)) {
      throw new ShipError("INVALID_PACKAGE", `${JSON.stringify(path)} is a link, and cannot be included.`, {
        hint: "include the file itself",
      });
    }
    tally(name, 1);
    add(name);
  }
  return found;
}

/** Warnings for files that often contain secrets: a folder may bring them along unnoticed. */
export function secretFindings(paths: Iterable<string>): readonly Finding[] {
  return [...paths]
    .filter((path) => {
      const name = posix.basename(path);
      return (
        name.startsWith(".env") ||
        tokenFiles.includes(name) ||
        projectFiles.some((file) => `/${path}`.endsWith(`/${file}`))
      );
    })
    .map((path) => ({ path, severity: "warning", message: "may contain secrets, and was packed" }));
}

/** @throws `ShipError` `LIMIT` if a file, or all files together, are too large. */
export function checkBytes(
  name: string,
  bytes: number,
  total: number,
  limits: Pick<ResolvedLimits<PackLimits>, "maxFileBytes" | "maxBundleBytes">,
): void {
  if (bytes > limits.maxFileBytes || total > limits.maxBundleBytes) {
    throw new ShipError(
      "LIMIT",
      `${name} exceeds maxFileBytes (${limits.maxFileBytes}) or maxBundleBytes (${limits.maxBundleBytes}).`,
    );
  }
}

/** The license of a package, if it is a file of its own. */
export function licenseOf(folder: string): { readonly name: string; readonly isFile: boolean } | undefined {
  const name = readdirSync(folder).find((each) => /^licen[cs]e(?:\.\w+)?$/i.test(each));
  return name === undefined ? undefined : { name, isFile: statsOf(join(folder, name))?.isFile() === true };
}

function statsOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
