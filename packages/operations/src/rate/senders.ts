import { checkOptionNames, errorSink, readLimits, type LimitRules } from "@tenon/base";
import type { Authenticate, RequestDescription } from "@tenon/http/server";
import type { AuthInfo } from "@tenon/protocol";
import type { RateLimits, RateRule } from "@tenon/stores";

import { networkOfSender } from "../network.ts";
import { checkRule, createGate } from "./gate.ts";
import { tooManyResponse } from "./refusal.ts";

/** Limits of {@link limitSenders} and `limitCalls`. */
export interface RateStoreLimits {
  /**
   * Maximum time that a request waits for the store, in milliseconds. Afterwards this process
   * counts alone for a second. Default: `250`.
   */
  readonly storeMs?: number | undefined;
}

/** The default and the least value of each of {@link RateStoreLimits}. */
export const rateStoreLimits: LimitRules<RateStoreLimits> = { storeMs: [250, 1] };

/** Options of {@link limitSenders}. */
export interface LimitSendersOptions {
  /** Counts, for all processes that share it. */
  readonly rates: RateLimits;
  /**
   * How many HTTP requests one address may send, identified or not; an IPv6 network of 64 bits
   * counts as one address. Checked before the sender is identified. By default there is no limit.
   */
  readonly perAddress?: RateRule | undefined;
  /** How many HTTP requests one principal may send. By default there is no limit. */
  readonly perPrincipal?: RateRule | undefined;
  /**
   * Returns the address of the sender: behind a proxy, the address that the proxy has written into
   * a header. Default: the address of the connection, which is known on Node.
   */
  readonly address?: ((request: RequestDescription) => string | undefined) | undefined;
  /** Limits of the waiting time. Each limit has its own default. */
  readonly limits?: RateStoreLimits | undefined;
  /** Receives the error with which a failure of the store begins. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Limits how many HTTP requests a sender may send: before the sender is identified by its address,
 * and afterwards by its principal. Requests above a limit get 429 with `Retry-After`, before their
 * body is read. No two senders share a bucket.
 *
 * @param authenticate - Identifies the sender of a request; `undefined` for a server whose senders
 *   have no principal.
 * @returns The `authenticate` of a handler. If there is a limit for addresses and the address of a
 *   sender is not known, it throws, and the request gets 500.
 * @throws `TypeError` for options that do not exist, and without a limit. `RangeError` for a limit
 *   whose numbers are not positive.
 */
export function limitSenders(
  authenticate: Authenticate<AuthInfo> | undefined,
  options: LimitSendersOptions,
): Authenticate<AuthInfo> {
  checkOptionNames(
    "limitSenders",
    options,
    "rates perAddress perPrincipal address limits onError",
    rateStoreLimits,
  );
  const { rates, perAddress, perPrincipal, address = (request) => request.address, onError } = options;
  if (perAddress === undefined && perPrincipal === undefined) {
    throw new TypeError("limitSenders needs perAddress, perPrincipal or both.");
  }
  [perAddress, perPrincipal].forEach((rule) => rule !== undefined && checkRule(rule));
  const gate = createGate(rates, readLimits(options.limits, rateStoreLimits).storeMs, errorSink(onError));
  return async (request) => {
    if (perAddress !== undefined) {
      const waitMs = await gate.wait(`http address ${networkFrom(address(request))}`, perAddress);
      if (waitMs > 0) {
        return tooManyResponse(waitMs);
      }
    }
    const sender = authenticate === undefined ? "anonymous" : await authenticate(request);
    const principal: unknown =
      typeof sender === "object" && sender !== null && "principal" in sender && sender.principal;
    if (perPrincipal !== undefined && typeof principal === "string") {
      const waitMs = await gate.wait(`http principal ${principal}`, perPrincipal);
      return waitMs > 0 ? tooManyResponse(waitMs) : sender;
    }
    return sender;
  };
}

/** Senders without an address would share a bucket. */
function networkFrom(address: unknown): string {
  if (typeof address !== "string" || address === "") {
    throw new TypeError(
      "perAddress needs the address of each sender, which this runtime does not know: give the option address, which returns it.",
    );
  }
  return networkOfSender(address.slice(0, 256));
}
