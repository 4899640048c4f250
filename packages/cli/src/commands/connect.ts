import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { openKept } from "../kept/client.ts";
import { resolveTarget } from "../target/resolve.ts";

/** Keeps a connection open, so that later commands can use it as `@name`. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell } = invocation;
  const target = await resolveTarget(invocation);
  if (target.kind !== "server" || target.isBundle === true) {
    throw usageError(
      `${target.label} cannot be kept.`,
      "name a URL or a configured server, or a program after --",
    );
  }
  const name = flags.text("name") ?? (/^[\w.-]+$/.test(target.label) ? target.label : undefined);
  if (name === undefined || !/^[\w.-]{1,64}$/.test(name)) {
    throw usageError('Name the connection with letters, digits, ".", "_" and "-".', "--name <name>");
  }
  const opened = await openKept(shell, {
    name,
    label: target.label,
    spec: target.spec,
    ttlMs: flags.duration("ttl") ?? 30 * 60_000,
    revision: flags.text("revision"),
    profile: flags.text("profile"),
  });
  printer.result(opened, () => `@${name} is connected. tenon list @${name}`);
}
