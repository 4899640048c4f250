import {
  checkOptionNames,
  readLimits,
  type LimitRules,
  type OptionNames,
  type ResolvedLimits,
} from "@tenon/base";

import { streamableHandlerLimits, type StatelessHandlerLimits } from "./limits.ts";
import type { StatelessHandlerOptions } from "./options.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SessionStores } from "./session-stores.ts";

const handlerOptions: OptionNames<StatelessHandlerOptions> = {
  getServer: "function",
  authenticate: "function",
  authorize: "function",
  onRevoked: true,
  limits: true,
  whenFull: true,
  cors: true,
  onError: true,
  allowedHosts: true,
  allowedOrigins: true,
};

const sessionOptions: OptionNames<SessionOptions> = {
  generateId: "function",
  eventStore: true,
  onSessionOpened: true,
  onSessionClosed: true,
};

const corsOptions: OptionNames<Exclude<NonNullable<StatelessHandlerOptions["cors"]>, false>> = {
  allowedOrigins: true,
};

/**
 * Checks the options of a handler, and fills in the defaults of its limits.
 *
 * @param more - The options that this kind of handler has in addition.
 * @throws `TypeError` for an option that does not exist, for functions that are something else, and
 *   for limits that are out of range.
 */
export function checkHandlerOptions<L extends StatelessHandlerLimits>(
  subject: string,
  options: StatelessHandlerOptions & { readonly limits?: L | undefined },
  rules: LimitRules<L>,
  more: Readonly<Record<string, true>> = {},
): ResolvedLimits<L> {
  const { getServer, cors, limits } = options;
  if (typeof getServer !== "function") {
    throw new TypeError(
      `${subject} takes options with a function getServer; got ${typeof getServer}. Write ${subject}({ getServer: () => server }).`,
    );
  }
  checkOptionNames(subject, options, { ...handlerOptions, ...more }, rules);
  checkOptionNames("cors", cors === false ? undefined : cors, corsOptions);
  return readLimits(limits, rules);
}

/**
 * Checks what the sessions of a handler are made with.
 *
 * @throws `TypeError` for an option that does not exist, and for stores without sessions or a bus.
 */
export function checkSessionOptions(options: SessionOptions, stores?: SessionStores): void {
  checkOptionNames("sessions", options, sessionOptions, streamableHandlerLimits);
  if (stores !== undefined && (!stores?.sessions || !stores.bus || options.eventStore !== undefined)) {
    throw new TypeError(
      "stores must have the properties sessions and bus, and its events replace sessions.eventStore.",
    );
  }
}
