import type { RemoteSpec } from "@tenon/host";
import { isSocketUrl } from "@tenon/http/socket";

import type { Remote } from "../auth/remote.ts";
import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { askDaemon, quickMs } from "../kept/client.ts";
import { resolveTarget } from "./resolve.ts";

/**
 * @param what - What is not possible on a socket.
 * @throws `CliError` for a server on a Unix socket or a named pipe.
 */
export function checkReachable(label: string, { url }: RemoteSpec, what: string): void {
  if (isSocketUrl(url)) {
    throw usageError(
      `${what} needs a server that other machines can reach; ${label} is on a socket.`,
      "name the http or https URL of the server",
    );
  }
}

/** The address of a target, for commands that only remote servers have. */
export async function remoteOf(invocation: Invocation): Promise<Remote> {
  const { flags, shell } = invocation;
  const target = await resolveTarget(invocation);
  if (target.kind === "kept") {
    const { url, profile, proxy } = await askDaemon(shell, { action: "login", name: target.name }, quickMs);
    if (typeof url === "string") {
      const known = typeof proxy === "string" || proxy === false ? proxy : undefined;
      return { label: target.label, url, profile: flags.text("profile") ?? String(profile), proxy: known };
    }
  }
  if (target.kind !== "server" || target.spec.type === "stdio") {
    throw usageError(`${target.label} is not a remote server, which a login is for.`, "name a URL");
  }
  checkReachable(target.label, target.spec, "A login");
  const profile = flags.text("profile") ?? "default";
  return { label: target.label, url: target.spec.url, profile, proxy: target.spec.proxy };
}
