import { readLimits, type LimitRules, type ResolvedLimits } from "@tenon/base";

import { McpError } from "./error.ts";

/**
 * Checks limits and fills in the defaults.
 *
 * @param subject - The options that contain the limits, as users write them.
 * @throws `McpError` `INVALID_DEFINITION` that names the limit.
 */
export function limitsOf<L extends object>(
  limits: L | undefined,
  rules: LimitRules<L>,
  subject?: string,
): ResolvedLimits<L> {
  return readLimits(limits, rules, (message) => new McpError("INVALID_DEFINITION", message), subject);
}
