import { homedir } from "node:os";
import { basename, dirname, resolve } from "node:path";

import { parseConfig, type Config, type ParseConfigOptions } from "../config/parse-config.ts";
import { syntaxOf } from "../config/parse-text.ts";
import { configError, unreadable } from "../config/problem.ts";
import { readText } from "./read-text.ts";

/**
 * Reads a configuration file of any dialect; see `parseConfig`. Defaults: the syntax by the file
 * extension; the dialect of Gemini CLI for `.gemini/settings.json`; variables from the environment
 * of this process; `${workspaceFolder}` is the directory
 * of the file (for a `.vscode` directory: its parent), and `${userHome}` the home directory of the
 * user; `envFile`s are relative to the workspace directory.
 *
 * @throws `HostError` `INVALID_CONFIG` if the file cannot be read or is not such a configuration.
 */
export async function loadConfig(file: string, options: ParseConfigOptions = {}): Promise<Config> {
  const path = resolve(file);
  const folder = dirname(path);
  const workspaceFolder = basename(folder) === ".vscode" ? dirname(folder) : folder;
  let text: string;
  try {
    text = readText(path);
  } catch (cause) {
    throw configError(unreadable(path, cause), undefined, cause);
  }
  return parseConfig(text, {
    syntax: syntaxOf(path),
    dialect: /[\\/]\.(?:gemini|qwen)[\\/]settings\.json$/.test(path) ? "gemini" : undefined,
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
