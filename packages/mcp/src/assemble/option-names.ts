import { checkOptionNames as check, type NamesAll } from "@tenon/base";

import { McpError } from "../base/error.ts";

/**
 * Checks that all options exist.
 *
 * @param names - The name of every option, separated by spaces.
 * @param limits - The limits that belong in `limits` of the options.
 * @throws `McpError` `INVALID_DEFINITION` for an option that does not exist, such as a misspelt
 *   one.
 */
export function checkOptionNames<O extends object, const S extends string>(
  subject: string,
  options: O,
  names: (S | readonly S[]) & NamesAll<O, S>,
  limits?: object,
): void {
  check(subject, options, names, limits, (message) => new McpError("INVALID_DEFINITION", message));
}
