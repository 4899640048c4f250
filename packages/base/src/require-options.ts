import { kindOf } from "./unknown-value.ts";

/** A kind of value that a required option must have. A string must not be empty. */
export type RequiredKind = "function" | "object" | "string";

/**
 * Checks that required options are there and have their kind. A type does not protect callers in
 * JavaScript, and a variable of the environment may not be set.
 *
 * @param subject - What takes the options, as its user writes it: `new Server`.
 * @param kinds - The kind of each required option.
 * @throws `TypeError` that names the option.
 */
export function requireOptions<O extends object>(
  subject: string,
  options: O,
  kinds: { readonly [K in keyof O]?: RequiredKind },
): void {
  for (const [name, kind] of Object.entries(kinds)) {
    const value: unknown = options[name as keyof O];
    if (kindOf(value) !== kind || value === "") {
      const expected = kind === "object" ? "an object" : `a ${String(kind)}`;
      throw new TypeError(
        `${subject} needs ${name}, ${expected}; got ${value === "" ? "an empty one" : kindOf(value)}.`,
      );
    }
  }
}
