/**
 * Skills of a client: their entries, and their files, which are verified before they are returned.
 *
 * @packageDocumentation
 */

import type { SessionSkills } from "./session-skills.ts";

declare module "@tenon/mcp" {
  interface SessionExtensionProperties {
    /** The skills of the server. Requires `client.use(skillClient())`. */
    readonly skills: SessionSkills;
  }
}

export type { SkillEntry, SkillFileEntry, SkillFrontmatter } from "../wire/entry.ts";
export { isSkillError, SkillError, skillErrors, type SkillErrorCode } from "../wire/error.ts";
export { holdSkill, type HeldSkill, type HoldOptions, type SkillApproval } from "./hold.ts";
export type { SessionSkills, SkillFile } from "./session-skills.ts";
export { skillClient } from "./skill-client.ts";
