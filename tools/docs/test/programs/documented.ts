/**
 * A program as a reader of the documentation puts it together: regions of its pages (`path#region`)
 * and, as objects, the lines that a page only describes.
 */
export interface Documented {
  /** What it does, in words. */
  readonly name: string;
  readonly parts: readonly (string | Lines)[];
  /** Other programs beside it, by the names of their files without an ending. */
  readonly beside?: Readonly<Record<string, readonly (string | Lines)[]>>;
  /** Files beside it. `$dir` stands for their folder, `$ext` for the ending of programs. */
  readonly files?: Readonly<Record<string, string>>;
  /** Arguments, with `$ext` for the ending of programs. */
  readonly args?: readonly string[];
  /** Standard input. */
  readonly input?: string;
  /** All that it prints. */
  readonly prints: string | RegExp;
  /** A server gets SIGTERM after it has printed this. */
  readonly until?: RegExp;
  /** Default: 0. */
  readonly code?: number | string;
  /** Run on each supported version of Node, not only on the one that runs the tests. */
  readonly everywhere?: boolean;
}

/** Lines that stand in no page. Their imports come from their own text. */
export interface Lines {
  readonly text: string;
}

/** Lines of a program that no page shows. */
export const text = (...lines: readonly string[]): Lines => ({ text: lines.join("\n") });
