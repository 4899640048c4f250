import { existsSync, readFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";

import { isRecord } from "@tenon/base";

import { usageError } from "../exit.ts";

/** The package in a folder. */
export interface PackageHere {
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The name without a scope. */
  readonly shortName: string;
}

/** Reads the `package.json` of a folder. @throws `CliError` if it is missing or not valid. */
export function packageAt(cwd: string): PackageHere {
  const path = join(cwd, "package.json");
  if (!existsSync(path)) {
    throw usageError(`There is no package.json in ${cwd}.`, "run the command in the folder of the server");
  }
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw usageError(`${path} is not valid JSON: ${(cause as Error).message}`);
  }
  const name = isRecord(manifest) ? manifest["name"] : undefined;
  if (!isRecord(manifest) || typeof name !== "string" || name === "") {
    throw usageError(`${path} must have a name.`);
  }
  return { manifest, shortName: name.replace(/^@[^/]*\//, "") };
}

/**
 * The program of a server: a file, or by default the program that the package in the folder
 * installs.
 *
 * @throws `CliError` if there is no such file, or the package has none or several programs.
 */
export function programOf(cwd: string, word: string | undefined): readonly string[] {
  const file = word ?? programIn(packageAt(cwd));
  const path = resolve(cwd, file);
  if (!existsSync(path)) {
    throw usageError(
      `${path} does not exist.`,
      word === undefined ? "build the package first" : "name a file or a URL, or a program after --",
    );
  }
  if (![".js", ".mjs", ".cjs"].includes(extname(path))) {
    throw usageError(`${path} is not a JavaScript file.`, "name the program after --");
  }
  return ["node", path];
}

function programIn({ manifest, shortName }: PackageHere): string {
  const { bin } = manifest;
  const programs = isRecord(bin) ? bin : { [shortName]: bin };
  const named =
    programs[shortName] ?? (Object.keys(programs).length === 1 ? Object.values(programs)[0] : undefined);
  if (typeof named !== "string") {
    const names = Object.keys(programs).join(", ");
    throw usageError(
      bin === undefined
        ? "There is no program in the package: its package.json has no bin."
        : `There are several programs in the package: ${names}.`,
      "name the file of the server, or a program after --",
    );
  }
  return named;
}
