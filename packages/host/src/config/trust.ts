import { canonicalJson } from "@tenon/base/canonical-json";

import { sha256 } from "../names/sha256.ts";
import type { CustomSpec, ServerSpec } from "../spec.ts";

/**
 * Returns a hash of an entry: of command, arguments, directory and environment, or of URL and
 * headers, and of the tools and times that its policy allows. While the hash is the same, a consent
 * that was given for it stands. Every value counts, because any variable may make a program load
 * something else. `ConfiguredServer.trust` leaves out only those values of the environment and of
 * headers that come from a `${variable}` or an input, so that a renewed token needs no new consent.
 */
export function trustHash(spec: Exclude<ServerSpec, CustomSpec>): string {
  const { allow, deny, readOnly, limits } = spec.policy ?? {};
  const policy: object = JSON.parse(JSON.stringify({ allow, deny, readOnly, limits }));
  // An entry without a policy keeps the hash that an earlier consent was given for.
  const restrictions = Object.keys(policy).length === 0 ? {} : { policy };
  return sha256(
    canonicalJson(
      spec.type === "stdio"
        ? {
            ...restrictions,
            type: spec.type,
            command: spec.command,
            args: spec.args ?? [],
            cwd: spec.cwd ?? null,
            env: spec.env ?? {},
            inheritEnv: spec.inheritEnv ?? "allowed",
          }
        : {
            ...restrictions,
            type: spec.type,
            url: spec.url,
            headers: spec.headers ?? {},
            ...(spec.proxy === undefined ? {} : { proxy: spec.proxy }),
          },
    ),
  );
}
