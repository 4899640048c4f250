import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { checkOptionNames, isRecord, reasonOf, requireOptions } from "@tenon/base";

import { ShipError } from "../error.ts";
import { changesOf } from "./changes.ts";
import { diffOf, type DiffLine } from "./diff.ts";
import type { Editor, Rendering } from "./edit/editor.ts";
import { entryFor } from "./entry.ts";
import { readTextFile, replaceTextFile, type TextFile } from "./file.ts";
import { forms, type Form, type ProgramEntry, type RemoteEntry } from "./form.ts";
import { hostFiles, hostNames, type HostFile, type HostName, type Place } from "./host-files.ts";
import { shownEntry } from "./shown.ts";

/** Options of {@link planInstall}. */
export interface InstallOptions {
  /** The host whose file is edited. */
  readonly host: HostName;
  /**
   * The name of the server in the host. A new name consists of letters, digits, `_` and `-`, at
   * most 64.
   */
  readonly name: string;
  /** The server. Without it, the entry of the name is removed. */
  readonly server?: ProgramEntry | RemoteEntry | undefined;
  /** The user, the machine and the project. */
  readonly place: Place;
  /** Whether to edit the file of the project or of the user. Default: `"user"`. */
  readonly scope?: "project" | "user" | undefined;
  /** Another file in the format of the host. By default it is where the host looks for it. */
  readonly file?: string | undefined;
}

/** A change of a configuration file that is not made yet. */
export interface InstallPlan {
  /** The name of the host for people. */
  readonly title: string;
  /** The path of the file, with symbolic links followed. */
  readonly file: string;
  readonly change: "added" | "replaced" | "removed" | "unchanged";
  /** The changed lines of the entry. Everything that may be a secret is replaced. */
  readonly diff: readonly DiffLine[];
  /**
   * Writes the file. The old file stays as `<file>.bak`. Does nothing if nothing changes.
   *
   * @returns The path of the old file, if there was one.
   * @throws `ShipError` `CHANGED` if another program has changed the file since it was read.
   */
  apply(): Promise<string | undefined>;
}

const editors: Readonly<Record<Form["syntax"], () => Promise<{ readonly editor: Editor }>>> = {
  json: () => import("./edit/json.lazy.ts"),
  toml: () => import("./edit/toml.lazy.ts"),
  yaml: () => import("./edit/yaml.lazy.ts"),
};

/**
 * Plans the entry of a server in the configuration file of a host, or its removal. The rest of the
 * file stays, with its comments. Settings that the user added to an earlier entry stay too, and so
 * do the values of its variables.
 *
 * @throws `ShipError`: `MALFORMED` for a file that is not valid, `NOT_EDITABLE` for a valid file
 *   in which the edit would change something else, `UNSUPPORTED` for a server that the file of the
 *   host cannot contain.
 */
export async function planInstall(options: InstallOptions): Promise<InstallPlan> {
  const what = "planInstall";
  checkOptionNames(what, options, "host name server:object place:object scope file");
  requireOptions(what, options, { host: "string", name: "string", place: "object" });
  const { host, name, server, place, scope = "user" } = options;
  // Codex and Claude Code accept no other characters. Other names can be removed.
  if (!(server === undefined ? /^[^]{1,256}$/ : /^[A-Za-z0-9][\w-]{0,63}$/).test(name)) {
    throw new ShipError("INVALID_NAME", `${JSON.stringify(name)} is not a name that every host accepts.`, {
      hint: 'letters, digits, "_" and "-", at most 64',
    });
  }
  const found = fileOf(host, place, scope);
  const form = forms[host];
  const { editor } = await editors[form.syntax]();
  const within = scope === "project" && options.file === undefined ? place.cwd : undefined;
  const paths = options.file === undefined ? found.paths : [resolve(place.cwd, options.file)];
  const { file, before, config, at } = read(paths, { editor, form, name, within });
  const base = { title: found.title, file: file.path };
  const entry = server && entryFor(host, found.title, name, server, at.entry);
  const earlier = at.entry && (plain(at.entry) as Record<string, unknown>);
  if (isDeepStrictEqual(entry, earlier)) {
    return { ...base, change: "unchanged", diff: [], apply: () => Promise.resolve(undefined) };
  }
  const after = edited(editor, { before, config, at, earlier, entry, path: file.path });
  const rendering = (shown: typeof entry, old?: typeof entry): Rendering | undefined =>
    shown && editor.render(at.path, shownEntry(form, name, shown, old));
  return {
    ...base,
    change: entry === undefined ? "removed" : earlier === undefined ? "added" : "replaced",
    diff: diffOf(rendering(earlier), rendering(entry, earlier)),
    apply: () => replaceTextFile(file, `${file.mark}${after}`),
  };
}

interface Reading {
  readonly file: TextFile;
  /** The text without a byte order mark, or a new file. */
  readonly before: string;
  readonly config: Record<string, unknown>;
  readonly at: At;
}

/** Reads the file that has the entry, or else the first that exists. */
function read(
  paths: readonly string[],
  { editor, form, name, within }: { editor: Editor; form: Form; name: string; within: string | undefined },
): Reading {
  const existing = paths.filter((path) => existsSync(path));
  const all = (existing.length === 0 ? paths.slice(0, 1) : existing).map((path): Reading => {
    const file = readTextFile(path, form.syntax, within);
    const before =
      file.text === undefined || file.text.trim() === "" ? (form.blank ?? editor.blank) : file.text;
    const config = parsed(editor, before, file.path);
    return { file, before, config, at: placeIn(config, form, name, file.path) };
  });
  return all.find(({ at }) => at.entry !== undefined) ?? (all[0] as Reading);
}

function fileOf(host: HostName, place: Place, scope: "project" | "user"): HostFile {
  if (!hostNames.includes(host)) {
    throw new ShipError("UNKNOWN_HOST", `There is no host ${JSON.stringify(host)}.`, {
      hint: hostNames.join(", "),
    });
  }
  const all = hostFiles(place);
  const found = all.find((each) => each.host === host && each.scope === scope);
  if (found === undefined) {
    const title = all.find((each) => each.host === host)?.title ?? host;
    throw new ShipError("UNSUPPORTED", `${title} has no configuration file of a project.`);
  }
  return found;
}

function parsed(editor: Editor, text: string, path: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = editor.parse(text);
  } catch (cause) {
    throw new ShipError("MALFORMED", `${path} is not valid, so it was not changed: ${reasonOf(cause)}.`, {
      hint: "correct the file first",
      cause,
    });
  }
  if (value !== null && value !== undefined && !isRecord(value)) {
    throw new ShipError("MALFORMED", `${path} must contain an object of settings.`);
  }
  return value ?? {};
}

interface At {
  /** The path of the entry. */
  readonly path: readonly (string | number)[];
  readonly entry: Record<string, unknown> | undefined;
}

/** Finds the entry of a server. A list gets another element if it has none. */
function placeIn(config: Record<string, unknown>, form: Form, name: string, path: string): At {
  const { root } = form;
  const holder = config[root];
  if (form.isList === true) {
    const list = holder ?? [];
    if (!Array.isArray(list)) {
      throw new ShipError("MALFORMED", `${path}: ${root} must be a list of servers.`);
    }
    const index = list.findIndex((each) => isRecord(each) && each["name"] === name);
    return {
      path: [root, index === -1 ? list.length : index],
      entry: index === -1 ? undefined : (list[index] as Record<string, unknown>),
    };
  }
  const servers = holder ?? {};
  if (!isRecord(servers)) {
    throw new ShipError("MALFORMED", `${path}: ${root} must be an object of servers by name.`);
  }
  const usual = form.keyOf?.(name) ?? name;
  const key = Object.hasOwn(servers, name) ? name : usual;
  const entry = Object.hasOwn(servers, key) ? servers[key] : undefined;
  if (entry !== undefined && !isRecord(entry)) {
    throw new ShipError("MALFORMED", `${path}: ${root}.${key} must be an object.`);
  }
  return { path: [root, key], entry };
}

interface Edit {
  readonly before: string;
  readonly config: Record<string, unknown>;
  readonly at: At;
  readonly earlier: Record<string, unknown> | undefined;
  readonly entry: Record<string, unknown> | undefined;
  readonly path: string;
}

/**
 * The text after an edit, which changes this entry and nothing else, in any layout of the file.
 *
 * @throws `ShipError` `NOT_EDITABLE` if there is no such edit.
 */
function edited(editor: Editor, { before, config, at, earlier, entry, path }: Edit): string {
  const expected = withoutEmpty(expectedAfter(config, at, entry), at);
  const whole = { path: at.path, value: entry };
  // The entry as a whole is written only if its properties cannot be changed one by one.
  for (const changes of [
    changesOf(at.path, earlier, entry),
    [...(entry === undefined ? [] : [{ ...whole, value: undefined }]), whole],
  ]) {
    try {
      const after = editor.edit(before, changes);
      if (isDeepStrictEqual(withoutEmpty(editor.parse(after), at), expected)) {
        return after;
      }
    } catch {
      // Reported below.
    }
  }
  throw new ShipError("NOT_EDITABLE", `${path} is written in a way that cannot be edited safely.`, {
    hint: "edit the file by hand",
  });
}

function expectedAfter(config: Record<string, unknown>, { path }: At, entry: unknown): unknown {
  const [root, key] = path as [string, string | number];
  const holder = config[root] ?? (typeof key === "number" ? [] : {});
  if (Array.isArray(holder)) {
    const list = holder as readonly unknown[];
    return {
      ...config,
      [root]: list.toSpliced(Number(key), 1, ...(entry === undefined ? [] : [entry])),
    };
  }
  const { [key]: _, ...others } = holder as Record<string, unknown>;
  return { ...config, [root]: entry === undefined ? others : { ...others, [key]: entry } };
}

/** A configuration in which no servers are the same in every layout: TOML may lose their table. */
function withoutEmpty(config: unknown, { path: [root = ""] }: At): unknown {
  const { [root]: servers, ...others } = (plain(config) ?? {}) as Record<string, unknown>;
  return Object.keys(servers ?? {}).length === 0 ? others : { ...others, [root]: servers };
}

/** Parsers differ in the prototypes of their objects. */
function plain(value: unknown): unknown {
  return value instanceof Date || typeof value !== "object" || value === null
    ? value
    : Array.isArray(value)
      ? value.map(plain)
      : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
