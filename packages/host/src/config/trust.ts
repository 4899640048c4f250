import { sha256 } from "../names/sha256.ts";
import { canonical } from "../policy/pins.ts";
import type { CustomSpec, ServerSpec } from "../spec.ts";

/**
 * A hash of what would be run or connected to: command, arguments, directory, which variables are set; URL and which headers are sent. While it is the same, a
 * consent that was given for it stands. The values of variables and headers do not count, so that a renewed token asks no new consent.
 */
export function trustHash(spec: Exclude<ServerSpec, CustomSpec>): string {
  return sha256(
    canonical(
      spec.type === "stdio"
        ? {
            type: spec.type,
            command: spec.command,
            args: spec.args ?? [],
            cwd: spec.cwd ?? null,
            env: Object.keys(spec.env ?? {}).toSorted(),
            risky: riskyVariables(spec.env),
            inheritEnv: spec.inheritEnv ?? "allowed",
          }
        : { type: spec.type, url: spec.url, headers: Object.keys(spec.headers ?? {}).toSorted() },
    ),
  );
}

/** Variables that make a program load or run something else count with their values. */
const risky =
  /^(?:PATH|NODE_OPTIONS|NODE_PATH|PYTHON\w*|LD_\w+|DYLD_\w+|BASH_ENV|ENV|PERL5\w*|RUBY\w*|JAVA_TOOL_OPTIONS|GIT_\w+|npm_config_\w+)$/i;

function riskyVariables(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => risky.test(name)));
}
