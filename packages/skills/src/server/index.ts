/**
 * Skills of a server.
 *
 * @packageDocumentation
 */

export { createSkillCatalog, type SkillCatalog } from "./catalog.ts";
export type { FolderItem } from "./folders.ts";
export type { ServedFile, Skill } from "./skill.ts";
export { skills, type SkillsOptions } from "./skills.ts";
export type { SkillEntry, SkillFileEntry, SkillFrontmatter } from "../wire/entry.ts";
export { isSkillError, SkillError, skillErrors, type SkillErrorCode } from "../wire/error.ts";
