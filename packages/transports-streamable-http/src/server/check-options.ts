import {
  checkOptionNames,
  readLimits,
  type LimitRules,
  type NamesAll,
  type ResolvedLimits,
} from "@tenon/base";

import { streamableHandlerLimits, type StatelessHandlerLimits } from "./limits.ts";
import type { StatelessHandlerOptions } from "./options.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SessionStores } from "./session-stores.ts";

/** The names of the options that all handlers have. */
export const handlerOptionNames = [
  "getServer:function authenticate:function authorize:function onRevoked limits whenFull",
  "cors onError allowedHosts allowedOrigins",
] as const;

/**
 * Checks the options of a handler, and fills in the defaults of its limits.
 *
 * @param names - The name of every option, as for `checkOptionNames`.
 * @throws `TypeError` for an option that does not exist, for functions that are something else, and
 *   for limits that are out of range.
 */
export function checkHandlerOptions<
  O extends StatelessHandlerOptions,
  L extends StatelessHandlerLimits,
  const S extends string,
>(
  subject: string,
  options: O & { readonly limits?: L | undefined },
  rules: LimitRules<L>,
  names: (S | readonly S[]) & NamesAll<O, S>,
): ResolvedLimits<L> {
  // JavaScript may pass nothing, or null.
  const { getServer, cors, limits } = Object(options) as typeof options;
  if (typeof getServer !== "function") {
    throw new TypeError(
      `${subject} takes options with a function getServer; got ${typeof getServer}. Write ${subject}({ getServer: () => server }).`,
    );
  }
  checkOptionNames<O, S>(subject, options, names, rules);
  if (cors !== undefined && cors !== false) {
    checkOptionNames("cors", cors, "allowedOrigins");
  }
  return readLimits(limits, rules);
}

/**
 * Checks what the sessions of a handler are made with.
 *
 * @throws `TypeError` for an option that does not exist, and for stores without sessions or a bus.
 */
export function checkSessionOptions(options: SessionOptions, stores?: SessionStores): void {
  checkOptionNames(
    "sessions",
    options,
    "generateId:function eventStore onSessionOpened onSessionClosed",
    streamableHandlerLimits,
  );
  if (stores !== undefined && (!stores?.sessions || !stores.bus || options.eventStore !== undefined)) {
    throw new TypeError(
      "stores must have the properties sessions and bus, and its events replace sessions.eventStore.",
    );
  }
}
