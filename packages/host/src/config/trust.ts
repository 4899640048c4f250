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

/** Variables that make a program load or run something else, or get it from somewhere else, count with their values. */
const risky =
  /^(?:PATH|PATHEXT|COMSPEC|SHELL|HOME|USERPROFILE|BASH_ENV|ENV|CLASSPATH|(?:LD|DYLD|GIT|DOTNET|NODE|DENO|BUN|UV|PIP|CARGO|npm_config|PNPM|YARN)_\w+|PYTHON\w*|PERL5\w*|RUBY\w*|\w*JAVA\w*_OPTIONS|\w+_PROXY)$/i;

function riskyVariables(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => risky.test(name)));
}
