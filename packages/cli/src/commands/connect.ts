import { resolve } from "node:path";

import type { RemoteSpec, StdioSpec } from "@tenon/host";
import { allowedEnvironment } from "@tenon/transports-stdio";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { openKept } from "../kept/client.ts";
import { withLogin } from "../session/offer-login.ts";
import type { Shell } from "../shell.ts";
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
    spec: independent(shell, chosenSpec(invocation, target.spec)),
    proxies: proxyVariables(shell.env),
    ttlMs: flags.duration("ttl") ?? 30 * 60_000,
    revision: flags.text("revision"),
    profile: flags.text("profile"),
  };
  const opened = await withLogin(invocation, target, () => openKept(shell, request));
  printer.result(opened, () => `@${name} is connected.\ntry: tenon list @${name}`);
}

/**
 * A spec that means the same in another process. The process that keeps connections was started by
 * an earlier command, in another folder and with other environment variables.
 */
function independent({ env, cwd }: Shell, spec: StdioSpec | RemoteSpec): StdioSpec | RemoteSpec {
  if (spec.type !== "stdio") {
    return spec;
  }
  const { inheritEnv = "allowed" } = spec;
  const passed = inheritEnv === "none" ? {} : inheritEnv === "all" ? env : allowedEnvironment(env);
  const inherited = Object.entries(passed).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    ...spec,
    inheritEnv: "none",
    env: { ...Object.fromEntries(inherited), ...spec.env },
    cwd: resolve(cwd, spec.cwd ?? "."),
  };
}

/** The environment variables about proxies. */
function proxyVariables(env: Shell["env"]): Shell["env"] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /_proxy$|^NODE_USE_ENV_PROXY$/i.test(name)),
  );
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
