import { reasonOf } from "@tenon/base";
import type { ClientSession } from "@tenon/mcp/client";
import type { SkillEntry, SkillFile } from "@tenon/skills/client";

import type { SkillFileReport, SkillList, Verdict } from "../wire/verdict.ts";

/** The maximum number of skills that the page lists. */
const maxSkills = 500;

/** Lists the skills of a server. Entries that are not valid are left out. */
export async function listSkills(session: ClientSession): Promise<SkillList> {
  const skills: SkillEntry[] = [];
  const problems: string[] = [];
  try {
    for await (const skill of session.skills.list()) {
      if (skills.length >= maxSkills) {
        problems.push(`Only the first ${maxSkills} skills are shown.`);
        break;
      }
      skills.push(skill);
    }
  } catch (error) {
    problems.push(`The skills could not be read: ${reasonOf(error)}`);
  }
  return { skills, problems };
}

/**
 * Reads a file of a skill, and compares it with the entry.
 *
 * @param path - The path in the skill. By default `SKILL.md`.
 * @throws For a skill that the server does not know, and a file that the skill does not list.
 */
export async function readSkillFile(
  session: ClientSession,
  uri: string,
  path: string | undefined,
): Promise<SkillFileReport> {
  const skill = await session.skills.get(uri, { fresh: true });
  const encoded = path?.split("/").map(encodeURIComponent).join("/");
  const fileUri = encoded === undefined ? uri : `${uri.slice(0, uri.lastIndexOf("/"))}/${encoded}`;
  const digest =
    skill.resources === "dynamic" ? undefined : skill.resources.find((file) => file.uri === fileUri)?.digest;
  try {
    const file = await session.skills.read(skill, path, { fresh: true });
    return reportOf(file, digest);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "VERIFICATION_FAILED") {
      throw error;
    }
    const verdict: Verdict = { rule: "digest", verdict: "problem", found: reasonOf(error) };
    return { uri: fileUri, verdict, ...(digest === undefined ? {} : { digest }) };
  }
}

function reportOf({ uri, mimeType, text, bytes }: SkillFile, digest: string | undefined): SkillFileReport {
  const verdict: Verdict =
    digest === undefined
      ? {
          rule: "digest",
          verdict: "note",
          found: "Files of a dynamic skill have no digests that could be compared.",
        }
      : { rule: "digest", verdict: "ok", found: `Size and digest are as listed: ${digest}.` };
  return {
    uri,
    text,
    bytes: bytes.byteLength,
    verdict,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(digest === undefined ? {} : { digest }),
  };
}
