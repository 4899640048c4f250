import { systemClock, type Clock, type ResolvedLimits } from "@tenon/base";

import { ResourceCache } from "../cache/resource-cache.ts";
import { checkOptionNames, invalidOption, limitsOf, managerLimits, type ManagerLimits } from "../limits.ts";
import { rulesOf } from "../policy/policy.ts";
import { breakerLimits, type BreakerOptions } from "../server/breaker.ts";
import { reconnectLimits, type Reconnect } from "../server/crash-budget.ts";
import { createPools, type Pool } from "../server/pool.ts";
import type { HostHandlers } from "./handlers.ts";
import type { ManagerOptions } from "./options.ts";

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
  // `selectServers` returns `untrusted` next to `servers`, and callers spread both.
  checkOptionNames(
    "new Manager",
    options as ManagerOptions & { readonly untrusted?: unknown },
    [
      "servers untrusted info transports limits policy reconnect breaker cache principal",
      "onClient handlers pins onServerRemoved clock random logger",
    ],
    managerLimits,
  );
  // A policy that is not one must not wait for the first server.
  rulesOf(options.policy);
  const { clock = systemClock, cache, handlers } = options;
  checkHandlers(handlers);
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

/** Checks that the handlers are as a `Client` accepts them. */
function checkHandlers(handlers: HostHandlers | undefined): void {
  checkOptionNames("handlers", handlers ?? {}, "elicitation sampling roots", {});
  const { elicitation, sampling, roots } = handlers ?? {};
  if (elicitation !== "cancel") {
    checkOptionNames("handlers.elicitation", elicitation ?? {}, "form:function url:function onComplete", {});
  }
  if (sampling !== undefined) {
    checkOptionNames("handlers.sampling", sampling, "createMessage:function tools context", {});
  }
  if (sampling !== undefined && sampling.createMessage === undefined) {
    throw invalidOption("handlers.sampling needs createMessage(params, request).");
  }
  if (roots !== undefined && typeof roots !== "function" && !Array.isArray(roots)) {
    throw invalidOption(
      `handlers.roots must be an array, or a function that returns one; got ${typeof roots}.`,
    );
  }
}
