import { isRecord, kindOf } from "@tenon/base";

import { digestOf } from "../wire/digest.ts";
import {
  entryProblem,
  manifestName,
  maxBytes,
  maxFiles,
  type SkillEntry,
  type SkillFrontmatter,
} from "../wire/entry.ts";
import { SkillError } from "../wire/error.ts";
import { readFrontmatter } from "../wire/frontmatter.ts";
import { mediaTypeOf } from "./media-type.ts";

/** A skill to serve. */
export interface Skill {
  /** Identifies the skill in its server: names of `a-z 0-9 -` joined by `/`, such as `acme/pdf`. */
  readonly path: string;
  /** The files by their path in the skill, with `SKILL.md` among them. A string is UTF-8 text. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /**
   * Whether clients find the skill in the list. Any skill can be read by its URI. Default: `true`.
   */
  readonly listed?: boolean | undefined;
}

/** A file that is ready to be served. */
export interface ServedFile {
  readonly uri: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** A skill that is ready to be served. */
export interface ServedSkill {
  readonly entry: SkillEntry;
  readonly files: readonly ServedFile[];
  readonly isListed: boolean;
}

/**
 * Checks a skill, and computes its entry.
 *
 * @throws `SkillError` `INVALID_SKILL` that describes the problem.
 */
export async function prepareSkill(skill: Skill): Promise<ServedSkill> {
  const { path, files, listed = true } = Object(skill) as Skill;
  const fail = (problem: string): never => {
    throw new SkillError("INVALID_SKILL", `Skill ${JSON.stringify(path.slice(0, 200))}: ${problem}.`);
  };
  if (typeof path !== "string" || !isRecord(files)) {
    const got = `${kindOf(path)} and ${kindOf(files)}`;
    throw new SkillError(
      "INVALID_SKILL",
      `createSkillCatalog needs a path and files for each skill; got ${got}.`,
    );
  }
  const names = Object.keys(files);
  if (names.length > maxFiles) {
    fail(`it must have at most ${maxFiles} files; got ${names.length}`);
  }
  const served = names.toSorted().map((name): ServedFile => {
    if (!isFilePath(name)) {
      fail(
        `a file must have a path below the skill, without "." or ".."; got ${JSON.stringify(name.slice(0, 200))}`,
      );
    }
    const content = files[name];
    if (typeof content !== "string" && !(content instanceof Uint8Array)) {
      return fail(`the content of ${name} must be a string or a Uint8Array; got ${kindOf(content)}`);
    }
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : Uint8Array.from(content);
    const uri = `skill://${path}/${name.split("/").map(encodeURIComponent).join("/")}`;
    return { uri, bytes, mimeType: mediaTypeOf(name) };
  });
  if (served.reduce((sum, { bytes }) => sum + bytes.length, 0) > maxBytes) {
    fail(`its files must have at most ${maxBytes} bytes together`);
  }
  const manifest = served.find(({ uri }) => uri === `skill://${path}/${manifestName}`);
  if (manifest === undefined) {
    return fail(`it must have a file ${manifestName}`);
  }
  const frontmatter = readFrontmatter(new TextDecoder().decode(manifest.bytes));
  if (typeof frontmatter === "string") {
    return fail(frontmatter);
  }
  const entry: SkillEntry = {
    uri: manifest.uri,
    frontmatter: frontmatter as SkillFrontmatter,
    resources: await Promise.all(
      served.map(async ({ uri, bytes }) => ({ uri, digest: await digestOf(bytes), size: bytes.length })),
    ),
  };
  const problem = path.split("/").every((part) => /^[a-z0-9-]{1,64}$/.test(part))
    ? entryProblem(entry)
    : "its path must consist of names of a-z, 0-9 and -";
  if (problem !== undefined) {
    fail(problem);
  }
  return { entry, files: served, isListed: listed };
}

function isFilePath(path: string): boolean {
  // No URI can have half of a character.
  // oxlint-disable-next-line no-control-regex -- Control characters are refused.
  const isPlain = path.length <= 1024 && !/[\\\u0000-\u001F\u007F\p{Cs}]/u.test(path);
  return isPlain && path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
