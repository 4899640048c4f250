import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { managerOf, placesOf, withCommandsOf, type Manager } from "./manager.ts";
import type { Template } from "./templates.ts";
import { versions } from "./versions.ts";

const home = fileURLToPath(new URL("..", import.meta.url));

/** A new project. */
export interface Created {
  readonly folder: string;
  /** Below the folder, sorted. */
  readonly files: readonly string[];
}

/**
 * Writes the files of a template. Nothing is downloaded.
 *
 * @param path - The folder of the project. Its last part is the name of the project.
 * @param manager - The package manager of the project. Default: npm.
 * @throws If the folder has files already, or its name is not one for a package.
 */
export function createProject(
  path: string,
  template: Template,
  manager: Manager = managerOf(undefined),
): Created {
  const folder = resolve(path);
  const name = basename(folder);
  if (!/^[a-z\d][a-z\d._-]{0,100}$/.test(name)) {
    throw new Error(
      `The name of the folder must consist of lower-case letters, digits, ".", "_" and "-"; got "${name}".`,
    );
  }
  // npm refuses them, or would find the project itself in place of the package.
  const used = [...template.dependencies, ...template.devDependencies];
  if (name === "node_modules" || used.includes(name)) {
    throw new Error(`The name "${name}" is reserved, or is the name of a package of the template.`);
  }
  checkEmpty(folder);
  const files = new Map<string, string>();
  for (const layer of template.layers) {
    for (const [file, text] of filesOf(join(home, "templates", layer))) {
      files.set(file, text);
    }
  }
  for (const [file, text] of Object.entries(manager.files)) {
    files.set(file, text);
  }
  const values = { ...placesOf(manager), name, note: template.note ?? "" };
  files.set("package.json", `${JSON.stringify(manifestOf(name, template), undefined, 2)}\n`);
  for (const [file, text] of files) {
    const target = join(folder, file);
    mkdirSync(dirname(target), { recursive: true });
    // A file that has appeared in the meantime is not replaced.
    writeFileSync(target, filled(file, text, values, manager), { flag: "wx" });
  }
  return { folder, files: [...files.keys()].toSorted() };
}

/** The text of a file. A line that consists of an empty place disappears. */
function filled(
  file: string,
  text: string,
  values: Readonly<Record<string, string>>,
  manager: Manager,
): string {
  const whole = text
    .replaceAll(/^\{\{(\w+)\}\}\n/gm, (line, key: string) => (values[key] === "" ? "" : line))
    .replaceAll(/\{\{(\w+)\}\}/g, (all, key: string) => values[key] ?? all);
  // The workflow and the image install other managers by npm.
  const isOwn = /\.yml$|Dockerfile$/.test(file);
  const own = isOwn ? whole : withCommandsOf(manager, whole);
  return file.endsWith(".md") ? own.replaceAll(/\n{3,}/g, "\n\n") : own;
}

function checkEmpty(folder: string): void {
  if (!existsSync(folder)) {
    return;
  }
  if (!statSync(folder).isDirectory()) {
    throw new Error(`${folder} is a file. Choose a new or an empty folder.`);
  }
  if (readdirSync(folder).some((file) => file !== ".git")) {
    throw new Error(`${folder} has files already. Choose a new or an empty folder.`);
  }
}

/**
 * npm omits `.gitignore` from packages, so files with a dot begin with `_` here. Programs end with
 * `.txt`, because tools would treat them as sources of this package.
 */
function filesOf(folder: string): readonly (readonly [file: string, text: string])[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => statSync(join(folder, file)).isFile())
    .map((file) => [
      file
        .replaceAll("\\", "/")
        .replace(/(^|\/)_/, "$1.")
        .replace(/\.txt$/, ""),
      readFileSync(join(folder, file), "utf8"),
    ]);
}

function manifestOf(
  name: string,
  { title, scripts, files, dependencies, devDependencies }: Template,
): object {
  return {
    name,
    version: "0.1.0",
    description: `MCP: ${title}`,
    private: true,
    // The author chooses another license before publishing.
    license: "UNLICENSED",
    type: "module",
    ...(files === undefined ? {} : { bin: { [name]: "dist/main.js" }, files }),
    // Every package manager runs `prepack` before it packs or publishes.
    scripts: files === undefined ? scripts : { ...scripts, prepack: "npm run build" },
    dependencies: ranges(dependencies),
    devDependencies: ranges(devDependencies),
    engines: { node: ">=20.19" },
  };
}

/** Packages of Tenon in the version of this one. */
function ranges(names: readonly string[]): Readonly<Record<string, string>> {
  const { version } = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as {
    readonly version: string;
  };
  const entries = names.map((name) => {
    const range = name.startsWith("@tenon/") ? `^${version}` : versions[name];
    if (range === undefined) {
      throw new Error(`There is no version for ${name}.`);
    }
    return [name.replace(/(?<=.)@.*$/, ""), range] as const;
  });
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
