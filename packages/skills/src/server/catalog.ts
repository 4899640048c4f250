import { kindOf } from "@tenon/base";

import { folderOf, manifestName, type SkillEntry } from "../wire/entry.ts";
import { SkillError } from "../wire/error.ts";
import { foldersOf, type FolderItem } from "./folders.ts";
import { prepareSkill, type ServedFile, type ServedSkill, type Skill } from "./skill.ts";

/** Maximum number of skills of a catalog. */
const maxSkills = 10_000;
/** Maximum size of all files of a catalog, in bytes. */
const maxBytes = 256 * 1024 * 1024;
const scheme = "skill://";

/** The skills of a server. */
export interface SkillCatalog {
  /** The entries of the listed skills, by URI. */
  readonly entries: readonly SkillEntry[];
  /** The entry of a skill, listed or not. */
  entry(uri: string): SkillEntry | undefined;
  /** A file of a skill. */
  file(uri: string): ServedFile | undefined;
  /** The files and folders in a folder, by URI; `undefined` if there is no such folder. */
  folder(uri: string): readonly FolderItem[] | undefined;
  /**
   * Replaces all skills at once, or none. Clients are notified. Of several calls at a time, the
   * last decides, whichever is ready first.
   *
   * @throws `SkillError` `INVALID_SKILL`: the catalog then keeps its skills.
   */
  replace(skills: readonly Skill[]): Promise<void>;
  /**
   * Calls a function after each {@link replace}, which throws what the function throws when all
   * have been called.
   *
   * @returns Ends it.
   */
  onReplaced(listener: () => void): () => void;
}

/** All skills at one moment. */
interface State {
  readonly entries: readonly SkillEntry[];
  readonly byUri: ReadonlyMap<string, ServedSkill>;
  readonly files: ReadonlyMap<string, ServedFile>;
  readonly folders: ReadonlyMap<string, readonly FolderItem[]>;
}

/**
 * Makes a catalog. Digests are computed once, and the content is kept in memory, so that clients
 * get exactly what the entries describe.
 *
 * @example const catalog = await createSkillCatalog(await loadSkills("./skills"));
 * @throws `SkillError` `INVALID_SKILL` that names the skill and the problem.
 */
export async function createSkillCatalog(skills: readonly Skill[]): Promise<SkillCatalog> {
  let state = await stateOf(skills);
  let called = 0;
  /** The call of `replace` whose skills are shown. */
  let shown = 0;
  const listeners = new Set<() => void>();
  return {
    get entries() {
      return state.entries;
    },
    entry: (uri) => state.byUri.get(uri)?.entry,
    file: (uri) => state.files.get(uri),
    folder: (uri) => state.folders.get(uri.replace(/\/$/, "")),
    async replace(others) {
      const call = ++called;
      const next = await stateOf(others);
      if (call < shown) {
        return;
      }
      shown = call;
      state = next;
      callAll(listeners);
    },
    onReplaced(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** A listener that throws must not keep the others, such as servers, from the news. */
function callAll(listeners: ReadonlySet<() => void>): void {
  const errors: unknown[] = [];
  for (const listener of listeners) {
    try {
      listener();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) {
    throw errors.length === 1
      ? errors[0]
      : new AggregateError(errors, `${errors.length} listeners of a catalog failed.`);
  }
}

async function stateOf(skills: readonly Skill[]): Promise<State> {
  if (!Array.isArray(skills)) {
    throw new SkillError(
      "INVALID_SKILL",
      `createSkillCatalog needs an array of skills; got ${kindOf(skills)}.`,
    );
  }
  if (skills.length > maxSkills) {
    throw new SkillError("INVALID_SKILL", `Skills of a catalog: at most ${maxSkills}; got ${skills.length}.`);
  }
  const served: ServedSkill[] = [];
  let total = 0;
  for (const skill of skills) {
    const prepared = await prepareSkill(skill);
    total += prepared.files.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (total > maxBytes) {
      throw new SkillError("INVALID_SKILL", `Files of a catalog: at most ${maxBytes} bytes; got more.`);
    }
    served.push(prepared);
  }
  served.sort((a, b) => (a.entry.uri < b.entry.uri ? -1 : 1));
  const byUri = new Map(served.map((skill) => [skill.entry.uri, skill]));
  if (byUri.size !== served.length) {
    throw new SkillError("INVALID_SKILL", "Two skills of a catalog must not have the same path.");
  }
  served.forEach((skill) => checkAround(skill, byUri));
  const files = filesOf(served);
  return {
    entries: served.filter(({ isListed }) => isListed).map(({ entry }) => entry),
    byUri,
    files,
    folders: foldersOf([...files.values()]),
  };
}

/**
 * Checks that the skills around a skill list its files, because these are files of theirs too.
 *
 * @source E-022
 */
function checkAround({ entry, files }: ServedSkill, byUri: ReadonlyMap<string, ServedSkill>): void {
  let folder = folderOf(entry.uri);
  while (folder.length > scheme.length) {
    folder = folder.slice(0, folder.lastIndexOf("/"));
    const around = byUri.get(`${folder}/${manifestName}`);
    const own = new Set(around?.files.map(({ uri }) => uri));
    const missing = around === undefined ? undefined : files.find(({ uri }) => !own.has(uri));
    if (missing !== undefined) {
      const message = `Skill ${folder.slice(scheme.length)}: it must have the file ${missing.uri}, because that is in its folder.`;
      throw new SkillError("INVALID_SKILL", message);
    }
  }
}

/** Returns the files of all skills. Nested skills share files with the skill around them. */
function filesOf(served: readonly ServedSkill[]): ReadonlyMap<string, ServedFile> {
  const files = new Map<string, ServedFile>();
  const digests = new Map<string, string>();
  for (const { entry, files: own } of served) {
    for (const { uri, digest } of entry.resources === "dynamic" ? [] : entry.resources) {
      if ((digests.get(uri) ?? digest) !== digest) {
        throw new SkillError("INVALID_SKILL", `Two skills of a catalog must have the same file ${uri}.`);
      }
      digests.set(uri, digest);
    }
    own.forEach((file) => files.set(file.uri, file));
  }
  return files;
}
