import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, resolve } from "node:path";

import { parseConfig, type Config, type ParseConfigOptions } from "../config/parse-config.ts";
import { syntaxOf } from "../config/parse-text.ts";
import { configError } from "../config/problem.ts";

/**
 * Reads a configuration file of any dialect; see `parseConfig`. Defaults: the syntax by the end of the file's name, variables from this process's environment,
 * `${workspaceFolder}` the file's folder (of a `.vscode` folder: the one above), `${userHome}` the user's, and `envFile`s relative to the workspace folder.
 *
 * @throws `HostError` `INVALID_CONFIG` if it cannot be read or is no such configuration.
 */
export async function loadConfig(file: string, options: ParseConfigOptions = {}): Promise<Config> {
  const path = resolve(file);
  const folder = dirname(path);
  const workspaceFolder = basename(folder) === ".vscode" ? dirname(folder) : folder;
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw configError(`${path} cannot be read.`, undefined, cause);
  }
  return parseConfig(text, {
    syntax: syntaxOf(path),
    where: path,
    env: process.env,
    readFile: (name) => readFileSync(resolve(workspaceFolder, name), "utf8"),
    ...options,
    places: {
      workspaceFolder,
      workspaceFolderBasename: basename(workspaceFolder),
      userHome: homedir(),
      ...options.places,
    },
  });
}
