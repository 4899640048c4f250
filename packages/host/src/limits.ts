import {
  checkOptionNames as check,
  readLimits,
  type LimitRules,
  type NamesAll,
  type ResolvedLimits,
} from "@tenon/base";

import { HostError } from "./error.ts";

/** Limits of a manager. */
export interface ManagerLimits {
  /** Maximum number of servers. Adding one more fails with `INVALID_OPTION`. Default: `1_000`. */
  readonly maxServers?: number | undefined;
  /**
   * Maximum number of concurrent watches (`watchResource`) per server. Further watches reject with
   * `LIMIT_EXCEEDED`. Default: `1_000`.
   */
  readonly maxWatches?: number | undefined;
  /**
   * Maximum number of pages of one list. A longer list is rejected with `LIMIT_EXCEEDED`. Default:
   * `64`.
   */
  readonly maxPages?: number | undefined;
  /**
   * Maximum number of items of one list. A longer list is rejected with `LIMIT_EXCEEDED`. Default:
   * `10_000`.
   */
  readonly maxItems?: number | undefined;
  /**
   * Maximum length of an item of a list, in characters of JSON, because models read what servers
   * say about their tools. A longer item is left out. All items of a list together may have 64
   * times as many characters. Default: `262_144` (256 Ki).
   */
  readonly maxItemLength?: number | undefined;
  /**
   * Maximum number of stdio servers that start at the same time. Further servers wait. Default:
   * `2`.
   *
   * @source S-247
   */
  readonly maxStdioConnecting?: number | undefined;
  /**
   * Maximum number of remote servers that connect at the same time. Further servers wait. Default:
   * `5`.
   *
   * @source S-247
   */
  readonly maxRemoteConnecting?: number | undefined;
  /**
   * How long a stdio server may take to start while others wait, in milliseconds. Then it goes to
   * the end of the line, and has four times as long at each further turn. Default: `10_000`.
   */
  readonly stdioPatienceMs?: number | undefined;
  /**
   * How long a remote server may take to connect while others wait, in milliseconds. Then it goes
   * to the end of the line, as above. Default: `250`.
   */
  readonly remotePatienceMs?: number | undefined;
}

/** The rules of {@link ManagerLimits}. */
export const managerLimits: LimitRules<ManagerLimits> = {
  maxServers: [1000, 0],
  maxWatches: [1000, 0],
  maxPages: [64, 1],
  maxItems: [10_000, 0],
  maxItemLength: [262_144, 1],
  maxStdioConnecting: [2, 1],
  maxRemoteConnecting: [5, 1],
  stdioPatienceMs: [10_000, 1],
  remotePatienceMs: [250, 1],
};

/**
 * Checks limits and fills in the defaults.
 *
 * @param subject - The options that contain the limits, as users write them.
 * @throws `HostError` `INVALID_OPTION` that names the limit.
 */
export function limitsOf<L extends object>(
  limits: L | undefined,
  rules: LimitRules<L>,
  subject?: string,
): ResolvedLimits<L> {
  return readLimits(limits, rules, invalidOption, subject);
}

/**
 * Checks that all options exist.
 *
 * @param names - The name of every option, separated by spaces.
 * @param limits - An object with a property for each limit in `limits` of the options.
 * @throws `HostError` `INVALID_OPTION` for an option that does not exist, such as a misspelt one.
 */
export function checkOptionNames<O extends object, const S extends string>(
  subject: string,
  options: O,
  names: (S | readonly S[]) & NamesAll<O, S>,
  limits: object,
): void {
  check(subject, options, names, limits, invalidOption);
}

/** The error for an option that does not exist, or that has a value that it cannot have. */
export function invalidOption(message: string): HostError {
  return new HostError("INVALID_OPTION", message, { phase: "config" });
}
