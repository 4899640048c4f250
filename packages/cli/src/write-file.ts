import { lstat } from "node:fs/promises";

import { writeWhole } from "@tenon/ship/hosts";

import { CliError } from "./exit.ts";

/** Options of {@link replaceFile}. */
export interface WriteOptions {
  /** The mode of the file. Default: `0o600`. */
  readonly mode?: number | undefined;
  /** Whether the user has named the file. A file of a default name must not be a symbolic link. */
  readonly isNamed?: boolean | undefined;
}

/**
 * Creates or replaces a file. The text is first in a file of a random name, so that a reader never
 * sees half of it, and nothing is written through a link that another user or a repository has
 * planted.
 *
 * @throws `CliError` if a file of a default name is a symbolic link. The error of the file system.
 */
export async function replaceFile(path: string, text: string, options: WriteOptions = {}): Promise<void> {
  const { mode = 0o600, isNamed = true } = options;
  const target = isNamed ? path : await withoutLink(path);
  await writeWhole(target, text, mode);
}

/**
 * Returns the path of a file that is not a symbolic link.
 *
 * @throws `CliError` if it is one.
 */
export async function withoutLink(path: string): Promise<string> {
  const isLink = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  if (isLink) {
    throw new CliError("usage", `${path} is a symbolic link, which is not followed.`, {
      hint: "remove it, or name a file with --out",
    });
  }
  return path;
}
