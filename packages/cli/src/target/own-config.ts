import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { isRecord } from "@tenon/base";

import { usageError } from "../exit.ts";
import type { Shell } from "../shell.ts";
import { ownConfig } from "./config-files.ts";

/**
 * Adds servers to the configuration of this command line, which only the user can read.
 *
 * @param isForced - Whether servers of the same name are replaced.
 * @returns The path of the file.
 * @throws `CliError` if a name is taken, or the file is not valid; it is then unchanged.
 */
export function addServers(
  shell: Shell,
  servers: Readonly<Record<string, unknown>>,
  isForced: boolean,
): string {
  const file = ownConfig(shell);
  const config: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { mcpServers: {} };
  const present = isRecord(config) ? config["mcpServers"] : undefined;
  if (!isRecord(present)) {
    throw usageError(`${file} must have mcpServers.`, "correct the file, or delete it");
  }
  const taken = Object.keys(servers).filter((name) => Object.hasOwn(present, name));
  if (taken.length > 0 && !isForced) {
    throw usageError(`${taken.join(", ")} exists in ${file}.`, "--force replaces it");
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = `${JSON.stringify({ mcpServers: { ...present, ...servers } }, undefined, 2)}\n`;
  // A reader never sees half a file.
  const temporary = `${file}.${randomUUID()}.tmp`;
  writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
  renameSync(temporary, file);
  return file;
}
