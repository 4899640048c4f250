import type { AuthError } from "../../shared/error.ts";
import { isAuthError } from "../../shared/error.ts";
import type { Registrar } from "../register/registrar.ts";
import { failure, type Setting } from "../setting.ts";
import type { DiscoveryOptions } from "./discovery.lazy.ts";
import type { ServerMetadata } from "./metadata.ts";
import type { ResourceInfo } from "./resource.ts";

/** The resource, and the authorization server that issues tokens for it. */
export interface Target {
  readonly resource: ResourceInfo;
  readonly server: ServerMetadata;
}

/** Options of {@link createTargetFinder}. */
export interface TargetOptions extends DiscoveryOptions {
  readonly selectIssuer: ((issuers: readonly string[]) => string) | undefined;
}

/** Metadata are used this long, in milliseconds. */
const cacheMs = 3_600_000;

/**
 * Finds the {@link Target} of a provider. @param named - The address of the metadata that a
 * challenge named. @param isFresh - Not from memory.
 */
export type TargetFinder = (
  named: string | undefined,
  isFresh: boolean,
  signal: AbortSignal,
) => Promise<Target>;

/** Creates a {@link TargetFinder}. It remembers its last result for an hour. */
export function createTargetFinder(
  setting: Setting,
  registrar: Registrar,
  options: TargetOptions,
): TargetFinder {
  let last: { readonly named: string | undefined; readonly at: number; readonly target: Target } | undefined;

  /** The issuers in the order in which they are tried. @source R-735 */
  async function ordered({ issuers }: ResourceInfo): Promise<readonly string[]> {
    const selected = options.selectIssuer?.(issuers);
    if (selected !== undefined) {
      if (!issuers.includes(selected)) {
        throw failure(
          setting,
          "NO_AUTHORIZATION_SERVER",
          "selectIssuer must return one of the issuers that it was called with.",
        );
      }
      return [selected];
    }
    const known = await Promise.all(issuers.map((issuer) => registrar.isKnown(issuer)));
    return [
      ...issuers.filter((_, index) => known[index]),
      ...issuers.filter((_, index) => known[index] !== true),
    ];
  }

  return async (named, isFresh, signal) => {
    const now = setting.clock.now();
    if (!isFresh && last !== undefined && last.named === (named ?? last.named) && now - last.at < cacheMs) {
      return last.target;
    }
    const { discoverResource, discoverServer, discoveryBudget } = await import("./discovery.lazy.ts");
    const budget = discoveryBudget(setting, signal);
    const resource = await discoverResource(setting, options, named, budget);
    let first: AuthError | undefined;
    for (const issuer of await ordered(resource)) {
      try {
        const server = await discoverServer(setting, issuer, resource.isLegacy, budget);
        last = { named, at: now, target: { resource, server } };
        return last.target;
      } catch (error) {
        if (!isAuthError(error)) {
          throw error;
        }
        first ??= error;
      }
    }
    throw (
      first ?? failure(setting, "NO_AUTHORIZATION_SERVER", "The MCP server names no authorization server.")
    );
  };
}
