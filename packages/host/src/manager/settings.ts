import { systemClock, type Clock } from "@tenon/jsonrpc2/core";
import { unknownOption, type OptionNames, type ResolvedLimits } from "@tenon/jsonrpc2/transport";

import { ResourceCache } from "../cache/resource-cache.ts";
import { checkOptionNames, invalidOption, limitsOf, managerLimits, type ManagerLimits } from "../limits.ts";
import { rulesOf } from "../policy/policy.ts";
import { breakerLimits, type BreakerOptions } from "../server/breaker.ts";
import { reconnectLimits, type Reconnect } from "../server/crash-budget.ts";
import { createPools, type Pool } from "../server/pool.ts";
import type { HostHandlers } from "./handlers.ts";
import { managerOptions, type ManagerOptions } from "./options.ts";

const handlerNames: OptionNames<HostHandlers> = {
  elicitation: true,
  sampling: "function",
  roots: "function",
};
const modeNames: OptionNames<Exclude<NonNullable<HostHandlers["elicitation"]>, "cancel">> = {
  form: "function",
  url: "function",
};

/** The options of a manager, checked and with their defaults, and the parts that they describe. */
export interface ManagerSettings {
  readonly options: ManagerOptions;
  readonly limits: ResolvedLimits<ManagerLimits>;
  readonly reconnect: Reconnect;
  readonly breaker: ResolvedLimits<BreakerOptions>;
  readonly clock: Clock;
  readonly pools: Readonly<Record<"stdio" | "remote", Pool>>;
  /** `undefined` if caching is disabled. */
  readonly cache: ResourceCache | undefined;
  readonly onError: (error: unknown) => void;
}

/**
 * Checks the options of a manager and fills in their defaults.
 *
 * @throws `HostError` `INVALID_OPTION` for an unknown option, or a number out of range.
 */
export function settingsOf(options: ManagerOptions): ManagerSettings {
  const unknown = unknownOption("new Manager", options, managerOptions, managerLimits);
  if (unknown !== undefined) {
    throw invalidOption(unknown);
  }
  // A policy that is not one must not wait for the first server.
  rulesOf(options.policy);
  const { clock = systemClock, cache, handlers } = options;
  if (handlers !== undefined) {
    checkOptionNames("handlers", handlers, handlerNames, {});
    if (handlers.elicitation !== undefined && handlers.elicitation !== "cancel") {
      checkOptionNames("handlers.elicitation", handlers.elicitation, modeNames, {});
    }
  }
  const limits = limitsOf(options.limits, managerLimits);
  return {
    options,
    limits,
    reconnect: limitsOf(options.reconnect, reconnectLimits, "reconnect"),
    breaker: limitsOf(options.breaker, breakerLimits, "breaker"),
    clock,
    pools: createPools(limits),
    cache: cache === false ? undefined : new ResourceCache({ limits: cache, clock }, "cache"),
    onError: (error) => (options.logger ?? console).warn({ err: error }, "A host listener or handler failed"),
  };
}
