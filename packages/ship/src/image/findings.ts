import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { isRecord } from "@tenon/base";

import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import { projectFiles } from "../install/host-files.ts";
import { buildsItself, type PackageFacts } from "../package/read.ts";
import { isIgnored } from "./ignored.ts";
import { locks, tokenFiles, type Manager } from "./manager.ts";

/**
 * Fails for a package that cannot be installed without other folders, and for the root of several
 * packages. The manager would install packages of the same names from the registry, or none.
 */
export function requireWholePackage({ folder, json }: PackageFacts, { lock }: Manager): void {
  const within = lock === "" ? rootAbove(folder) : undefined;
  if (json["workspaces"] !== undefined || hasPackages(folder) || within !== undefined) {
    throw new ShipError(
      "INVALID_PACKAGE",
      within === undefined
        ? `${folder} has several packages, and an image is made from a folder with one.`
        : `The package belongs to the workspace in ${within}, and an image is made from a folder with everything that it needs.`,
      {
        hint: "write a Dockerfile that copies the whole workspace, or give the package a lock file of its own",
      },
    );
  }
}

/** Folders above the package that are searched. */
const maxAbove = 20;

/** The folder above that installs this package together with others. */
function rootAbove(folder: string): string | undefined {
  let path = dirname(folder);
  for (let count = 0; count < maxAbove && path !== dirname(path); count++, path = dirname(path)) {
    if (locks.some((lock) => existsSync(join(path, lock))) && (hasPackages(path) || hasWorkspaces(path))) {
      return path;
    }
  }
  return undefined;
}

/** Single packages have the file for settings of pnpm. */
function hasPackages(folder: string): boolean {
  return /^packages\s*:/m.test(textOf(join(folder, "pnpm-workspace.yaml")) ?? "");
}

function hasWorkspaces(folder: string): boolean {
  const json = jsonOf(join(folder, "package.json"));
  return isRecord(json) && json["workspaces"] !== undefined;
}

/** Problems of a package in an image. */
export function packageFindings(facts: PackageFacts, entry: string, manager: Manager): readonly Finding[] {
  const { folder } = facts;
  const warning = (path: string, message: string): Finding => ({ path, severity: "warning", message });
  const unread = ["bun.lock", "bun.lockb"].find((name) => existsSync(join(folder, name)));
  const skipped = manager.lock.endsWith(".json") ? withInstallScripts(join(folder, manager.lock)) : [];
  return [
    ...(buildsItself(facts) || existsSync(join(folder, entry))
      ? []
      : [{ path: entry, message: "does not exist, and package.json has no script build that makes it" }]),
    ...(manager.lock === ""
      ? [
          warning(
            unread ?? "package-lock.json",
            `${unread === undefined ? "is missing" : "is not supported"}, so the image installs the newest versions that package.json allows: run \`npm install --package-lock-only\``,
          ),
        ]
      : []),
    ...(skipped.length === 0
      ? []
      : [
          warning(
            manager.lock,
            `install scripts do not run in the image: if ${skipped.join(", ")} cannot do without, write a Dockerfile of your own`,
          ),
        ]),
  ];
}

/** Packages that are named in a message. */
const maxNamed = 5;

/** The packages of a lock file of npm that have scripts for their installation. */
function withInstallScripts(lock: string): readonly string[] {
  const json = jsonOf(lock);
  const packages = isRecord(json) && isRecord(json["packages"]) ? json["packages"] : {};
  const names = Object.entries(packages).flatMap(([path, each]) =>
    isRecord(each) &&
    each["hasInstallScript"] === true &&
    !["dev", "devOptional", "optional"].some((flag) => each[flag] === true)
      ? [path.replace(/^.*node_modules\//, "")]
      : [],
  );
  return [...new Set(names)].filter((name) => name !== "").slice(0, maxNamed);
}

/** Names of files with variables. A pattern for the first alone lets the second pass. */
const variableFiles = [".env", "a/.env", ".env.production"];

/** Problems of a `.dockerignore` that is kept. */
export function ignoreFindings(folder: string, kept: string, needed: readonly string[]): readonly Finding[] {
  const warning = (message: string): Finding => ({ path: ".dockerignore", severity: "warning", message });
  const passes = (name: string): boolean =>
    !needed.includes(name) && existsSync(join(folder, name)) && !isIgnored(kept, name);
  return [
    ...needed
      .filter((path) => isIgnored(kept, path))
      .map((path) => ({ path: ".dockerignore", message: `keeps ${path} out of the build, which needs it` })),
    ...(variableFiles.every((path) => isIgnored(kept, path))
      ? []
      : [warning("lets files such as .env into the image: add **/.env*")]),
    ...tokenFiles
      .filter(passes)
      .map((name) => warning(`lets ${name} into the build, which may contain a token: add **/${name}`)),
    ...projectFiles
      .filter(passes)
      .map((name) => warning(`lets ${name} into the image, which may contain secrets: add ${name}*`)),
  ];
}

/** The largest file that is read here. */
const maxBytes = 67_108_864;

function textOf(path: string): string | undefined {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  return size === undefined || size > maxBytes ? undefined : readFileSync(path, "utf8");
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(textOf(path) ?? "null");
  } catch {
    // Another program reports it.
    return undefined;
  }
}
