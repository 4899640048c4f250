import { existsSync } from "node:fs";
import { join } from "node:path";

import { checkOptionNames, isRecord, requireOptions } from "@tenon/base";

import { ShipError } from "../error.ts";
import { programOf, readPackage, type PackageFacts } from "../package/read.ts";
import { writeWhole } from "../write-whole.ts";

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
  /** `Dockerfile` and `.dockerignore` with their content. */
  readonly files: readonly { readonly path: string; readonly text: string; readonly exists: boolean }[];
  /**
   * Writes the files.
   *
   * @throws `ShipError` `EXISTS` if one exists with another text, unless `replaces` is true.
   */
  apply(options?: { readonly replaces?: boolean | undefined }): Promise<void>;
}

interface Manager {
  readonly lock: string;
  readonly files: string;
  /** Installs exactly what the lock file has. */
  readonly install: string;
  /** Removes packages that only the build needs. */
  readonly prune: string;
}

const managers: readonly Manager[] = [
  {
    lock: "pnpm-lock.yaml",
    files: "package.json pnpm-lock.yaml",
    install: "npm install --global pnpm && pnpm install --frozen-lockfile",
    prune: "pnpm prune --prod",
  },
  {
    lock: "yarn.lock",
    files: "package.json yarn.lock",
    install: "corepack enable && yarn install --immutable",
    prune: "yarn workspaces focus --production",
  },
  {
    lock: "package-lock.json",
    files: "package.json package-lock.json",
    install: "npm ci",
    prune: "npm prune --omit=dev",
  },
];

/** A package without a lock file. */
const unlocked: Manager = {
  lock: "",
  files: "package.json",
  install: "npm install",
  prune: "npm prune --omit=dev",
};

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
  const files = [
    { path: join(folder, "Dockerfile"), text: dockerfile(facts, entry, port) },
    { path: join(folder, ".dockerignore"), text: ignored },
  ].map((file) => ({ ...file, exists: existsSync(file.path) }));
  return {
    files,
    async apply({ replaces = false } = {}) {
      const present = files.filter(({ exists }) => exists).map(({ path }) => path);
      if (present.length > 0 && !replaces) {
        throw new ShipError("EXISTS", `${present.join(" and ")} would be replaced.`, { hint: "--force" });
      }
      for (const { path, text } of files) {
        await writeWhole(path, text, 0o644);
      }
    },
  };
}

function dockerfile(facts: PackageFacts, entry: string, port: number | undefined): string {
  const { folder, json, mcpName, node, license } = facts;
  const manager = managers.find(({ lock }) => existsSync(join(folder, lock))) ?? unlocked;
  const { scripts } = json;
  const builds = isRecord(scripts) && typeof scripts["build"] === "string";
  const major = /(\d+)/.exec(node ?? "")?.[1];
  const version = Math.max(24, Number(major ?? 0));
  const label = (name: string, value: string | undefined): readonly string[] =>
    value === undefined || /["\n\r\\$]/.test(value) ? [] : [`LABEL ${name}="${value}"`];
  return [
    `FROM node:${version}-alpine AS build`,
    "WORKDIR /app",
    `COPY ${manager.files} ./`,
    // Scripts of dependencies do not run while the image is built.
    `RUN ${manager.install.replace(/^(npm (?:ci|install))$/, "$1 --ignore-scripts")}`,
    "COPY . .",
    `RUN ${builds ? "npm run build && " : ""}${manager.prune}`,
    "",
    `FROM node:${version}-alpine`,
    // The registry believes that an image belongs to a server if the image names it.
    ...label("io.modelcontextprotocol.server.name", mcpName),
    ...label("org.opencontainers.image.licenses", license),
    "WORKDIR /app",
    `ENV NODE_ENV=production${port === undefined ? "" : ` HOST=0.0.0.0 PORT=${port}`}`,
    "COPY --from=build /app ./",
    "USER nobody",
    ...(port === undefined ? [] : [`EXPOSE ${port}`]),
    `ENTRYPOINT ["node", "${entry}"]`,
    "",
  ].join("\n");
}

const ignored = ["node_modules", ".git", ".env*", "*.mcpb", "*.log", "coverage", "test", ""].join("\n");
