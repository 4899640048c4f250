import type { Manager } from "@tenon/sdk/host";
import { listSkills, loadSkill, type SkillApproval } from "@tenon/sdk/skills/host";

/** The user and the model of a host. */
export interface HostCallbacks {
  /** Prints a line. */
  readonly show: (line: string) => void;
  /** Returns whether the user agrees. */
  readonly approve: (approval: SkillApproval) => boolean | Promise<boolean>;
}

/** Lists the skills of all servers, then loads one of them with a file that it refers to. */
export async function useSkill(manager: Manager, { show, approve }: HostCallbacks): Promise<void> {
  for await (const { server, skill } of listSkills(manager)) {
    show(`${server}: ${skill.frontmatter.name} – ${skill.frontmatter.description}`);
  }
  const held = await loadSkill(manager, "handbook", "skill://refunds/SKILL.md", { approve });
  const email = await held.read("references/email.md");
  show(`From the server ${held.origin.server}:\n${held.text}\n${email.text}`);
}
