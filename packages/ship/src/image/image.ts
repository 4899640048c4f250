import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { checkOptionNames, requireOptions } from "@tenon/base";
import intersects from "semver/ranges/intersects.js";
import validRange from "semver/ranges/valid.js";

import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import { projectFiles } from "../install/host-files.ts";
import { buildsItself, readPackage, type PackageFacts } from "../package/read.ts";
import { writeWhole } from "../write-whole.ts";
import { ignoreFindings, packageFindings, requireWholePackage } from "./findings.ts";
import { isIgnored } from "./ignored.ts";
import { managerOf, tokenFiles, type Manager } from "./manager.ts";
import { startOf, type Start } from "./start.ts";

/** Options of {@link planImage}. */
export interface ImageOptions {
  /** The folder of the package. */
  readonly folder: string;
  /**
   * The program of the image. Default: the program that the package installs, or else the file that
   * its script `start` runs with Node.
   */
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
  /**
   * Problems of the package, such as a program that does not exist, versions that are not pinned,
   * or install scripts that do not run. Problems of an existing `.dockerignore`, such as missing
   * inputs of the build, or secrets in the image. With an error, the image cannot be used.
   */
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
 * @throws `ShipError` `INVALID_PACKAGE` if the package has no program, its path leads out, Yarn 2
 *   or 3 locks it, or it is part of a workspace.
 */
export function planImage(options: ImageOptions): ImagePlan {
  checkOptionNames("planImage", options, "folder entry port");
  requireOptions("planImage", options, { folder: "string" });
  const { folder, port } = options;
  if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
    throw new TypeError(`planImage: port must be a whole number from 1 to 65535; got ${port}.`);
  }
  const facts = readPackage(folder);
  const start = startOf(facts, options.entry);
  const old = [join(folder, "Dockerfile"), join(folder, ".dockerignore")].map((path) => ({
    path,
    text: existsSync(path) ? readFileSync(path, "utf8") : undefined,
  }));
  const manager = managerOf(facts);
  requireWholePackage(facts, manager);
  const inputs = inputsOf(folder, manager);
  // Without a build, the program is in the folder already.
  const needed = [...inputs, ...(buildsItself(facts) ? [] : [start.entry])];
  const kept = old[1]?.text;
  const wanted = [
    dockerfile(facts, { start, inputs, manager, port }),
    kept ?? `${ignoredFor(needed).join("\n")}\n`,
  ];
  const files = old.map(({ path, text: before }, index) => {
    const text = wanted[index] ?? "";
    return { path, text, exists: before !== undefined, changes: before !== text };
  });
  return {
    files,
    findings: [
      ...packageFindings(facts, start.entry, manager),
      ...(kept === undefined ? [] : ignoreFindings(folder, kept, needed)),
    ],
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

interface ImageParts {
  readonly start: Start;
  readonly inputs: readonly string[];
  readonly manager: Manager;
  readonly port: number | undefined;
}

function dockerfile(facts: PackageFacts, { start, inputs, manager, port }: ImageParts): string {
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
      ...(ownFolder !== undefined ? [`rm -rf ${ownFolder}`] : []),
      // In every folder: packages of a workspace have such files, too. Not every find has -delete.
      `find . "(" ${tokenFiles.map((name) => `-name ${name}`).join(" -o ")} ")" ! -type d -exec rm -f {} +`,
      // The user of the image is not the owner, and some files are for their owner only.
      "chmod -R a+rX .",
    ].join(" && ")}`,
    "",
    `FROM node:${version}-alpine`,
    // The registry believes that an image belongs to a server if the image names it.
    ...label("io.modelcontextprotocol.server.name", mcpName),
    ...label("org.opencontainers.image.licenses", license),
    // The first process gets no signals that it does not handle, and Node handles none by itself.
    "RUN apk add --no-cache tini",
    "WORKDIR /app",
    `ENV NODE_ENV=production${port === undefined ? "" : ` HOST=0.0.0.0 PORT=${port}`}`,
    "COPY --from=build /app ./",
    // A number, because Kubernetes does not believe that a name is not root.
    "USER 65534:65534",
    ...(port === undefined ? [] : [`EXPOSE ${port}`, `HEALTHCHECK CMD ${words("node", "-e", healthCheck)}`]),
    `ENTRYPOINT ${words("/sbin/tini", "--", "node", ...start.options, start.entry)}`,
    ...(start.args.length === 0 ? [] : [`CMD ${words(...start.args)}`]),
    "",
  ].join("\n");
}

/** The form of a command that no shell reads. */
function words(...all: readonly string[]): string {
  return `[${all.map((word) => JSON.stringify(word)).join(", ")}]`;
}

/** A program that succeeds if the server accepts connections. Its paths are not known. */
export const healthCheck =
  "require('net').connect(+process.env.PORT, '127.0.0.1', () => process.exit(0)).on('error', () => process.exit(1))";

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
const ignored = [
  "**/node_modules",
  ".git",
  "**/.env*",
  "*.mcpb",
  // The result of `npm pack`, which the package does not use.
  "*.tgz",
  "**/*.log",
  "coverage",
  // With backups, which have the name and an ending.
  ...projectFiles.map((name) => `${name}*`),
];

/** The lines of a new `.dockerignore`. Inputs of the build pass it. */
function ignoredFor(needed: readonly string[]): readonly string[] {
  return [
    ...ignored.filter((line) => !needed.some((path) => isIgnored(line, path))),
    ...tokenFiles.flatMap((name) => [`**/${name}`, ...(needed.includes(name) ? [`!${name}`] : [])]),
  ];
}
