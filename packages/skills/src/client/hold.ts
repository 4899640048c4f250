import type { ClientSession, RequestOptions } from "@tenon/mcp";

import { digestOf } from "../wire/digest.ts";
import type { SkillEntry } from "../wire/entry.ts";
import { SkillError } from "../wire/error.ts";
import type { SessionSkills, SkillFile } from "./session-skills.ts";

/** A skill whose use is to be approved. */
export interface SkillApproval {
  /** The host's own name of the server, never one that the server chose. */
  readonly server: string;
  readonly skill: SkillEntry;
  /**
   * The digest of the URIs and digests of all files. An approval is for this value: it ends when
   * any file changes. `undefined` for a dynamic skill, which has to be approved each time.
   */
  readonly fingerprint: string | undefined;
}

/** Options of {@link holdSkill}. */
export interface HoldOptions {
  /** The host's own name of the server. */
  readonly server: string;
  /** Returns whether the skill may be used: asks a person, or finds an earlier approval. */
  readonly approve: (approval: SkillApproval) => boolean | Promise<boolean>;
}

/** A skill in use. Its entry does not change while it is held. */
export interface HeldSkill {
  readonly skill: SkillEntry;
  /** The server and the files of the skill. Show it with the text that a model gets. */
  readonly origin: Omit<SkillApproval, "skill"> & { readonly uri: string };
  /** The text of `SKILL.md`. */
  readonly text: string;
  /** Reads another file: see `SessionSkills.read`. */
  read(path: string, options?: RequestOptions): Promise<SkillFile>;
}

/**
 * Has a skill approved, and reads its `SKILL.md`. Only files of the approved entry are read, and
 * only from the same server. Tools, scripts and hooks in the frontmatter have no effect.
 *
 * @throws `SkillError` `NOT_APPROVED` before any file is read; as `SessionSkills.read`.
 * @source SEP-2640
 */
export function holdSkill(
  session: ClientSession,
  skill: SkillEntry,
  options: HoldOptions,
): Promise<HeldSkill> {
  return holdFrom((held, path, reading) => session.skills.read(held, path, reading), skill, options);
}

/**
 * As {@link holdSkill}, for a server whose session can be replaced.
 *
 * @param readFile - Reads a file of a skill from the server, as `SessionSkills.read`.
 * @param reading - Options of the first request.
 */
export async function holdFrom(
  readFile: SessionSkills["read"],
  skill: SkillEntry,
  { server, approve }: HoldOptions,
  reading?: RequestOptions,
): Promise<HeldSkill> {
  const held = structuredClone(skill);
  const fingerprint = await fingerprintOf(held);
  const isApproved: unknown = await approve({ server, skill: held, fingerprint });
  if (isApproved !== true) {
    throw new SkillError("NOT_APPROVED", `The skill ${held.uri} of ${server} was not approved.`);
  }
  const { text } = await readFile(held, undefined, reading);
  return {
    skill: held,
    origin: { server, uri: held.uri, fingerprint },
    text,
    read: (path, options) => readFile(held, path, options),
  };
}

async function fingerprintOf({ resources }: SkillEntry): Promise<string | undefined> {
  if (resources === "dynamic") {
    return undefined;
  }
  const lines = resources.map(({ uri, digest }) => `${digest} ${uri}\n`).toSorted();
  return digestOf(new TextEncoder().encode(lines.join("")));
}
