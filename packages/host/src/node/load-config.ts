import { homedir } from "node:os";
import { basename, dirname, resolve } from "node:path";

import { parseConfig, type Config, type ParseConfigOptions } from "../config/parse-config.ts";
import { syntaxOf } from "../config/parse-text.ts";
import { configError } from "../config/problem.ts";
import { readText } from "./read-text.ts";

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
    text = readText(path);
  } catch (cause) {
    throw configError(`${path} cannot be read.`, undefined, cause);
  }
  return parseConfig(text, {
    syntax: syntaxOf(path),
    where: path,
    env: process.env,
    readFile: (name) => readText(resolve(workspaceFolder, name)),
    ...options,
    places: {
      workspaceFolder,
      workspaceFolderBasename: basename(workspaceFolder),
      userHome: homedir(),
      ...options.places,
    },
  });
}
