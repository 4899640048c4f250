import type { Change } from "../changes.ts";

/** Reads and changes one syntax of configuration files. */
export interface Editor {
  /** @throws An error whose message has the place and the reason, without quoting the text. */
  parse(text: string): unknown;
  edit(text: string, changes: readonly Change[]): string;
  /** The lines of a value in an otherwise empty file. */
  render(path: Change["path"], value: unknown): Rendering;
  /** A file without settings. */
  readonly blank: string;
}

/** The lines of a value, and of the objects that contain it. */
export interface Rendering {
  readonly head: readonly string[];
  readonly body: readonly string[];
  readonly tail: readonly string[];
}
