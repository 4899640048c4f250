import { anySignal, backoff } from "@tenon/base";

import { isAuthError, type AuthError } from "../../shared/error.ts";
import { ended, failure, maxEndMs } from "../setting.ts";
import type { RenewalEnd, RenewParts } from "./renew-under-lock.ts";
import type { Tokens } from "./tokens.ts";

/** Renews the tokens of one provider. */
export interface Renewal {
  /**
   * Replaces a set of tokens that has expired or was refused. All callers share one renewal, which
   * no caller can cancel; other processes that use the store are waited for.
   *
   * @returns The tokens to use: the ones of another process, if it was faster. `undefined` if the
   *   user has to log in.
   * @throws `AuthError`: `AUTH_TEMPORARY`, and everything is kept; or what has to be corrected in
   *   the configuration.
   */
  renew(seen: Tokens | undefined): Promise<Tokens | undefined>;
  /** Forgets earlier failures. */
  reset(): void;
  /** Resolves when no renewal is running: its response may be the only copy of the next tokens. */
  settled(): Promise<void>;
  /** Ends the renewal for a logout. Resolves as `settled`; later tokens are revoked. */
  stop(): Promise<void>;
}

/** Options of {@link createRenewal}. */
export interface RenewalOptions extends RenewParts {
  readonly random: () => number;
}

const initialDelayMs = 1000;
const maxDelayMs = 64_000;

/** Creates a {@link Renewal}. */
export function createRenewal(options: RenewalOptions): Renewal {
  const { holder, tools } = options;
  const { setting, signal } = tools;
  const { clock } = setting;
  /** A refresh sends at most two requests. Functions of the program may never end. */
  const maxFlightMs = 2 * setting.limits.tokenTimeoutMs + maxEndMs;
  let stopped = new AbortController();
  let until = untilLogout();
  let flight: Promise<Tokens | undefined> | undefined;
  /** The tokens without a user that are obtained and stored. */
  let saving: Promise<unknown> | undefined;
  let failures = 0;
  let pause: { readonly until: number; readonly error: AuthError } | undefined;

  const paused = (): typeof pause =>
    flight === undefined && clock.now() < (pause?.until ?? 0) ? pause : undefined;

  function untilLogout(): RenewalEnd {
    return {
      logout: stopped.signal,
      end: anySignal([signal, stopped.signal]),
      onSaving(tokens) {
        saving = tokens;
      },
    };
  }

  async function run(seen: Tokens | undefined, until: RenewalEnd): Promise<Tokens | undefined> {
    try {
      until.end.throwIfAborted();
      const { renewUnderLock } = await import("../upkeep.lazy.ts");
      const tokens = await renewUnderLock(options, seen, until);
      failures = 0;
      pause = undefined;
      return tokens;
    } catch (error) {
      if (isAuthError(error) && !until.end.aborted) {
        const delay = Math.max(
          // The first half is fixed, so that an hour of failures is at most a request a minute.
          2 * backoff(failures, { initialDelayMs, maxDelayMs, random: options.random }),
          error.retryAfterMs ?? 0,
        );
        failures++;
        pause = { until: clock.now() + delay, error };
      }
      throw error;
    }
  }

  /** Waits for the renewal. One that does not end in time is not waited for again. */
  async function settled(): Promise<void> {
    const [own, ownSaving] = [flight, saving];
    await Promise.all([ended(setting, [own], maxFlightMs), ended(setting, [ownSaving])]);
    flight = flight === own ? undefined : flight;
    saving = saving === ownSaving ? undefined : saving;
  }

  return {
    async renew(seen) {
      if (paused() !== undefined) {
        // Another process may have logged in since.
        await holder.reload().catch(() => {});
      }
      if (holder.isNewer(seen?.record.id, holder.current)) {
        return holder.current;
      }
      // Read again: the store may have taken long.
      const left = paused();
      if (left !== undefined) {
        const { code, message, issuer, status, cause } = left.error;
        const retryAfterMs = left.until - clock.now();
        throw failure(setting, code, message, { issuer, status, cause, retryAfterMs });
      }
      if (flight === undefined) {
        const own = run(seen, until).finally(() => {
          flight = flight === own ? undefined : flight;
        });
        flight = own;
      }
      return flight;
    },
    reset() {
      failures = 0;
      pause = undefined;
    },
    settled,
    async stop() {
      stopped.abort(failure(setting, "NEEDS_USER", "The user logged out. Call login()."));
      stopped = new AbortController();
      until = untilLogout();
      await settled();
    },
  };
}
