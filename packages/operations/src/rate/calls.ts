import { checkOptionNames, errorSink, readLimits } from "@tenon/base";
import type { Next, ReceivingMiddleware, ServerRequest } from "@tenon/mcp";
import type { RateLimits, RateRule } from "@tenon/stores";

import { callerOf } from "../caller.ts";
import { checkRule, createGate } from "./gate.ts";
import { tooManyError } from "./refusal.ts";
import { rateStoreLimits, type RateStoreLimits } from "./senders.ts";

/** Options of {@link limitCalls}. */
export interface LimitCallsOptions {
  /** Counts, for all processes that share it. */
  readonly rates: RateLimits;
  /** How many requests one caller may send in all. By default there is no limit. */
  readonly perCaller?: RateRule | undefined;
  /**
   * How often one caller may call a tool, by the name of the tool. A quota of 1,000 calls a day is
   * `{ burst: 1000, perSecond: 1000 / 86_400 }`. By default there is no limit.
   */
  readonly tools?: Readonly<Record<string, RateRule>> | undefined;
  /**
   * Returns the key of the caller. Callers with the same key share their limits. Default: the
   * principal, otherwise the address, otherwise the session.
   */
  readonly caller?: ((request: ServerRequest) => string) | undefined;
  /** Limits of the waiting time. Each limit has its own default. */
  readonly limits?: RateStoreLimits | undefined;
  /** Receives the error with which a failure of the store begins. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Creates middleware that limits how many requests a caller may send, and how often it may call a
 * tool, over every transport. A request above a limit gets an error with the code
 * `tooManyRequests`, over HTTP with the status 429 and `Retry-After`.
 *
 * Each round of a request that needs input counts. Notifications, `initialize` and unknown methods
 * do not count: use `limitSenders` for them over HTTP.
 *
 * @throws `TypeError` for options that do not exist, and without a limit. `RangeError` for a limit
 *   whose numbers are not positive.
 */
export function limitCalls(options: LimitCallsOptions): ReceivingMiddleware<ServerRequest> {
  checkOptionNames("limitCalls", options, "rates perCaller tools caller limits onError", rateStoreLimits);
  const { rates, perCaller, caller = callerOf, onError } = options;
  const tools = new Map(Object.entries(options.tools ?? {}));
  if (perCaller === undefined && tools.size === 0) {
    throw new TypeError("limitCalls needs perCaller, tools or both.");
  }
  [perCaller, ...tools.values()].forEach((rule) => rule !== undefined && checkRule(rule));
  const gate = createGate(rates, readLimits(options.limits, rateStoreLimits).storeMs, errorSink(onError));

  async function admit(request: ServerRequest, name: string, rule: RateRule | undefined): Promise<void> {
    const from = caller(request);
    if (typeof from !== "string" || from === "") {
      throw new TypeError("caller must return a string that is not empty.");
    }
    const limits = [
      { key: `calls ${from}`, limit: perCaller },
      { key: `tool ${JSON.stringify(name)} ${from}`, limit: rule },
    ];
    for (const { key, limit } of limits) {
      const waitMs = limit === undefined ? 0 : await gate.wait(key, limit);
      if (waitMs > 0) {
        throw tooManyError(waitMs);
      }
    }
  }

  const admitted = async (
    next: Next<ServerRequest>,
    request: ServerRequest,
    name: string,
  ): Promise<unknown> => {
    await admit(request, name, tools.get(name));
    return next(request);
  };

  return (next) => (request) => {
    const name = request.method === "tools/call" ? request.params["name"] : undefined;
    const tool = typeof name === "string" ? name : "";
    return request.id === undefined || (perCaller === undefined && !tools.has(tool))
      ? next(request)
      : admitted(next, request, tool);
  };
}
