import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

import { reasonOf } from "@tenon/base";

import { isShipError, ShipError } from "../error.ts";
import { writeWhole } from "../write-whole.ts";

/** A text file that may not exist yet. */
export interface TextFile {
  /** The path, with symbolic links followed. */
  readonly path: string;
  /** The text without its byte order mark. `undefined` if the file does not exist. */
  readonly text: string | undefined;
  /** The byte order mark, or nothing. It stays where it is. */
  readonly mark: string;
}

/** Maximum sizes in bytes, as large as `@tenon/host` reads them. */
const maxBytes = { json: 16_777_216, toml: 1_048_576, yaml: 65_536 } as const;

/**
 * Reads a configuration file. Links of users, who often keep such files elsewhere, are followed.
 *
 * @param within - The folder of the project that the file must be in. A repository could contain a
 *   link to a file of the user, which is not followed.
 * @throws `ShipError` `MALFORMED`, or `LIMIT` for a file that is too long.
 */
export function readTextFile(
  path: string,
  syntax: keyof typeof maxBytes,
  within: string | undefined,
): TextFile {
  try {
    return textFileAt(path, syntax, within);
  } catch (cause) {
    throw isShipError(cause)
      ? cause
      : new ShipError("MALFORMED", `${path} cannot be read: ${reasonOf(cause)}.`, { cause });
  }
}

function textFileAt(path: string, syntax: keyof typeof maxBytes, within: string | undefined): TextFile {
  if (within !== undefined) {
    refuseLinks(path, within);
  }
  if (!existsSync(path)) {
    if (isLink(path)) {
      throw new ShipError("MALFORMED", `${path} is a symbolic link to a file that does not exist.`);
    }
    return { path, text: undefined, mark: "" };
  }
  const real = realpathSync(path);
  const stats = statSync(real);
  if (!stats.isFile()) {
    throw new ShipError("MALFORMED", `${path} is not a regular file.`);
  }
  const most = maxBytes[syntax];
  if (stats.size > most) {
    throw new ShipError("LIMIT", `${path} has ${stats.size} bytes; files of up to ${most} are edited.`);
  }
  if ((stats.mode & 0o222) === 0) {
    throw new ShipError("NOT_EDITABLE", `${path} is read-only.`, {
      hint: "another program may write it, such as a manager of settings; change it there",
    });
  }
  const bytes = readFileSync(real);
  try {
    const whole = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const mark = whole.startsWith("\uFEFF") ? "\uFEFF" : "";
    return { path: real, text: whole.slice(mark.length), mark };
  } catch (cause) {
    throw new ShipError("MALFORMED", `${path} must be UTF-8.`, { cause });
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function refuseLinks(path: string, within: string): void {
  let folder = dirname(path);
  while (!existsSync(folder)) {
    folder = dirname(folder);
  }
  const way = relative(realpathSync(within), realpathSync(folder));
  if (isLink(path) || way.startsWith("..")) {
    throw new ShipError("MALFORMED", `${path} leads out of the project by a symbolic link.`, {
      hint: "replace the link by the file",
    });
  }
}

/**
 * Replaces a file as a whole, after copying it to `<file>.bak`. Both have the mode of the old file,
 * or can be read by the user only.
 *
 * @returns The path of the copy, if the file existed.
 * @throws `ShipError` `CHANGED` if the file is no longer what was read. It is unchanged then, and
 *   so is an earlier copy. `NOT_EDITABLE` if the user may not write it.
 */
export async function replaceTextFile(file: TextFile, next: string): Promise<string | undefined> {
  try {
    return await replaced(file, next);
  } catch (cause) {
    throw isShipError(cause)
      ? cause
      : new ShipError("NOT_EDITABLE", `${file.path} cannot be written: ${reasonOf(cause)}.`, { cause });
  }
}

async function replaced({ path, text, mark }: TextFile, next: string): Promise<string | undefined> {
  const check = (): void => {
    const now = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (now !== (text === undefined ? undefined : mark + text)) {
      throw new ShipError("CHANGED", `${path} was changed by another program in the meantime.`, {
        hint: "run the command again",
      });
    }
  };
  if (text === undefined) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    await writeWhole(path, next, 0o600, check);
    return undefined;
  }
  check();
  const mode = statSync(path).mode & 0o777;
  const backup = join(dirname(path), `${basename(path)}.bak`);
  // The mode of a new file is limited by the mask of the process.
  const keepMode = (made: string): void => {
    check();
    chmodSync(made, mode);
  };
  await writeWhole(backup, mark + text, mode, keepMode);
  await writeWhole(path, next, mode, keepMode);
  return backup;
}
