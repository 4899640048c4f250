import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

import { CliError } from "../exit.ts";
import type { Shell } from "../shell.ts";

/**
 * The address of the process that keeps connections: a socket in a folder that only the user can
 * enter.
 *
 * @throws `CliError` if the folder is a link or belongs to another user, or others can enter it.
 */
export function socketPath({ env, platform }: Shell): string {
  const { uid, username } = userInfo();
  if (platform === "win32") {
    return `\\\\.\\pipe\\tenon-${username}`;
  }
  const runtime = env["XDG_RUNTIME_DIR"];
  const folder =
    runtime === undefined || runtime === "" ? join(tmpdir(), `tenon-${uid}`) : join(runtime, "tenon");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new CliError("connection", `${folder} cannot be created.`, {
      hint: "set XDG_RUNTIME_DIR to a folder of yours",
      cause,
    });
  }
  const stats = lstatSync(folder);
  if (!stats.isDirectory() || stats.uid !== uid || (stats.mode & 0o077) !== 0) {
    const found = stats.isDirectory()
      ? `mode ${(stats.mode & 0o777).toString(8)}, user ${stats.uid}`
      : "a link or a file";
    throw new CliError("connection", `${folder} must be a folder of this user alone; got ${found}.`, {
      hint: stats.isDirectory() && stats.uid === uid ? `chmod 700 ${folder}` : `remove ${folder}`,
    });
  }
  return join(folder, "daemon.sock");
}
