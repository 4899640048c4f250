import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { checkOptionNames, requireOptions } from "@tenon/base";
import intersects from "semver/ranges/intersects.js";
import validRange from "semver/ranges/valid.js";

import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import { buildsItself, programOf, readPackage, type PackageFacts } from "../package/read.ts";
import { writeWhole } from "../write-whole.ts";
import { isIgnored } from "./ignored.ts";
import { managerOf, tokenFiles, type Manager } from "./manager.ts";

/** Options of {@link planImage}. */
export interface ImageOptions {
  /** The folder of the package. */
  readonly folder: string;
  /** The program of the image. Default: the program that the package installs. */
  readonly entry?: string | undefined;
  /** The port of a server over HTTP. By default the image has none, for servers over stdio. */
  readonly port?: number | undefined;
}

/** The files of an image that are not written yet. */
export interface ImagePlan {
  /**
   * `Dockerfile` and `.dockerignore` with their content. A `.dockerignore` that exists has its own
   * content, because it is kept.
   */
  readonly files: readonly {
    readonly path: string;
    readonly text: string;
    readonly exists: boolean;
    /** Whether the text differs from the existing file. */
    readonly changes: boolean;
  }[];
  /** Problems of an existing `.dockerignore`: missing inputs of the build, secrets in the image. */
  readonly findings: readonly Finding[];
  /**
   * Writes the files. Files that have the text already are not written.
   *
   * @throws `ShipError` `EXISTS` if there is another Dockerfile, unless `replaces` is true.
   */
  apply(options?: { readonly replaces?: boolean | undefined }): Promise<void>;
}

/**
 * Plans an image for a server: a Dockerfile of two stages, whose result has Node, the package and
 * its dependencies, and runs as a user without rights.
 *
 * @throws `ShipError` `INVALID_PACKAGE` if the package has no program, its path leads out, or
 *   Yarn 2 or 3 locks it.
 */
export function planImage(options: ImageOptions): ImagePlan {
  checkOptionNames("planImage", options, "folder entry port");
  requireOptions("planImage", options, { folder: "string" });
  const { folder, port } = options;
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
    throw new TypeError(`planImage: port must be a whole number from 1 to 65535; got ${port}.`);
  }
  const facts = readPackage(folder);
  const entry = (options.entry ?? programOf(facts)).replaceAll("\\", "/").replace(/^\.\//, "");
  if (entry.startsWith("/") || entry.split("/").includes("..") || /["\n\r]/.test(entry)) {
    throw new ShipError(
      "INVALID_PACKAGE",
      `${JSON.stringify(entry)} must be a path below the folder of the package.`,
    );
  }
  const old = [join(folder, "Dockerfile"), join(folder, ".dockerignore")].map((path) => ({
    path,
    text: existsSync(path) ? readFileSync(path, "utf8") : undefined,
  }));
  const manager = managerOf(facts);
  const inputs = inputsOf(folder, manager);
  // Without a build, the program is in the folder already.
  const needed = [...inputs, ...(buildsItself(facts) ? [] : [entry])];
  const kept = old[1]?.text;
  const wanted = [
    dockerfile(facts, { entry, inputs, manager, port }),
    kept ?? `${ignoredFor(needed).join("\n")}\n`,
  ];
  const files = old.map(({ path, text: before }, index) => {
    const text = wanted[index] ?? "";
    return { path, text, exists: before !== undefined, changes: before !== text };
  });
  return {
    files,
    findings: kept === undefined ? [] : findingsOf(folder, kept, needed),
    async apply({ replaces = false } = {}) {
      const replaced = files.find(({ exists, changes }) => exists && changes);
      if (replaced !== undefined && !replaces) {
        throw new ShipError("EXISTS", `${replaced.path} would be replaced.`, { hint: "--force" });
      }
      for (const { path, text } of files.filter(({ changes }) => changes)) {
        await writeWhole(path, text, 0o644);
      }
    },
  };
}

/** The files and folders that the installation reads. */
function inputsOf(folder: string, { lock, settings }: Manager): readonly string[] {
  return [
    "package.json",
    ...[lock, ...settings].filter((name) => name !== "" && existsSync(join(folder, name))),
  ];
}

/** Problems of a `.dockerignore` that is kept. */
function findingsOf(folder: string, kept: string, needed: readonly string[]): readonly Finding[] {
  const warning = (message: string): Finding => ({ path: ".dockerignore", severity: "warning", message });
  return [
    ...needed
      .filter((path) => isIgnored(kept, path))
      .map((path) => ({ path: ".dockerignore", message: `keeps ${path} out of the build, which needs it` })),
    ...([".env", "a/.env"].every((path) => isIgnored(kept, path))
      ? []
      : [warning("lets files such as .env into the image: add **/.env*")]),
    ...tokenFiles
      .filter((name) => !needed.includes(name) && existsSync(join(folder, name)) && !isIgnored(kept, name))
      .map((name) => warning(`lets ${name} into the build, which may contain a token: add **/${name}`)),
  ];
}

interface ImageParts {
  readonly entry: string;
  readonly inputs: readonly string[];
  readonly manager: Manager;
  readonly port: number | undefined;
}

function dockerfile(facts: PackageFacts, { entry, inputs, manager, port }: ImageParts): string {
  const { folder, mcpName, node, license } = facts;
  const folders = inputs.filter((name) => statSync(join(folder, name)).isDirectory());
  const plain = inputs.filter((name) => !folders.includes(name));
  const version = majorOf(node);
  const { env, install, ownFolder, program, prune } = manager;
  const label = (name: string, value: string | undefined): readonly string[] =>
    value === undefined || /["\n\r\\$]/.test(value) ? [] : [`LABEL ${name}="${value}"`];
  return [
    `FROM node:${version}-alpine AS build`,
    "WORKDIR /app",
    `COPY ${plain.join(" ")} ./`,
    // COPY takes the content of a folder, not the folder.
    ...folders.map((name) => `COPY ${name} ./${name}`),
    ...(env === undefined ? [] : [`ENV ${env}`]),
    // Some images have the first Yarn, which --force replaces.
    `RUN ${program === undefined ? "" : `npm install --global --force ${program} && `}${install}`,
    "COPY . .",
    `RUN ${[
      ...(buildsItself(facts) ? ["npm run build"] : []),
      prune,
      ...(ownFolder !== undefined && inputs.includes(ownFolder) ? [`rm -rf ${ownFolder}`] : []),
      // In every folder: packages of a workspace have such files, too.
      `find . "(" ${tokenFiles.map((name) => `-name ${name}`).join(" -o ")} ")" ! -type d -delete`,
    ].join(" && ")}`,
    "",
    `FROM node:${version}-alpine`,
    // The registry believes that an image belongs to a server if the image names it.
    ...label("io.modelcontextprotocol.server.name", mcpName),
    ...label("org.opencontainers.image.licenses", license),
    "WORKDIR /app",
    `ENV NODE_ENV=production${port === undefined ? "" : ` HOST=0.0.0.0 PORT=${port}`}`,
    "COPY --from=build /app ./",
    // A number, because Kubernetes does not believe that a name is not root.
    "USER 65534:65534",
    ...(port === undefined ? [] : [`EXPOSE ${port}`]),
    `ENTRYPOINT ["node", ${JSON.stringify(entry)}]`,
    "",
  ].join("\n");
}

/** The versions of Node for images, the best first: versions with long support before others. */
const majors = [24, 26, 28, 22, 20, 18, 25, 27, 23, 21, 19];

/** The best major version that `engines` allows. */
function majorOf(range: string | undefined): number {
  const best = 24;
  if (range === undefined || range.length > 200 || validRange(range) === null) {
    return best;
  }
  return majors.find((major) => intersects(range, `${major}.x`)) ?? best;
}

/** Patterns without `**` count for the first folder only. Tests stay, because builds name them. */
const ignored = ["**/node_modules", ".git", "**/.env*", "*.mcpb", "**/*.log", "coverage"];

/** The lines of a new `.dockerignore`. Inputs of the build pass it. */
function ignoredFor(needed: readonly string[]): readonly string[] {
  return [
    ...ignored.filter((line) => !needed.some((path) => isIgnored(line, path))),
    ...tokenFiles.flatMap((name) => [`**/${name}`, ...(needed.includes(name) ? [`!${name}`] : [])]),
  ];
}
