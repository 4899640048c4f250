/**
 * Skills of a host with many servers, such as a `Manager` of `@tenon/host`.
 *
 * @packageDocumentation
 */

export type { HeldSkill, SkillApproval } from "../client/hold.ts";
export type { SkillEntry, SkillFileEntry, SkillFrontmatter } from "../wire/entry.ts";
export { isSkillError, SkillError, skillErrors, type SkillErrorCode } from "../wire/error.ts";
export { listSkills, type HostedSkill, type ListSkillsOptions } from "./list-skills.ts";
export { loadSkill, type LoadSkillOptions } from "./load-skill.ts";
export type { SkillHost } from "./skill-host.ts";
