/**
 * Skills from folders, for Node.js.
 *
 * @packageDocumentation
 */

export { loadSkills, type LoadOptions } from "./load.ts";
export type { Skill } from "../server/skill.ts";
