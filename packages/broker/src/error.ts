import { brandErrors, isBranded } from "@tenon/base";

/** The codes of {@link BrokerError}. */
export const brokerErrors = ["UPSTREAM_UNAVAILABLE", "UPSTREAM_REJECTED", "NEEDS_LOGIN", "NOT_KEPT"] as const;

/** A code of a {@link BrokerError}. */
export type BrokerErrorCode = (typeof brokerErrors)[number];

const brand = Symbol.for("@tenon/broker/BrokerError");

/**
 * A failure of an identity provider, or of a token of it. The text contains no token, code or
 * secret.
 */
export class BrokerError extends Error {
  static {
    brandErrors(this.prototype, "BrokerError", brand);
  }

  /**
   * `UPSTREAM_UNAVAILABLE`: try again later. `UPSTREAM_REJECTED`: the provider refused the broker,
   * or its response is wrong. `NEEDS_LOGIN`: the user has to log in again. `NOT_KEPT`: the broker
   * keeps no tokens of providers.
   */
  readonly code: BrokerErrorCode;

  /** A failure at a provider. @param options - `cause` is kept. */
  constructor(code: BrokerErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** True for any copy of {@link BrokerError}, and if given, only with this code. */
export function isBrokerError(value: unknown, code?: BrokerErrorCode): value is BrokerError {
  return isBranded(value, brand) && (code === undefined || (value as BrokerError).code === code);
}
