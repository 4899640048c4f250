import type { RemoteSpec, StdioSpec } from "@tenon/host";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { openKept } from "../kept/client.ts";
import { withLogin } from "../session/offer-login.ts";
import { chosenSpec } from "../target/chosen-spec.ts";
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
  const name = flags.text("name") ?? nameOf(target.label, target.spec);
  if (name === undefined || !/^[\w.-]{1,64}$/.test(name)) {
    throw usageError('Name the connection with letters, digits, ".", "_" and "-".', "--name <name>");
  }
  const request = {
    name,
    label: target.label,
    spec: chosenSpec(invocation, target.spec),
    ttlMs: flags.duration("ttl") ?? 30 * 60_000,
    revision: flags.text("revision"),
    profile: flags.text("profile"),
  };
  const opened = await withLogin(invocation, target, () => openKept(shell, request));
  printer.result(opened, () => `@${name} is connected.\ntry: tenon list @${name}`);
}

/** The name of a configured server, or the host of a URL: `example.com`, `localhost-3000`. */
function nameOf(label: string, spec: StdioSpec | RemoteSpec): string | undefined {
  if (/^[\w.-]+$/.test(label)) {
    return label;
  }
  return spec.type === "stdio" || !URL.canParse(spec.url)
    ? undefined
    : new URL(spec.url).host.replace(":", "-");
}
