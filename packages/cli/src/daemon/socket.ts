import { mkdirSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

import { CliError } from "../exit.ts";
import type { Shell } from "../shell.ts";

/**
 * The address of the process that keeps connections: a socket in a folder that only the user can
 * enter.
 *
 * @throws `CliError` if the folder belongs to another user, or others can enter it.
 */
export function socketPath({ env, platform }: Shell): string {
  const { uid, username } = userInfo();
  if (platform === "win32") {
    return `\\\\.\\pipe\\tenon-${username}`;
  }
  const runtime = env["XDG_RUNTIME_DIR"];
  const folder =
    runtime === undefined || runtime === "" ? join(tmpdir(), `tenon-${uid}`) : join(runtime, "tenon");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid: owner } = statSync(folder);
  if (owner !== uid || (mode & 0o077) !== 0) {
    throw new CliError("connection", `${folder} must belong to this user alone.`, {
      hint: `chmod 700 ${folder}`,
    });
  }
  return join(folder, "daemon.sock");
}
