import type { ServerSpec } from "../spec.ts";
import type { Config, ConfiguredServer } from "./parse-config.ts";

/** The servers of a configuration, separated by whether the user has approved them. */
export interface Selection {
  /** To be given to a manager. */
  readonly servers: Readonly<Record<string, ServerSpec>>;
  /** New or changed since a person looked: show `redacted`, ask, remember `trust`. */
  readonly untrusted: readonly ConfiguredServer[];
}

/**
 * Separates approved servers from new and changed ones, so that no changed command runs without
 * consent.
 *
 * @param trusted - The approved `trust` hashes. By default every server is trusted.
 */
export function selectServers(
  config: Config,
  { trusted }: { readonly trusted?: ReadonlySet<string> | undefined } = {},
): Selection {
  const isTrusted = ({ trust }: ConfiguredServer): boolean => trusted === undefined || trusted.has(trust);
  return {
    servers: Object.fromEntries(config.servers.filter(isTrusted).map(({ name, spec }) => [name, spec])),
    untrusted: config.servers.filter((server) => !isTrusted(server)),
  };
}
