import { isRecord } from "@tenon/base";

/** The file that every skill begins with. */
export const manifestName = "SKILL.md";
/** Maximum number of files of a skill. @source SEP-2640 */
export const maxFiles = 512;
/** Maximum size of all files of a skill, in bytes. @source SEP-2640 */
export const maxBytes: number = 16 * 1024 * 1024;

/** A file of a skill, as the entry of the skill lists it. */
export interface SkillFileEntry {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Length in bytes. */
  readonly size: number;
}

/** The properties of a skill at the start of its `SKILL.md`. */
export interface SkillFrontmatter {
  /** 1 to 64 characters of `a-z 0-9 -`: the last part of the skill's path. */
  readonly name: string;
  readonly description: string;
  readonly [property: string]: unknown;
}

/** The description of a skill, which clients get before they read a file. */
export interface SkillEntry {
  /** The URI of its `SKILL.md`. */
  readonly uri: string;
  readonly frontmatter: SkillFrontmatter;
  /** All files, or `"dynamic"` if the server creates them when they are read. */
  readonly resources: readonly SkillFileEntry[] | "dynamic";
}

const namePattern = /^[a-z0-9-]{1,64}$/;
const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** Whether a name is one that a skill may have. */
export function isSkillName(name: unknown): name is string {
  return typeof name === "string" && namePattern.test(name);
}

/** The URI of a skill's folder, without a slash at its end. */
export function folderOf(uri: string): string {
  return uri.slice(0, -`/${manifestName}`.length);
}

/**
 * Describes why a received value is not an entry of a skill; `undefined` if it is one.
 *
 * @source SEP-2640
 */
export function entryProblem(sent: unknown): string | undefined {
  if (!isRecord(sent)) {
    return "an entry must be an object";
  }
  const { uri, frontmatter, resources } = sent;
  if (typeof uri !== "string" || !uri.endsWith(`/${manifestName}`)) {
    return `uri must end with /${manifestName}`;
  }
  if (!isRecord(frontmatter) || typeof frontmatter["description"] !== "string") {
    return "frontmatter must have a name and a description";
  }
  const { name } = frontmatter;
  if (!isSkillName(name) || !folderOf(uri).endsWith(`/${name}`)) {
    return "frontmatter.name must be the last part of the path, 1 to 64 characters of a-z, 0-9 and -";
  }
  return resources === "dynamic" ? undefined : filesProblem(uri, resources);
}

function filesProblem(uri: string, files: unknown): string | undefined {
  if (!Array.isArray(files) || files.length > maxFiles) {
    return `resources must be "dynamic" or a list of up to ${maxFiles} files`;
  }
  const folder = `${folderOf(uri)}/`;
  const uris = new Set<string>();
  let total = 0;
  for (const file of files) {
    if (!isRecord(file) || typeof file["uri"] !== "string" || !isBelow(folder, file["uri"])) {
      return "each of resources must have a uri below the skill";
    }
    if (typeof file["digest"] !== "string" || !digestPattern.test(file["digest"])) {
      return "each of resources must have a digest, sha256 and 64 hexadecimal digits";
    }
    if (typeof file["size"] !== "number" || !Number.isSafeInteger(file["size"]) || file["size"] < 0) {
      return "each of resources must have a size in bytes";
    }
    total += file["size"];
    uris.add(file["uri"]);
  }
  if (uris.size !== files.length || !uris.has(uri)) {
    return `resources must have each file once, with ${manifestName}`;
  }
  return total > maxBytes ? `the files of a skill must have at most ${maxBytes} bytes` : undefined;
}

function isBelow(folder: string, uri: string): boolean {
  const path = uri.slice(folder.length).split("/");
  return uri.startsWith(folder) && path.every((part) => part !== "" && part !== "." && part !== "..");
}
