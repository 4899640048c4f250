/** What makes the tests of a member, or those of a file, due besides its own files. */
export interface Inputs {
  readonly reads?: readonly string[];
  readonly uses?: readonly string[];
  readonly isByFile?: boolean;
}

export const inputs: Readonly<Record<string, Inputs>>;
