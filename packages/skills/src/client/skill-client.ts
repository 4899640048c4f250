import { defineClientExtension, type ClientExtension } from "@tenon/mcp";

import { extension } from "../wire/messages.ts";
import { sessionSkills } from "./session-skills.ts";

/**
 * Adds `session.skills`: lists the skills of a server, and reads their files. Nothing is read
 * before it is requested, and every file is verified against the entry of its skill.
 *
 * @example
 * client.use(skillClient());
 * for await (const skill of session.skills.list()) console.log(skill.frontmatter.description);
 *
 * @source SEP-2640
 */
export function skillClient(): ClientExtension {
  return defineClientExtension({
    id: extension,
    setup: (_, host) => {
      host.addSessionProperty("skills", (session) => sessionSkills(session, host));
    },
  });
}
