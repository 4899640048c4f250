import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { resolveTarget } from "./resolve.ts";

/** The address of a target, for commands that only remote servers have. */
export async function remoteOf(
  invocation: Invocation,
): Promise<{ readonly label: string; readonly url: string }> {
  const target = await resolveTarget(invocation);
  if (target.kind !== "server" || target.spec.type === "stdio") {
    throw usageError(`${target.label} is not a remote server, which a login is for.`, "name a URL");
  }
  return { label: target.label, url: target.spec.url };
}
