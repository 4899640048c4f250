import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

import { ShipError } from "../error.ts";
import { writeWhole } from "../write-whole.ts";

/** A text file that may not exist yet. */
export interface TextFile {
  /** The path, with symbolic links followed. */
  readonly path: string;
  /** `undefined` if the file does not exist. */
  readonly text: string | undefined;
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
  if (within !== undefined) {
    refuseLinks(path, within);
  }
  if (!existsSync(path)) {
    if (isLink(path)) {
      throw new ShipError("MALFORMED", `${path} is a symbolic link to a file that does not exist.`);
    }
    return { path, text: undefined };
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
  try {
    return {
      path: real,
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(real)),
    };
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
 * @throws `ShipError` `CHANGED` if the file is no longer what was read. It is unchanged then.
 */
export async function replaceTextFile({ path, text }: TextFile, next: string): Promise<string | undefined> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const mode = text === undefined ? 0o600 : statSync(path).mode & 0o777;
  const backup = text === undefined ? undefined : join(dirname(path), `${basename(path)}.bak`);
  if (backup !== undefined && text !== undefined) {
    await writeWhole(backup, text, mode);
  }
  await writeWhole(path, next, mode, () => {
    const now = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (now !== text) {
      throw new ShipError("CHANGED", `${path} was changed by another program in the meantime.`, {
        hint: "run the command again",
      });
    }
  });
  return backup;
}
