import { defineMethod, type MethodDefinition } from "@tenon/mcp";

/** The name of the extension. */
export const extension = "io.modelcontextprotocol/skills";

// The methods name no extension, because clients that do not declare it may use them too
// (SEP-2640).

/** Returns a page of the skills. */
export const listSkills: MethodDefinition = defineMethod({
  method: "skills/list",
  cacheable: true,
  paged: "skills",
});

/** Returns the entry of one skill, listed or not. */
export const getSkill: MethodDefinition = defineMethod({
  method: "skills/get",
  cacheable: true,
});

/** Returns a page of the files and folders in a folder of a skill. */
export const readDirectory: MethodDefinition = defineMethod({
  method: "resources/directory/read",
  cacheable: true,
  paged: "resources",
});

/** The media type of a folder. */
export const folderType = "inode/directory";
