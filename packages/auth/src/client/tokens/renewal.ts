import { anySignal, backoff, sleep, unlessAborted } from "@tenon/base";

import { isAuthError, type AuthError } from "../../shared/error.ts";
import type { GrantTools, IssuedGrant } from "../grants/grant.ts";
import { ended, failure, maxEndMs, stored, type Setting } from "../setting.ts";
import type { TokenOutcome } from "./token-request.ts";
import type { TokenHolder, Tokens } from "./tokens.ts";

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
export interface RenewalOptions {
  readonly tools: GrantTools;
  readonly holder: TokenHolder;
  readonly lockKey: () => Promise<string>;
  /** Obtains tokens without a user. `undefined`: only a refresh token can renew them. */
  readonly obtain: (() => Promise<IssuedGrant>) | undefined;
  /** Whether the scopes are repeated, for servers that otherwise drop them. */
  readonly refreshScopes: boolean;
  readonly random: () => number;
  /** Called with the reason when a renewal turns out to need the user. */
  readonly onExpired: (error: AuthError) => void;
}

/** Maximum wait for another process, in milliseconds. */
const lockWaitMs = 20_000;
/** How often a waiting process looks for the tokens of another one, in milliseconds. */
const lookMs = 500;
/**
 * Time for the refresh of another process before its refresh token is presented again, in
 * milliseconds.
 */
const presentMs = 10_000;
/** The delay before a refresh token is presented again whose response was lost, in milliseconds. */
const lostMs = 1000;
const initialDelayMs = 1000;
const maxDelayMs = 64_000;

/** Creates a {@link Renewal}. */
export function createRenewal(options: RenewalOptions): Renewal {
  const { holder, obtain, lockKey, tools } = options;
  const { setting, registrar, keys, signal } = tools;
  const { clock } = setting;
  // A request for tokens is not cancelled when the provider is closed: its response may be the only
  // copy of the next refresh token.
  const patient = new AbortController().signal;
  /** A refresh sends at most two requests. Functions of the program may never end. */
  const maxFlightMs = 2 * setting.limits.tokenTimeoutMs + maxEndMs;
  let stopped = new AbortController();
  let flight: Promise<Tokens | undefined> | undefined;
  /** The tokens without a user that are obtained and stored. */
  let saving: Promise<unknown> | undefined;
  let failures = 0;
  let pause: { readonly until: number; readonly error: AuthError } | undefined;

  /** Whether a set of tokens can replace `seen`. */
  function isNewer(seen: Tokens | undefined, tokens: Tokens | undefined): tokens is Tokens {
    return tokens !== undefined && tokens.record.id !== seen?.record.id && tokens.expiresAt > clock.now();
  }

  /**
   * Renews while no other process does. The tokens of another process are adopted without the lock,
   * so that many waiting processes do not have to hold it one after the other.
   */
  async function renewOrAdopt(seen: Tokens | undefined, logout: AbortSignal): Promise<Tokens | undefined> {
    const key = await lockKey();
    if (setting.store.lock === undefined) {
      return renewAlone(seen, logout);
    }
    const wait = new AbortController();
    const end = (): void => wait.abort(signal.reason);
    signal.addEventListener("abort", end);
    const timer = clock.setTimeout(() => wait.abort(busy(setting)), lockWaitMs, true);
    const looking = new AbortController();
    let adopted: Tokens | undefined;
    const look = async (): Promise<void> => {
      let tokens: Tokens | undefined;
      do {
        await sleep(lookMs, { signal: looking.signal, clock, keepsAlive: true });
        tokens = await holder.reload();
        looking.signal.throwIfAborted();
      } while (!isNewer(seen, tokens));
      adopted = tokens;
      wait.abort();
    };
    look().catch(() => {
      // The lock is waited for anyway.
    });
    let lock: AsyncDisposable | undefined;
    try {
      lock = await stored(setting, async (store) => store.lock?.(key, wait.signal));
    } catch (error) {
      if (adopted === undefined) {
        throw wait.signal.aborted ? wait.signal.reason : error;
      }
    } finally {
      looking.abort();
      clock.clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
    try {
      return adopted ?? (await renewAlone(seen, logout));
    } finally {
      // A lock that cannot be released expires.
      await Promise.resolve(lock?.[Symbol.asyncDispose]()).catch(() => {});
    }
  }

  /** Waits for a process that presented the same refresh token and may have died since. */
  async function afterOthers(): Promise<Tokens | undefined> {
    for (;;) {
      const tokens = await holder.reload();
      const since = setting.date() - (tokens?.record.presentedAt ?? -Infinity);
      if (!(since >= 0 && since < presentMs)) {
        return tokens;
      }
      await sleep(presentMs - since, { signal, clock, keepsAlive: true });
    }
  }

  async function renewAlone(seen: Tokens | undefined, logout: AbortSignal): Promise<Tokens | undefined> {
    const tokens = await afterOthers();
    if (isNewer(seen, tokens)) {
      return tokens;
    }
    if (obtain !== undefined) {
      const login = { isReplacing: tokens !== undefined, signal: logout };
      const saved = obtain().then((issued) => holder.save(issued, tokens, login));
      saving = saved;
      // Tokens that arrive after a logout are revoked.
      return unlessAborted(saved, logout);
    }
    return tokens && refresh(tokens, logout);
  }

  async function refresh(tokens: Tokens, logout: AbortSignal): Promise<Tokens | undefined> {
    const { record, proofKey } = tokens;
    const { issuer, tokenEndpoint, methods, refreshToken, scopes, resource } = record;
    const client = await registrar.recall(
      issuer,
      record.clientId,
      record.registration,
      anySignal([signal, logout]),
    );
    if (refreshToken === undefined || client === undefined) {
      return undefined;
    }
    const marked = await holder.mark(tokens, setting.date());
    if (marked === "conflict") {
      return renewAlone(tokens, logout);
    }
    const { requestTokens } = await import("./token-request.lazy.ts");
    const request = (): Promise<TokenOutcome> =>
      requestTokens(setting, {
        issuer,
        endpoint: tokenEndpoint,
        client,
        methods,
        grantType: "refresh_token",
        parameters: {
          refresh_token: refreshToken,
          resource,
          scope: options.refreshScopes && scopes.length > 0 ? scopes.join(" ") : undefined,
        },
        asked: scopes,
        proofKey,
        allowBearer: keys.allowBearer,
        signal: patient,
      });
    let outcome = await request();
    if (outcome.tokens === undefined && outcome.reason === "lost") {
      // Many servers accept the same refresh token again for a moment, because responses are lost.
      await sleep(lostMs, { signal, clock, keepsAlive: true });
      outcome = await request();
    }
    if (outcome.tokens !== undefined) {
      const { revocationEndpoint } = record;
      const { tokens: issued } = outcome;
      const saved = await holder.save(
        {
          tokens: issued,
          issuer,
          tokenEndpoint,
          revocationEndpoint,
          methods,
          client,
          resource,
          asked: [],
          proofKey,
        },
        marked,
      );
      // The tokens count; a store that fails here leaves the suspicion.
      await registrar.accept(client).catch(() => {});
      return saved;
    }
    const { oauth, reason, error } = outcome;
    if (oauth?.error === "invalid_grant" || oauth?.error === "invalid_dpop_proof") {
      // Noted before the store is read: that may fail, and the refresh token must not be presented
      // again.
      await holder.drop(marked);
      const newer = await holder.reload();
      if (newer === undefined) {
        options.onExpired(error);
      }
      return newer;
    }
    // After a lost response the refresh token may be used up: the next process leaves the server
    // its time.
    const kept = reason === "lost" ? marked : await holder.mark(marked, undefined);
    if (kept === "conflict") {
      return renewAlone(tokens, logout);
    }
    if (oauth?.error === "invalid_client") {
      const verdict = await registrar.reject(client);
      if (verdict === "deleted") {
        await holder.drop(kept);
        options.onExpired(error);
        return undefined;
      }
      throw verdict === "kept" ? error : suspected(setting, issuer, error);
    }
    throw error;
  }

  async function run(seen: Tokens | undefined, logout: AbortSignal): Promise<Tokens | undefined> {
    try {
      const tokens = await renewOrAdopt(seen, logout);
      failures = 0;
      pause = undefined;
      return tokens;
    } catch (error) {
      if (isAuthError(error) && !signal.aborted) {
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

  return {
    async renew(seen) {
      if (isNewer(seen, holder.current)) {
        return holder.current;
      }
      if (flight === undefined && pause !== undefined && clock.now() < pause.until) {
        throw again(pause.error, pause.until - clock.now());
      }
      if (flight === undefined) {
        const own = run(seen, stopped.signal).finally(() => {
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
    settled: () => ended([flight], maxFlightMs, clock),
    async stop() {
      stopped.abort(failure(setting, "NEEDS_USER", "The user logged out. Call login()."));
      stopped = new AbortController();
      const own = flight;
      await Promise.all([ended([own], maxFlightMs, clock), ended([saving], maxEndMs, clock)]);
      // The next renewal does not wait for one that never ends.
      flight = flight === own ? undefined : flight;
    },
  };
}

function busy(setting: Setting): AuthError {
  return failure(
    setting,
    "AUTH_TEMPORARY",
    `Another process did not renew the tokens in ${lockWaitMs} ms. Try again later.`,
    { retryAfterMs: initialDelayMs },
  );
}

function suspected(setting: Setting, issuer: string, cause: AuthError): AuthError {
  return failure(
    setting,
    "AUTH_TEMPORARY",
    "The authorization server rejected the client. Its registration is kept until it is rejected again.",
    { issuer, retryAfterMs: 5000, cause },
  );
}

/** The same failure for a later caller, with the time that is left. */
function again(error: AuthError, retryAfterMs: number): AuthError {
  const { code, message, issuer, status, cause } = error;
  return failure(error, code, message, { issuer, status, cause, retryAfterMs });
}
