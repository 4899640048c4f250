import { skillClient, type SkillEntry } from "@tenon/skills/client";

import type { Invocation } from "../command/invocation.ts";
import { CliError } from "../exit.ts";
import { visible, visibleLine } from "../output/escape.ts";
import { openSession } from "../session/open.ts";

/** Lists the skills of a server, or prints a verified file of one. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { printer } = invocation;
  await using opened = await openSession(invocation, { prepare: (client) => client.use(skillClient()) });
  const { session, signal } = opened;
  const uri = invocation.operand("uri");
  if (uri !== undefined) {
    const skill = await session.skills.get(uri, { signal });
    const file = await session.skills.read(skill, invocation.operand("path"), { signal });
    printer.result({ uri: file.uri, mimeType: file.mimeType, text: file.text }, () => visible(file.text));
    return;
  }
  const skills: SkillEntry[] = [];
  try {
    for await (const skill of session.skills.list({ signal })) {
      skills.push(skill);
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== "CAPABILITY_MISSING") {
      throw error;
    }
    throw new CliError("protocol", "The server does not declare skills.", { cause: error });
  }
  printer.result({ skills }, () =>
    skills.length === 0
      ? "No skills."
      : skills
          .map(
            (skill) =>
              `${printer.style.name(visibleLine(skill.uri))}\n    ${visibleLine(skill.frontmatter.description)}`,
          )
          .join("\n"),
  );
}
