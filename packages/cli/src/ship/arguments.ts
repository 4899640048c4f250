import { usageError } from "../exit.ts";

/** The values of `--arg` by the names of arguments, which may be written with their dashes. */
export function argumentsOf(settings: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    settings.map((setting) => {
      const [, name, value] = /^(?:--)?([a-z][\w-]*)=(.*)$/is.exec(setting) ?? [];
      if (name === undefined || value === undefined) {
        throw usageError("--arg takes the name of a declared argument and its value.", "--arg root=/srv");
      }
      return [name, value];
    }),
  );
}
