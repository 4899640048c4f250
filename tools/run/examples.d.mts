/** The examples as `npm run example` starts them. */
export const examples: Readonly<
  Record<
    string,
    {
      readonly shows: string;
      readonly file: string;
      readonly inspect?: boolean | undefined;
      readonly needs?: { readonly what: string; readonly isThere: () => boolean } | undefined;
    }
  >
>;

/** How an example is started: its program with arguments, and the folder in which it runs. */
export function startOf(
  name: string,
  given?: readonly string[],
): { readonly program: readonly string[]; readonly cwd: string };
