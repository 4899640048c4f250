import { isAbsolute, resolve } from "node:path";

import { loadConfig, type Config } from "@tenon/host/node";

import type { Shell } from "../shell.ts";
import { configFiles, type ConfigFile } from "./config-files.ts";

/** A configuration file that was read, or why it was not. */
export interface Configuration extends ConfigFile {
  readonly config?: Config | undefined;
  readonly error?: Error | undefined;
}

/**
 * Reads the configuration that `--config` names, or all that exist. A file that cannot be read does
 * not affect the others. Files of hosts that configure no servers are left out.
 */
export async function readConfigurations(
  shell: Shell,
  file: string | undefined,
): Promise<readonly Configuration[]> {
  const files =
    file === undefined
      ? configFiles(shell)
      : [{ path: isAbsolute(file) ? file : resolve(shell.cwd, file), owner: "--config" }];
  const env = shell.env as Record<string, string>;
  const read = await Promise.all(
    files.map(async (each): Promise<Configuration> => {
      try {
        return { ...each, config: await loadConfig(each.path, { env }) };
      } catch (error) {
        return { ...each, error: error as Error };
      }
    }),
  );
  // Settings of editors have other keys as well, and need not have servers.
  const isOther = ({ error }: Configuration): boolean => / has none of the keys /.test(error?.message ?? "");
  return file === undefined ? read.filter((each) => !isOther(each)) : read;
}
