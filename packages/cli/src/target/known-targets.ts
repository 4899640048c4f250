import { isRecord } from "@tenon/base";

import { readLogins } from "../auth/logins.ts";
import { loginStore } from "../auth/provider.ts";
import type { Invocation } from "../command/invocation.ts";
import { askDaemon, isDaemonRunning } from "../kept/client.ts";
import type { Shell } from "../shell.ts";
import { readConfigurations } from "./configurations.ts";

/** Commands that use a login and nothing else of a server. */
const ofLogins: ReadonlySet<string> = new Set(["logout", "status"]);

/**
 * The targets that this user has by a name, or has a login for: configured servers, `@name` of kept
 * connections, and the URLs of logins, latest first.
 *
 * @param command - The last word of the command. `logout` and `status` have only targets with a
 *   login.
 */
export async function knownTargets(invocation: Invocation, command: string): Promise<readonly string[]> {
  const { shell } = invocation;
  // A keychain may be locked, and others may be able to read the folder.
  const logins = await readLogins(loginStore(invocation)).catch(() => []);
  const urls = logins.map(({ url }) => url).toReversed();
  return ofLogins.has(command)
    ? urls
    : [...(await configuredNames(shell)), ...(await keptNames(shell)).map((name) => `@${name}`), ...urls];
}

/** The names of the kept connections. */
export async function keptNames(shell: Shell): Promise<readonly string[]> {
  if (!(await isDaemonRunning(shell))) {
    return [];
  }
  const { connections } = await askDaemon(shell, { action: "list" });
  return (Array.isArray(connections) ? (connections as readonly unknown[]) : []).flatMap((each) =>
    isRecord(each) && typeof each["name"] === "string" ? [each["name"]] : [],
  );
}

async function configuredNames(shell: Shell): Promise<readonly string[]> {
  const files = await readConfigurations(shell, undefined);
  return files.flatMap(({ config }) => (config?.servers ?? []).map(({ name }) => name));
}
