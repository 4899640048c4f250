import type { ListOptions } from "@tenon/mcp";

import type { SkillEntry } from "../wire/entry.ts";
import { extension } from "../wire/messages.ts";
import type { SkillHost } from "./skill-host.ts";

/** A skill of a server of a host. Both properties together identify it. */
export interface HostedSkill {
  /** The host's own name of the server. */
  readonly server: string;
  readonly skill: SkillEntry;
}

/** Options of {@link listSkills}. */
export interface ListSkillsOptions extends ListOptions {
  /** Called with a server whose skills cannot be listed. Default: `console.error`. */
  readonly onError?: ((error: unknown, server: string) => void) | undefined;
}

/**
 * Yields the listed skills of all connected servers of a host, by server. Skills of several servers
 * may have the same name. A server whose list fails is left out from there on. Reads no files.
 *
 * @throws `signal.reason`.
 */
export async function* listSkills(
  host: SkillHost,
  { onError = reportError, ...options }: ListSkillsOptions = {},
): AsyncGenerator<HostedSkill, void, undefined> {
  for (const [server, { extensions }] of host.snapshot) {
    const session = extensions?.includes(extension) === true ? host.get(server) : undefined;
    if (session !== undefined) {
      try {
        for await (const skill of session.skills.list(options)) {
          yield { server, skill };
        }
      } catch (error) {
        options.signal?.throwIfAborted();
        onError(error, server);
      }
    }
  }
}

function reportError(error: unknown, server: string): void {
  console.error(`Skills of the server ${JSON.stringify(server)}:`, error);
}
