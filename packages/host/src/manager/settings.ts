import { systemClock, unknownOption, type Clock, type OptionNames, type ResolvedLimits } from "@tenon/base";
import type { ElicitationHandlers, SamplingOptions } from "@tenon/mcp";

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
  sampling: true,
  // An array, or a function.
  roots: true,
};
const elicitationNames: OptionNames<ElicitationHandlers> = {
  form: "function",
  url: "function",
  onComplete: true,
};
const samplingNames: OptionNames<SamplingOptions> = { createMessage: "function", tools: true, context: true };

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
  checkOptionNames("handlers", handlers, handlerNames, {});
  const { elicitation, sampling, roots } = handlers ?? {};
  if (elicitation !== "cancel") {
    checkOptionNames("handlers.elicitation", elicitation, elicitationNames, {});
  }
  checkOptionNames("handlers.sampling", sampling, samplingNames, {});
  if (sampling !== undefined && sampling.createMessage === undefined) {
    throw invalidOption("handlers.sampling needs createMessage(params, request).");
  }
  if (roots !== undefined && typeof roots !== "function" && !Array.isArray(roots)) {
    throw invalidOption(
      `handlers.roots must be an array, or a function that returns one; got ${typeof roots}.`,
    );
  }
}
