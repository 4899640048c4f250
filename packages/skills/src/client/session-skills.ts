import { isRecord } from "@tenon/base";
import {
  McpError,
  type ClientExtensionHost,
  type ClientSession,
  type ListOptions,
  type RequestOptions,
} from "@tenon/mcp";

import { entryProblem, folderOf, maxBytes, type SkillEntry } from "../wire/entry.ts";
import { SkillError } from "../wire/error.ts";
import { extension, getSkill, listSkills } from "../wire/messages.ts";
import { fileProblem } from "./verify.ts";

/** A verified file of a skill. */
export interface SkillFile {
  readonly uri: string;
  readonly mimeType: string | undefined;
  readonly bytes: Uint8Array;
  /** The bytes as UTF-8. */
  readonly text: string;
}

/** The skills of a session's server. */
export interface SessionSkills {
  /**
   * Yields the listed skills. Entries that are not valid are left out and reported to `onError`.
   *
   * @throws `McpError` `CAPABILITY_MISSING` if the server does not declare skills.
   */
  list(options?: ListOptions): AsyncGenerator<SkillEntry, void, undefined>;
  /**
   * Returns the entry of a skill, listed or not.
   *
   * @param uri - The URI of its `SKILL.md`.
   * @throws `RpcError` `-32602` for an unknown skill; `SkillError` `INVALID_SKILL`.
   */
  get(uri: string, options?: RequestOptions): Promise<SkillEntry>;
  /**
   * Reads a file of a skill and verifies its size, its digest and, for `SKILL.md`, its frontmatter.
   * A file that is not the described one is requested once more, past caches.
   *
   * @param path - The path in the skill, such as `references/forms.md`. Default: `SKILL.md`.
   * @throws `SkillError` `NOT_IN_SKILL` for a file that the entry does not list, before anything is
   *   sent; `VERIFICATION_FAILED`.
   */
  read(skill: SkillEntry, path?: string, options?: RequestOptions): Promise<SkillFile>;
}

/**
 * Reads the skills of a session. Entries that are not valid are reported to `onError` of the host.
 */
export function sessionSkills(
  session: ClientSession,
  { settingsOf, onError }: ClientExtensionHost<object>,
): SessionSkills {
  const requireSkills = (): void => {
    if (settingsOf(session) === undefined) {
      throw new McpError("CAPABILITY_MISSING", `The server must declare ${extension} to have skills.`);
    }
  };
  return {
    async *list(options) {
      requireSkills();
      for await (const sent of session.pages(listSkills, {}, options)) {
        const problem = entryProblem(sent);
        if (problem === undefined) {
          yield sent as SkillEntry;
        } else {
          onError(new SkillError("INVALID_SKILL", `Skill of the server: ${problem}; it is left out.`));
        }
      }
    },
    async get(uri, options) {
      requireSkills();
      const { skill } = await session.request(getSkill, { uri }, options);
      const problem =
        entryProblem(skill) ?? ((skill as SkillEntry).uri === uri ? undefined : `uri must be ${uri}`);
      if (problem !== undefined) {
        throw new SkillError("INVALID_SKILL", `The server's skill ${uri} is not valid: ${problem}.`);
      }
      return skill as SkillEntry;
    },
    async read(skill, path, options) {
      const uri = uriIn(skill, path);
      const read = async (fresh: boolean): Promise<SkillFile | string> => {
        const file = fileOf(await session.readResource({ uri }, { ...options, fresh }), uri);
        return typeof file === "string" ? file : ((await fileProblem(skill, uri, file.bytes)) ?? file);
      };
      let file = await read(options?.fresh === true);
      if (typeof file === "string") {
        file = await read(true);
      }
      if (typeof file === "string") {
        throw new SkillError("VERIFICATION_FAILED", `The file ${uri} is not used: ${file}.`);
      }
      return file;
    },
  };
}

function uriIn(skill: SkillEntry, path: string | undefined): string {
  const problem = entryProblem(skill);
  if (problem !== undefined) {
    throw new SkillError("INVALID_SKILL", `Entry of a skill: ${problem}.`);
  }
  if (path === undefined) {
    return skill.uri;
  }
  const isPlain = path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  const uri = isPlain ? placeOf(skill, path) : undefined;
  if (uri === undefined) {
    const name = JSON.stringify(path.slice(0, 200));
    throw new SkillError("NOT_IN_SKILL", `The skill ${skill.uri} must list the file ${name} to read it.`);
  }
  return uri;
}

/**
 * The URI of a file of a skill. Servers differ in which characters they encode, such as `@` and
 * parentheses, so a listed URI is found by the path that it means, too.
 */
function placeOf({ uri: manifest, resources }: SkillEntry, path: string): string | undefined {
  const folder = `${folderOf(manifest)}/`;
  const usual = encoded(path);
  if (resources === "dynamic") {
    return usual === undefined ? undefined : folder + usual;
  }
  const uris = resources.map(({ uri }) => uri);
  return [usual, path]
    .map((each) => uris.find((uri) => uri === folder + each))
    .concat(uris.find((uri) => decoded(uri.slice(folder.length)) === path))
    .find((uri) => uri !== undefined);
}

/** @returns `undefined` for a path that no URI can have. */
function encoded(path: string): string | undefined {
  try {
    return path.split("/").map(encodeURIComponent).join("/");
  } catch {
    return undefined;
  }
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

/** The file in a result, or a sentence about why there is none. */
function fileOf({ contents }: { readonly contents: readonly object[] }, uri: string): SkillFile | string {
  const content = contents.find((each) => isRecord(each) && each["uri"] === uri);
  if (contents.length !== 1 || !isRecord(content)) {
    return "the server must return exactly this file";
  }
  const { text, blob, mimeType } = content;
  const type = typeof mimeType === "string" ? mimeType : undefined;
  if (typeof text === "string") {
    return { uri, mimeType: type, bytes: new TextEncoder().encode(text), text };
  }
  if (typeof blob !== "string" || blob.length > maxBytes * 2) {
    return "the server must return text or bytes in base64";
  }
  try {
    const bytes = Uint8Array.from(atob(blob), (char) => char.charCodeAt(0));
    return { uri, mimeType: type, bytes, text: new TextDecoder().decode(bytes) };
  } catch {
    return "its bytes must be base64";
  }
}
