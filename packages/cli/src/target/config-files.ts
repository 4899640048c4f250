import { existsSync } from "node:fs";
import { join } from "node:path";

import { hostFiles } from "@tenon/ship/hosts";

import type { Shell } from "../shell.ts";

/** A configuration file, and the program that reads it. */
export interface ConfigFile {
  readonly path: string;
  readonly owner: string;
}

/** The folder of this command line's own settings. */
export function configFolder({ env, home, platform }: Shell): string {
  const base =
    platform === "win32" ? (env["APPDATA"] ?? join(home, "AppData/Roaming")) : env["XDG_CONFIG_HOME"];
  return join(base === undefined || base === "" ? join(home, ".config") : base, "tenon");
}

/** The configuration that `tenon config add` writes. */
export function ownConfig(shell: Shell): string {
  return join(configFolder(shell), "mcp.json");
}

/** All places that hosts keep their configuration in, the project's before the user's. */
export function configPlaces(shell: Shell): readonly ConfigFile[] {
  const files = hostFiles(shell).flatMap(({ title, scope, paths }) =>
    paths.map((path) => ({ path, owner: scope === "project" ? `${title} (project)` : title, scope })),
  );
  const of = (wanted: "project" | "user"): readonly ConfigFile[] =>
    files.filter(({ scope }) => scope === wanted).map(({ path, owner }) => ({ path, owner }));
  const [first, ...others] = of("project");
  return [
    ...(first === undefined ? [] : [first]),
    { path: join(shell.cwd, "mcp.json"), owner: "project" },
    ...others,
    { path: ownConfig(shell), owner: "tenon" },
    ...of("user"),
  ];
}

/** The configuration files that exist. In the home directory, files of a project are the user's. */
export function configFiles(shell: Shell): readonly ConfigFile[] {
  return configPlaces(shell).filter(
    ({ path }, index, all) => all.findLastIndex((each) => each.path === path) === index && existsSync(path),
  );
}
