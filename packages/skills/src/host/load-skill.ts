import { holdFrom, type HeldSkill, type HoldOptions } from "../client/hold.ts";
import type { SessionSkills } from "../client/session-skills.ts";
import { withSkills, type SkillHost } from "./skill-host.ts";

/** Options of {@link loadSkill}. */
export interface LoadSkillOptions extends Pick<HoldOptions, "approve"> {
  /** Ends the wait for the server and for its responses. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Gets the current entry of a skill, has it approved, and reads its `SKILL.md`. All further files
 * are read from the same server, even if it has reconnected meanwhile.
 *
 * @example
 * manager.use(skillClient());
 * const { text, origin } = await loadSkill(manager, "docs", "skill://pdf/SKILL.md", {
 *   approve: ({ fingerprint }) => approved.has(fingerprint),
 * });
 *
 * @param server - The host's own name of the server.
 * @param uri - The URI of the skill's `SKILL.md`.
 * @throws `SkillError` `NOT_APPROVED`, `NOT_CONNECTED`; as `SessionSkills.get` and
 *   `SessionSkills.read`; `signal.reason`.
 * @source SEP-2640
 */
export async function loadSkill(
  host: SkillHost,
  server: string,
  uri: string,
  { approve, signal }: LoadSkillOptions,
): Promise<HeldSkill> {
  const skill = await withSkills(host, server, signal, (skills) => skills.get(uri, { signal }));
  const readFile: SessionSkills["read"] = (held, path, options) =>
    withSkills(host, server, options?.signal, (skills) => skills.read(held, path, options));
  return holdFrom(readFile, skill, { server, approve }, { signal });
}
