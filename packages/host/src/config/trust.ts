import { sha256 } from "../names/sha256.ts";
import { canonical } from "../policy/pins.ts";
import type { CustomSpec, ServerSpec } from "../spec.ts";

/**
 * A hash of what would be run or connected to: command, arguments, directory and environment, or
 * URL and headers. While it is the same, a consent that was given for it stands. Every value
 * counts, because any variable may make a program load something else. `ConfiguredServer.trust`
 * leaves out only those values of the environment and of headers that come from a `${variable}`
 * or an input, so that a renewed token needs no new consent there.
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
            env: spec.env ?? {},
            inheritEnv: spec.inheritEnv ?? "allowed",
          }
        : {
            type: spec.type,
            url: spec.url,
            headers: spec.headers ?? {},
            ...(spec.proxy === undefined ? {} : { proxy: spec.proxy }),
          },
    ),
  );
}
