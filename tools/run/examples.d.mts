/** The examples as `npm run example` starts them. */
export const examples: Readonly<
  Record<string, { readonly shows: string; readonly file: string; readonly inspect?: boolean | undefined }>
>;
