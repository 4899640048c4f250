import { anySignal, sleep, unlessAborted } from "@tenon/base";

import type { AuthError } from "../../shared/error.ts";
import type { GrantTools, IssuedGrant } from "../grants/grant.ts";
import { ended, failure, opened, stored, warn, type Setting } from "../setting.ts";
import { maxWrites } from "./records.ts";
import { requestTokens, unnoted } from "./send-token-request.ts";
import type { TokenOutcome } from "./token-request.ts";
import type { TokenHolder, Tokens } from "./tokens.ts";

/** The parts of {@link renewUnderLock}. */
export interface RenewParts {
  readonly tools: GrantTools;
  readonly holder: TokenHolder;
  readonly lockKey: () => Promise<string>;
  /** As `Logins.obtain`. `undefined`: only a refresh token can renew the tokens. */
  readonly obtain: ((logout: AbortSignal) => Promise<IssuedGrant>) | undefined;
  /** Whether the scopes are repeated, for servers that otherwise drop them. */
  readonly refreshScopes: boolean;
  /** Called with the reason when the renewal turns out to need the user. */
  readonly onExpired: (error: AuthError) => void;
}

/** When a renewal ends. */
export interface RenewalEnd {
  /** Aborts when the user logs out. */
  readonly logout: AbortSignal;
  /** Aborts when the user logs out, and when the provider is closed. */
  readonly end: AbortSignal;
  /** Called with the tokens without a user that are being obtained and stored. */
  readonly onSaving: (saving: Promise<unknown>) => void;
}

/** Maximum wait for another process, in milliseconds. */
const lockWaitMs = 20_000;
/** How often a waiting process looks for the tokens of another one, in milliseconds. */
const lookMs = 500;
/**
 * Time for the refresh of another process before its refresh token is presented again, in
 * milliseconds: a little longer than the default of `tokenTimeoutMs`, because a store need not have
 * locks.
 */
const presentMs = 17_000;
/** The delay before a refresh token is presented again whose response was lost, in milliseconds. */
const lostMs = 1000;
/** `retryAfterMs` of a renewal that waited for another process, in milliseconds. */
const busyMs = 1000;
/** `retryAfterMs` of a renewal whose client was rejected for the first time, in milliseconds. */
const suspectedMs = 5000;

/**
 * Renews tokens while no other process does. The tokens of another process are adopted without the
 * lock, so that many waiting processes do not have to hold it one after the other. See `Renewal`.
 */
export async function renewUnderLock(
  parts: RenewParts,
  seen: Tokens | undefined,
  { logout, end, onSaving }: RenewalEnd,
): Promise<Tokens | undefined> {
  const { holder, obtain, lockKey, tools } = parts;
  const { setting, registrar, keys } = tools;
  const { clock } = setting;
  let rounds = 0;

  const key = await lockKey();
  const own = new AbortController();
  const waiting = anySignal([own.signal, end]);
  const timer = clock.setTimeout(() => own.abort(busy(setting)), lockWaitMs, true);
  const looking = new AbortController();
  let adopted: Tokens | undefined;
  const look = async (): Promise<void> => {
    let tokens: Tokens | undefined;
    do {
      await sleep(lookMs, { signal: looking.signal, clock, keepsAlive: true });
      tokens = await holder.reload();
      looking.signal.throwIfAborted();
    } while (!holder.isNewer(seen?.record.id, tokens));
    adopted = tokens;
    own.abort();
  };
  look().catch(() => {
    // The lock is waited for anyway.
  });
  let lock: AsyncDisposable | undefined;
  try {
    // Without anything to present, the lock is not needed.
    if (obtain !== undefined || (await holder.reload())?.record.refreshToken !== undefined) {
      // A store of the program may ignore the signal.
      lock = await stored(setting, (store) => opened(Promise.resolve(store.lock?.(key, waiting)), waiting));
    }
  } catch (error) {
    if (adopted === undefined) {
      throw waiting.aborted ? waiting.reason : error;
    }
  } finally {
    looking.abort();
    clock.clearTimeout(timer);
  }
  try {
    return adopted ?? (await renewAlone(seen));
  } finally {
    // A lock that cannot be released expires.
    await ended(setting, [lock?.[Symbol.asyncDispose]()]);
  }

  /** Waits for a process that presented the same refresh token and may have died since. */
  async function afterOthers(): Promise<Tokens | undefined> {
    for (;;) {
      const tokens = await holder.reload();
      const since = setting.date() - (tokens?.record.presentedAt ?? -Infinity);
      if (!(since >= 0 && since < presentMs)) {
        return tokens;
      }
      await sleep(presentMs - since, { signal: end, clock, keepsAlive: true });
    }
  }

  async function renewAlone(last: Tokens | undefined): Promise<Tokens | undefined> {
    if (++rounds > maxWrites) {
      throw busy(setting);
    }
    const tokens = await afterOthers();
    if (holder.isNewer(last?.record.id, tokens)) {
      return tokens;
    }
    end.throwIfAborted();
    if (obtain !== undefined) {
      const saved = obtain(logout).then((issued) => holder.save(issued, tokens, { signal: logout }));
      onSaving(saved);
      // Tokens that arrive after a logout are revoked.
      return unlessAborted(saved, end);
    }
    return tokens && refresh(tokens);
  }

  async function refresh(tokens: Tokens): Promise<Tokens | undefined> {
    const { record, proofKey } = tokens;
    const { issuer, refreshToken, scopes, resource } = record;
    if (refreshToken === undefined) {
      return undefined;
    }
    const client = await registrar.recall(issuer, record.clientId, record.registration, end);
    if (client === undefined) {
      return undefined;
    }
    end.throwIfAborted();
    let marked = tokens;
    const present = async (): Promise<TokenOutcome | undefined> => {
      const next = await holder.mark(marked, setting.date());
      if (next === "conflict") {
        return undefined;
      }
      marked = next;
      return requestTokens(setting, {
        ...record,
        client,
        grantType: "refresh_token",
        parameters: {
          refresh_token: refreshToken,
          resource,
          scope: parts.refreshScopes ? scopes.join(" ") : undefined,
        },
        asked: scopes,
        proofKey,
        allowBearer: keys.allowBearer,
        // Not when the provider is closed: other processes have read the mark.
        signal: logout,
        // The refresh token was not presented, or the response is useless: others need not wait.
      }).catch((error: AuthError): TokenOutcome => ({ reason: "transient", error }));
    };
    let outcome = await present();
    if (outcome?.reason === "lost") {
      // Many servers accept the same refresh token again for a moment, because responses are lost.
      await sleep(lostMs, { signal: end, clock, keepsAlive: true });
      outcome = await present();
    }
    if (outcome === undefined) {
      return renewAlone(tokens);
    }
    if (outcome.tokens !== undefined) {
      const saved = await holder.save(
        { ...record, tokens: outcome.tokens, client, asked: [], proofKey },
        marked,
      );
      // The tokens count; a store that fails here leaves the suspicion.
      await registrar.accept(client).catch(() => {});
      return saved;
    }
    const { oauth, reason, error } = outcome;
    /** A store that fails does not hide the error of the server. */
    const noted = <T>(work: Promise<T>): Promise<T> =>
      work.catch(() => {
        warn(setting, unnoted);
        throw error;
      });
    if (
      ["invalid_grant", "invalid_dpop_proof", "bad_refresh_token", "invalid_refresh_token"].includes(
        oauth?.error ?? "",
      )
    ) {
      // Noted before the store is read: that may fail, and the refresh token must not be presented
      // again.
      await noted(holder.drop(marked));
      const newer = await noted(holder.reload());
      if (newer === undefined) {
        parts.onExpired(error);
      }
      return newer;
    }
    // After a lost response the refresh token may be used up: the next process leaves the server
    // its time.
    const kept = reason === "lost" ? marked : await noted(holder.mark(marked, undefined));
    if (kept === "conflict") {
      return renewAlone(tokens);
    }
    if (oauth?.error === "invalid_client") {
      const verdict = await noted(registrar.reject(client));
      if (verdict === "deleted") {
        await noted(holder.drop(kept));
        parts.onExpired(error);
        return undefined;
      }
      throw verdict === "kept"
        ? error
        : failure(
            setting,
            "AUTH_TEMPORARY",
            "The authorization server rejected the client. Its registration is kept until the next rejection.",
            { issuer, retryAfterMs: suspectedMs, cause: error },
          );
    }
    throw error;
  }
}

function busy(setting: Setting): AuthError {
  return failure(setting, "AUTH_TEMPORARY", "Other processes renew the tokens. Try again later.", {
    retryAfterMs: busyMs,
  });
}
