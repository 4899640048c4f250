import { adjustCount, inTime, networkOfAddress } from "@tenon/base";
import type { RequestDescription } from "@tenon/http/server";

import { grant, type Granted, type TokenRules } from "./granted.ts";
import { TokenCache } from "./token-cache.ts";
import { VerifierUnavailable, type RejectedToken, type Verify } from "./verify.ts";

/** The outcome of a verification. */
export type Outcome = Granted | RejectedToken;

/** The settings of {@link Verifications}. */
export interface VerificationsSetup {
  readonly verify: Verify;
  readonly rules: TokenRules;
  readonly ttlMs: number;
  readonly maxEntries: number;
  readonly maxInFlight: number;
  readonly verifyTimeoutMs: number;
  /** Called with each token that was verified. */
  readonly onGranted: (granted: Granted, token: string) => void;
}

/**
 * Verifies tokens and caches the outcomes. Concurrent requests with the same token share one
 * verification.
 */
export class Verifications {
  readonly #settings: VerificationsSetup;
  readonly #granted: TokenCache<Granted>;
  /** A separate cache, so that invalid tokens do not evict the tokens of users. */
  readonly #rejected: TokenCache<RejectedToken>;
  readonly #running = new Map<string, Promise<Outcome>>();
  /**
   * How many calls of `verify` have not settled. A call that takes too long holds its place until
   * it settles.
   */
  #verifying = 0;
  /** The same for each network of a sender, if the runtime knows its address. */
  readonly #bySender = new Map<string, number>();
  /**
   * Incremented when a principal is revoked. Outcomes of verifications that started before are
   * not cached.
   */
  #epoch = 0;

  constructor(settings: VerificationsSetup) {
    this.#settings = settings;
    this.#granted = new TokenCache(settings.maxEntries);
    this.#rejected = new TokenCache(settings.maxEntries);
  }

  /** Returns the cached outcome for a token. @param key - The hash of the token. */
  recall(key: string): Outcome | undefined {
    return this.#granted.get(key) ?? this.#rejected.get(key);
  }

  /** @throws `VerifierUnavailable`, from the promise, and what `verify` throws. */
  async verify(key: string, token: string, request: RequestDescription): Promise<Outcome> {
    const running = this.#running.get(key);
    if (running !== undefined) {
      const outcome = await running;
      // The outcome depended on the other request, such as on its connection.
      return "auth" in outcome && !outcome.isReusable ? this.#verify(key, token, request) : outcome;
    }
    const started = this.#verify(key, token, request).finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }

  /** Forgets the tokens of a principal. */
  forget(principal: string): void {
    this.#epoch++;
    this.#granted.forget(({ auth }) => auth.principal === principal);
  }

  /** Counts a verification. @returns A function that ends it. */
  #enter(sender: string | undefined): () => void {
    const change = (by: 1 | -1): void => {
      this.#verifying += by;
      if (sender !== undefined) {
        adjustCount(this.#bySender, sender, by);
      }
    };
    change(1);
    return () => change(-1);
  }

  async #verify(key: string, token: string, request: RequestDescription): Promise<Outcome> {
    const { verify, rules, ttlMs, verifyTimeoutMs, onGranted } = this.#settings;
    const { maxInFlight } = this.#settings;
    if (this.#verifying >= maxInFlight) {
      throw new VerifierUnavailable(`More than ${maxInFlight} tokens are being verified (maxInFlight).`);
    }
    // Strings that are not IP addresses count as one sender, who could choose any number of them.
    const sender = request.address === undefined ? undefined : (networkOfAddress(request.address) ?? "");
    const own = sender === undefined ? 0 : (this.#bySender.get(sender) ?? 0);
    if (own >= Math.ceil(maxInFlight / 2)) {
      throw new VerifierUnavailable(
        `More than ${own} tokens of one sender are being verified: half of ${maxInFlight} (maxInFlight).`,
      );
    }
    const epoch = this.#epoch;
    const leave = this.#enter(sender);
    const late = new AbortController();
    const verifying = (async () => verify(token, request, late.signal))();
    verifying.then(leave, leave);
    // No object, such as undefined, is a token without properties, which is not valid.
    const verdict = Object(await withinTime(verifying, verifyTimeoutMs, late)) as Awaited<typeof verifying>;
    const ownTtlMs = Math.min(verdict.ttlMs ?? ttlMs, ttlMs);
    if ("rejected" in verdict) {
      const { rejected, reason, ttlMs: keptMs } = verdict;
      const refused: RejectedToken = { rejected: rejected === "expired" ? rejected : "invalid", reason };
      this.#rejected.set(key, refused, keptMs === undefined ? 0 : ownTtlMs);
      return refused;
    }
    const outcome = grant(verdict, rules);
    if ("auth" in outcome) {
      onGranted(outcome, token);
      if (outcome.isReusable && epoch === this.#epoch) {
        this.#granted.set(key, outcome, ownTtlMs);
      }
    }
    return outcome;
  }
}

function withinTime<T>(task: Promise<T>, timeoutMs: number, late: AbortController): Promise<T> {
  const expired = (): never => {
    const error = new VerifierUnavailable(`The token was not verified within ${timeoutMs} ms.`);
    // A verification that ends because it is aborted is too late to decide.
    late.abort(error);
    throw error;
  };
  return inTime(task, timeoutMs, { expired });
}
