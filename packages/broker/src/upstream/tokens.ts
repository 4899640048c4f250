import { BrokerError, isBrokerError } from "../error.ts";
import { never, type Vault } from "../store/vault.ts";
import type { UpstreamClient, UpstreamTokens } from "./client.ts";

/** The tokens of providers, if the operator wants them kept. */
export interface KeptTokens {
  /** Keeps the tokens of a login until a time, in milliseconds since 1970, or until `confirm`. */
  keep(subject: string, tokens: UpstreamTokens, expiresAt: number): Promise<void>;
  /** Keeps the tokens for as long as the account has programs: its user has allowed one. */
  confirm(subject: string): Promise<void>;
  /**
   * An access token that is valid. It is refreshed once, however many requests in however many
   * processes ask for it.
   *
   * @throws `BrokerError`
   */
  get(subject: string): Promise<string>;
}

/** A token is refreshed this long before it expires. */
const earlyMs = 60_000;
/** How long to wait for the refresh of another process. */
const lockTimeoutMs = 20_000;

/** Creates the store of tokens. @param isKept - Without it, tokens are dropped after a login. */
export function createKeptTokens(
  vault: Vault,
  upstreams: ReadonlyMap<string, UpstreamClient>,
  isKept: boolean,
): KeptTokens {
  const running = new Map<string, Promise<string>>();
  const isFresh = ({ expiresAt }: UpstreamTokens): boolean =>
    expiresAt === undefined || expiresAt - earlyMs > Date.now();
  const needsLogin = (): BrokerError =>
    new BrokerError(
      "NEEDS_LOGIN",
      "There is no valid token of the identity provider: the user has to log in again.",
    );

  async function renew(subject: string): Promise<string> {
    await using _ = await vault.lock("upstream", subject, AbortSignal.timeout(lockTimeoutMs));
    // Another process may have been faster.
    const kept = await vault.get<UpstreamTokens>("upstream", subject);
    if (kept === undefined || isFresh(kept.value)) {
      return kept?.value.accessToken ?? Promise.reject(needsLogin());
    }
    const { refreshToken } = kept.value;
    const upstream = upstreams.get(subject.slice(0, subject.indexOf(":")));
    if (refreshToken === undefined || upstream === undefined) {
      throw needsLogin();
    }
    try {
      const tokens = await upstream.refresh(refreshToken, subject);
      // They may have been deleted in the meantime, or a login may have brought others.
      const now = await vault.update<UpstreamTokens>("upstream", subject, (found) =>
        found?.value.refreshToken === refreshToken
          ? { ...found, value: merged(found.value, kept.value, tokens) }
          : "keep",
      );
      if (now === undefined) {
        throw needsLogin();
      }
      return now.value.accessToken;
    } catch (error) {
      if (isBrokerError(error, "NEEDS_LOGIN")) {
        // A login in the meantime has brought new tokens, which stay.
        const newer = await vault.update<UpstreamTokens>("upstream", subject, (now) =>
          now?.value.accessToken === kept.value.accessToken ? "delete" : "keep",
        );
        if (newer !== undefined && isFresh(newer.value)) {
          return newer.value.accessToken;
        }
      }
      throw error;
    }
  }

  return {
    async keep(subject, tokens, expiresAt) {
      if (!isKept) {
        return;
      }
      await vault.update<UpstreamTokens>("upstream", subject, (before) => ({
        // Some providers, such as Google, issue a refresh token at the first login only.
        value: { refreshToken: before?.value.refreshToken, ...tokens },
        expiresAt,
      }));
    },
    async confirm(subject) {
      await vault.update<UpstreamTokens>("upstream", subject, (found) =>
        found === undefined ? "keep" : { ...found, expiresAt: never },
      );
    },
    async get(subject) {
      if (!isKept) {
        throw new BrokerError(
          "NOT_KEPT",
          "The broker drops the tokens of identity providers after a login. Set keepUpstreamTokens: true in createBroker to keep them.",
        );
      }
      const kept = await vault.get<UpstreamTokens>("upstream", subject);
      if (kept === undefined) {
        throw needsLogin();
      }
      if (isFresh(kept.value)) {
        return kept.value.accessToken;
      }
      const flight =
        running.get(subject) ??
        renew(subject).finally(() => {
          running.delete(subject);
        });
      running.set(subject, flight);
      return flight;
    },
  };
}

/**
 * The tokens after a refresh. A login in the meantime that brought no refresh token has brought a
 * newer access token, which stays.
 */
function merged(now: UpstreamTokens, before: UpstreamTokens, refreshed: UpstreamTokens): UpstreamTokens {
  return now.accessToken === before.accessToken
    ? refreshed
    : { ...now, refreshToken: refreshed.refreshToken };
}
