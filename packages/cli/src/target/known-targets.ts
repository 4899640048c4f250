import { isRecord } from "@tenon/base";

import { readLogins, type Login } from "../auth/logins.ts";
import { loginStore } from "../auth/provider.ts";
import type { Invocation } from "../command/invocation.ts";
import { askDaemon, isDaemonRunning, quickMs } from "../kept/client.ts";
import { messageOf } from "../output/escape.ts";
import type { Shell } from "../shell.ts";
import { readConfigurations } from "./configurations.ts";

/** A target that a user can name. */
export interface KnownTarget {
  /** The word that names it in a command line. */
  readonly word: string;
  /** The profile of its login, unless it is the default. A command line has to name it, too. */
  readonly profile?: string | undefined;
}

/** Commands that use a login and nothing else of a server. */
const ofLogins: ReadonlySet<string> = new Set(["logout", "status"]);

/**
 * The targets that this user has by a name, or has a login for: configured servers, `@name` of kept
 * connections, and the URLs of logins, latest first. Prints a warning if the kept
 * connections cannot be listed.
 *
 * @param command - The last word of the command. `logout` and `status` have only targets with a
 *   login.
 * @param profile - The profile that the command line names. By default the logins of all profiles
 *   are returned.
 */
export async function knownTargets(
  invocation: Invocation,
  command: string,
  profile?: string,
): Promise<readonly KnownTarget[]> {
  const { printer, shell } = invocation;
  const logins = await loginsOf(invocation, profile);
  if (ofLogins.has(command)) {
    return logins;
  }
  const kept = await keptNames(shell).catch((error: unknown) => {
    printer.warn(`The kept connections cannot be listed. ${messageOf(error)}`);
    return [];
  });
  const words = [...(await configuredNames(shell)), ...kept.map((name) => `@${name}`)];
  return [...[...new Set(words)].map((word) => ({ word })), ...logins];
}

/** The profile of the logins that a command line without `--profile` uses. */
export function usualProfile(command: string): string | undefined {
  return ofLogins.has(command) ? "default" : undefined;
}

async function loginsOf(invocation: Invocation, wanted: string | undefined): Promise<readonly KnownTarget[]> {
  // A keychain may be locked, and others may be able to read the folder.
  const logins = await readLogins(loginStore(invocation)).catch((): readonly Login[] => []);
  return logins
    .filter(({ profile }) => wanted === undefined || profile === wanted)
    .map(({ url, profile }) => ({ word: url, ...(profile === "default" ? {} : { profile }) }))
    .toReversed();
}

/** The names of the kept connections. @throws `CliError` if they cannot be listed. */
export async function keptNames(shell: Shell): Promise<readonly string[]> {
  if (!(await isDaemonRunning(shell))) {
    return [];
  }
  const { connections } = await askDaemon(shell, { action: "list" }, quickMs);
  return (Array.isArray(connections) ? (connections as readonly unknown[]) : []).flatMap((each) =>
    isRecord(each) && typeof each["name"] === "string" ? [each["name"]] : [],
  );
}

async function configuredNames(shell: Shell): Promise<readonly string[]> {
  const files = await readConfigurations(shell, undefined);
  return files.flatMap(({ config }) => (config?.servers ?? []).map(({ name }) => name));
}
