/** Reads and changes one syntax of configuration files. */
export interface Editor {
  /** @throws An error whose message has the place and the reason, without quoting the text. */
  parse(text: string): unknown;
  /** Sets the value at a path, or removes it if it is `undefined`. */
  edit(text: string, path: readonly (string | number)[], value: unknown): string;
  /** A file without settings. */
  readonly blank: string;
}
