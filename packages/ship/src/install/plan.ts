import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { checkOptionNames, isRecord, reasonOf, requireOptions } from "@tenon/base";

import { ShipError } from "../error.ts";
import { diffOf, secretsIn, type DiffLine } from "./diff.ts";
import type { Editor } from "./edit/editor.ts";
import { entryFor, forms, type Form, type ProgramEntry, type RemoteEntry } from "./entry.ts";
import { readTextFile, replaceTextFile } from "./file.ts";
import { hostFiles, hostNames, type HostFile, type HostName, type Place } from "./host-files.ts";

/** Options of {@link planInstall}. */
export interface InstallOptions {
  /** The host whose file is edited. */
  readonly host: HostName;
  /** The name of the server in the host: letters, digits, `.`, `_` and `-`, at most 64. */
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
  /** The lines that change, without the values of variables and headers. */
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
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) {
    throw new ShipError("INVALID_NAME", `${JSON.stringify(name)} is not a name that every host accepts.`, {
      hint: 'letters, digits, ".", "_" and "-", at most 64',
    });
  }
  const found = fileOf(host, place, scope);
  const path = options.file === undefined ? pathOf(found) : resolve(place.cwd, options.file);
  const form = forms[host];
  const { editor } = await editors[form.syntax]();
  const inProject = scope === "project" && options.file === undefined;
  const file = readTextFile(path, form.syntax, inProject ? place.cwd : undefined);
  // A byte order mark stays where it is.
  const [mark, text] =
    file.text?.startsWith("\uFEFF") === true ? ["\uFEFF", file.text.slice(1)] : ["", file.text];
  const before = text === undefined || text.trim() === "" ? (form.blank ?? editor.blank) : text;
  const config = parsed(editor, before, file.path);
  const at = placeIn(config, form, name, file.path);
  const base = { title: found.title, file: file.path };
  const entry = server && entryFor(host, found.title, name, server, at.entry);
  if (isDeepStrictEqual(entry, plain(at.entry))) {
    return { ...base, change: "unchanged", diff: [], apply: () => Promise.resolve(undefined) };
  }
  const after = editor.edit(before, at.path, entry);
  verify(editor, { before, after, at, entry, path: file.path });
  return {
    ...base,
    change: entry === undefined ? "removed" : at.entry === undefined ? "added" : "replaced",
    diff: diffOf(text ?? "", after, secretsIn(entry, secretsIn(config))),
    apply: () => replaceTextFile(file, `${mark}${after}`),
  };
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

function pathOf({ paths }: HostFile): string {
  return paths.find((path) => existsSync(path)) ?? paths[0] ?? "";
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
  const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (entry !== undefined && !isRecord(entry)) {
    throw new ShipError("MALFORMED", `${path}: ${root}.${name} must be an object.`);
  }
  return { path: [root, name], entry };
}

interface Edit {
  readonly before: string;
  readonly after: string;
  readonly at: At;
  readonly entry: Record<string, unknown> | undefined;
  readonly path: string;
}

/** An edit must change this entry and nothing else, in any layout of the file. */
function verify(editor: Editor, { before, after, at, entry, path }: Edit): void {
  const expected = (editor.parse(before) ?? {}) as Record<string, unknown>;
  const [root, key] = at.path as [string, string | number];
  const holder = (expected[root] ??= typeof key === "number" ? [] : {});
  if (Array.isArray(holder) && entry === undefined) {
    holder.splice(Number(key), 1);
  } else if (entry === undefined) {
    delete (holder as Record<string, unknown>)[key];
  } else {
    (holder as Record<string | number, unknown>)[key] = entry;
  }
  let now: unknown;
  try {
    now = editor.parse(after);
  } catch {
    // Reported below.
  }
  if (!isDeepStrictEqual(plain(now), plain(expected))) {
    throw new ShipError("NOT_EDITABLE", `${path} is written in a way that cannot be edited safely.`, {
      hint: "edit the file by hand",
    });
  }
}

/** Parsers differ in the prototypes of their objects. */
function plain(value: unknown): unknown {
  return value instanceof Date || typeof value !== "object" || value === null
    ? value
    : Array.isArray(value)
      ? value.map(plain)
      : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
