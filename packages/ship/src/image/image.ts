import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { checkOptionNames, isRecord, requireOptions } from "@tenon/base";
import intersects from "semver/ranges/intersects.js";
import validRange from "semver/ranges/valid.js";

import { ShipError } from "../error.ts";
import type { Finding } from "../finding.ts";
import { programOf, readPackage, type PackageFacts } from "../package/read.ts";
import { writeWhole } from "../write-whole.ts";
import { isIgnored } from "./ignored.ts";

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

interface Manager {
  readonly lock: string;
  /** The configuration that the installation reads, if the package has it. */
  readonly settings: readonly string[];
  /** The package of the manager, if images do not have it. */
  readonly program?: string | undefined;
  /** Variables while the image is built. */
  readonly env?: string | undefined;
  /** Installs exactly what the lock file has. No script of a dependency runs. */
  readonly install: string;
  /** Removes packages that only the build needs. */
  readonly prune: string;
}

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
  settings: [".yarnrc.yml", ".yarn"],
  program: "@yarnpkg/cli-dist",
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
/** A package without a lock file. */
const unlocked: Manager = { ...npm, lock: "", install: "npm install --ignore-scripts" };

function managerOf({ folder, json }: PackageFacts): Manager {
  const has = ({ lock }: Manager): boolean => existsSync(join(folder, lock));
  /** The version that `packageManager` pins, without its hash. */
  const [, version] = /^(?:pnpm|yarn)@(\d+\.\d+\.\d+[\w.-]*)/.exec(String(json["packageManager"])) ?? [];
  const pinned = (manager: Manager): Manager =>
    version === undefined ? manager : { ...manager, program: `${manager.program ?? ""}@${version}` };
  if (has(pnpm)) {
    return pinned(pnpm);
  }
  if (has(yarnBerry)) {
    // Lock files of Yarn 2 and later begin with their own version.
    return /^__metadata:/m.test(readFileSync(join(folder, "yarn.lock"), "utf8"))
      ? pinned(yarnBerry)
      : yarnClassic;
  }
  return has(npm) ? npm : unlocked;
}

/**
 * Plans an image for a server: a Dockerfile of two stages, whose result has Node, the package and
 * its dependencies, and runs as a user without rights.
 *
 * @throws `ShipError` `INVALID_PACKAGE` if the package has no program, or its path leads out.
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
    kept ?? `${ignored.filter((line) => !needed.some((path) => isIgnored(line, path))).join("\n")}\n`,
  ];
  const files = old.map(({ path, text: before }, index) => {
    const text = wanted[index] ?? "";
    return { path, text, exists: before !== undefined, changes: before !== text };
  });
  return {
    files,
    findings: kept === undefined ? [] : findingsOf(kept, needed),
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

function buildsItself({ json: { scripts } }: PackageFacts): boolean {
  return isRecord(scripts) && typeof scripts["build"] === "string";
}

/** Problems of a `.dockerignore` that is kept. */
function findingsOf(kept: string, needed: readonly string[]): readonly Finding[] {
  return [
    ...needed
      .filter((path) => isIgnored(kept, path))
      .map((path) => ({ path: ".dockerignore", message: `keeps ${path} out of the build, which needs it` })),
    ...([".env", "a/.env"].every((path) => isIgnored(kept, path))
      ? []
      : [
          {
            path: ".dockerignore",
            severity: "warning" as const,
            message: "lets files such as .env into the image: add **/.env*",
          },
        ]),
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
  const { env, install, program, prune, settings } = manager;
  const used = settings.filter((name) => inputs.includes(name));
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
    // The settings may contain the token of a registry, and the program does not need them.
    `RUN ${[buildsItself(facts) ? "npm run build" : "", prune, used.length === 0 ? "" : `rm -rf ${used.join(" ")}`].filter((step) => step !== "").join(" && ")}`,
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
    `ENTRYPOINT ["node", "${entry}"]`,
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
