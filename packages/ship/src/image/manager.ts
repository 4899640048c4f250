import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ShipError } from "../error.ts";
import type { PackageFacts } from "../package/read.ts";

/** A package manager in the build of an image. */
export interface Manager {
  /** The lock file, or an empty name. */
  readonly lock: string;
  /** The configuration that the installation reads, if the package has it. */
  readonly settings: readonly string[];
  /** A folder among the settings that a program does not use. */
  readonly ownFolder?: string | undefined;
  /** The package of the manager, if images do not have it. */
  readonly program?: string | undefined;
  /** Variables while the image is built. */
  readonly env?: string | undefined;
  /** Installs exactly what the lock file has. No script of a dependency runs. */
  readonly install: string;
  /** Removes packages that only the build needs. */
  readonly prune: string;
}

/** Files of npm, pnpm and yarn that may contain the token of a registry. */
export const tokenFiles: readonly string[] = [".npmrc", ".yarnrc", ".yarnrc.yml"];

const pnpm: Manager = {
  lock: "pnpm-lock.yaml",
  settings: [".npmrc", ".pnpmfile.cjs", "patches", "pnpm-workspace.yaml"],
  program: "pnpm",
  install: "pnpm install --frozen-lockfile --ignore-scripts",
  prune: "pnpm prune --prod --ignore-scripts",
};
const yarnClassic: Manager = {
  lock: "yarn.lock",
  settings: [".npmrc", ".yarnrc"],
  program: "yarn@1",
  install: "yarn install --frozen-lockfile --ignore-scripts",
  // Yarn 1 has no other command for it.
  prune: "yarn install --frozen-lockfile --ignore-scripts --production",
};
const yarnBerry: Manager = {
  lock: "yarn.lock",
  // Yarn also keeps its state and downloads in .yarn, which a checkout does not have.
  settings: [".yarnrc.yml", ".yarn/patches", ".yarn/plugins", ".yarn/releases"],
  ownFolder: ".yarn",
  // Without a folder of packages, the program would start only with the loader of Yarn.
  env: "YARN_ENABLE_SCRIPTS=false YARN_NODE_LINKER=node-modules",
  install: "yarn install --immutable",
  prune: "yarn workspaces focus --production",
};
const npm: Manager = {
  lock: "package-lock.json",
  settings: [".npmrc"],
  install: "npm ci --ignore-scripts",
  prune: "npm prune --omit=dev --ignore-scripts",
};
/** The names of all lock files that are read. */
export const locks: readonly string[] = [pnpm.lock, yarnBerry.lock, "npm-shrinkwrap.json", npm.lock];

/** A package without a lock file. */
const unlocked: Manager = { ...npm, lock: "", install: "npm install --ignore-scripts" };

/**
 * The package manager of a package.
 *
 * @throws `ShipError` `INVALID_PACKAGE` for Yarn 2 and 3.
 */
export function managerOf({ folder, json }: PackageFacts): Manager {
  const has = ({ lock }: Manager): boolean => existsSync(join(folder, lock));
  /** The manager and the version that `packageManager` pins, without its hash. */
  const [, name, version] = /^(pnpm|yarn)@(\d+\.\d+\.\d+[\w.-]*)/.exec(String(json["packageManager"])) ?? [];
  if (has(pnpm)) {
    const range = name === "pnpm" ? version : pnpmOf(readFileSync(join(folder, pnpm.lock), "utf8"));
    return range === undefined ? pnpm : { ...pnpm, program: `pnpm@${range}` };
  }
  if (has(yarnBerry)) {
    return yarnOf(readFileSync(join(folder, "yarn.lock"), "utf8"), name === "yarn" ? version : undefined);
  }
  // npm prefers it to the other lock file.
  const shrinkwrap = { ...npm, lock: "npm-shrinkwrap.json" };
  return [shrinkwrap, npm].find(has) ?? unlocked;
}

/** The pnpm that reads an older lock file. The newest reads 9.0 only. */
function pnpmOf(lock: string): string | undefined {
  const [, major] = /^lockfileVersion: ["']?(\d+)\./m.exec(lock) ?? [];
  return major === "6" ? "8" : major === "5" ? "7" : undefined;
}

function yarnOf(lock: string, version: string | undefined): Manager {
  const major = version === undefined ? 0 : Number.parseInt(version, 10);
  // Lock files of Yarn 2 and later begin with their own version.
  if (!/^__metadata:/m.test(lock)) {
    return major === 1 ? { ...yarnClassic, program: `yarn@${version}` } : yarnClassic;
  }
  const lockVersion = Number(/^__metadata:\s+version: (\d+)/m.exec(lock)?.[1] ?? 0);
  if (lockVersion < 8 || major === 2 || major === 3) {
    throw new ShipError(
      "INVALID_PACKAGE",
      "Images need Yarn 1, or Yarn 4 or later; got a lock file or a packageManager of Yarn 2 or 3.",
      { hint: "run `yarn set version stable` and `yarn install`" },
    );
  }
  // Yarn 4.14 and later would change a lock file of version 8, which --immutable forbids.
  const range = major > 3 ? version : lockVersion === 8 ? "4.13" : "4";
  return { ...yarnBerry, program: `@yarnpkg/cli-dist@${range}` };
}
