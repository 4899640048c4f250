import type { ResolvedLimits } from "@tenon/base";
import { createLocalJWKSet, type FlattenedJWSInput, type JWTVerifyGetKey } from "jose";

import { isPrivateAddress } from "../client/discover/address.ts";
import { fetchJson } from "../server/fetch-json.ts";
import { checkedUrl } from "../server/resource-url.ts";
import { VerifierUnavailable } from "../server/verify.ts";
import type { JwtLimits, JwtOptions } from "./jwt.ts";

type KeySetLimits = Omit<ResolvedLimits<JwtLimits>, "clockToleranceMs">;
type Found = Awaited<ReturnType<JWTVerifyGetKey>>;

/**
 * Minimum time between two attempts as long as there are no keys, because no request can be
 * served without them.
 */
const retryMs = 1000;

/**
 * Checks the URL of the keys: its address must not be private, unless the address of the issuer
 * is.
 * @throws `TypeError`
 */
function admitted(jwksUri: string, issuer: string): string {
  const { href, hostname } = checkedUrl(jwksUri, "jwks_uri of the metadata");
  if (isPrivateAddress(hostname) && !isPrivateAddress(new URL(issuer).hostname)) {
    throw new TypeError("jwks_uri of the metadata names a private address, and the issuer has none.");
  }
  return href;
}

/**
 * The public keys of one issuer: fetched when they are first needed, when they are old, and when
 * a token names one that is not known.
 */
export class KeySet {
  readonly #options: JwtOptions;
  readonly #limits: KeySetLimits;
  #set: JWTVerifyGetKey | undefined;
  /**
   * When the keys were fetched, and when that was last tried, on the clock of
   * `performance.now()`.
   */
  #fetchedAt = -Infinity;
  #triedAt = -Infinity;
  #failure: unknown;
  #loading: Promise<void> | undefined;
  /** Looks whether the keys have moved, after they could not be fetched. */
  #moving: Promise<unknown> | undefined;
  #jwksUri: string | undefined;
  /** When the metadata of the issuer were last read. */
  #discoveredAt = -Infinity;

  constructor(options: JwtOptions, limits: KeySetLimits) {
    this.#options = options;
    this.#limits = limits;
    this.#jwksUri = options.jwksUri;
  }

  /**
   * Finds the key of a token. @throws `VerifierUnavailable` if it may exist but cannot be fetched
   * now; errors of jose if it does not exist.
   */
  async find(header: Parameters<JWTVerifyGetKey>[0], jws: FlattenedJWSInput): Promise<Found> {
    const begun = performance.now();
    if (begun - this.#fetchedAt > this.#limits.keysTtlMs) {
      await this.#refresh(this.#isUsable());
    }
    const known = await this.#lookUp(header, jws);
    if (known !== undefined) {
      return known;
    }
    await this.#refresh();
    if (this.#failure !== undefined) {
      throw this.#unavailable();
    }
    const fetched = await this.#lookUp(header, jws);
    if (fetched !== undefined) {
      return fetched;
    }
    // The issuer may have moved its keys and still serve the old key set, or it may have published
    // the key after the last fetch.
    if (!(await this.#relocate()) && this.#fetchedAt < begun) {
      throw this.#unavailable();
    }
    return this.#usable()(header, jws);
  }

  /**
   * Fetches the keys again, if that is allowed now: an issuer may have replaced a key without
   * changing its identifier. @returns Whether keys were fetched.
   */
  async renew(): Promise<boolean> {
    const before = this.#fetchedAt;
    await this.#refresh();
    return this.#fetchedAt !== before;
  }

  /** Looks for a key among those that were fetched. */
  async #lookUp(header: Parameters<JWTVerifyGetKey>[0], jws: FlattenedJWSInput): Promise<Found | undefined> {
    const set = this.#usable();
    try {
      return await set(header, jws);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== "ERR_JWKS_NO_MATCHING_KEY") {
        throw error;
      }
      return undefined;
    }
  }

  /**
   * Fetches the keys, and looks whether they have moved if that fails, unless that was tried a
   * moment ago.
   *
   * @param hasOld - Whether the old keys can still be used. An issuer that does not respond must
   *   not let all requests wait: they wait for the first attempt, and not for the search.
   */
  async #refresh(hasOld = false): Promise<void> {
    if (this.#loading !== undefined || performance.now() - this.#triedAt >= this.#waitMs()) {
      this.#triedAt = performance.now();
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined;
      });
      await (hasOld && this.#failure !== undefined ? undefined : this.#loading);
    }
    await (hasOld ? undefined : this.#moving);
  }

  async #load(): Promise<void> {
    const known = this.#jwksUri;
    try {
      await this.#loadFrom(known ?? (await this.#newAddress()));
    } catch (error) {
      this.#failure = error;
      this.#moving = known === undefined ? undefined : this.#relocate();
    }
  }

  async #loadFrom(address: string): Promise<void> {
    const { status, json } = await this.#fetch(address, "key set");
    const { keys } = json;
    if (status !== 200 || !Array.isArray(keys)) {
      throw new TypeError(`Key set must contain an array of keys; got status ${status}.`);
    }
    this.#set = createLocalJWKSet({ keys });
    this.#fetchedAt = performance.now();
    this.#failure = undefined;
  }

  /**
   * Looks whether the issuer names another key set now. @returns Whether its keys were fetched.
   */
  async #relocate(): Promise<boolean> {
    const before = this.#jwksUri;
    try {
      const address = await this.#newAddress();
      if (address === before) {
        return false;
      }
      await this.#loadFrom(address);
      return true;
    } catch {
      // The keys that are known stay valid.
      return false;
    }
  }

  /** The keys, unless they are too old. @throws `VerifierUnavailable` */
  #usable(): JWTVerifyGetKey {
    if (!this.#isUsable()) {
      throw this.#unavailable();
    }
    // Without keys, they were fetched an infinite time ago.
    return this.#set as JWTVerifyGetKey;
  }

  #isUsable(): boolean {
    const { keysTtlMs, staleKeysTtlMs } = this.#limits;
    return performance.now() - this.#fetchedAt <= keysTtlMs + staleKeysTtlMs;
  }

  #unavailable(): VerifierUnavailable {
    const { issuer } = this.#options;
    const retryAfterMs = Math.max(0, this.#triedAt + this.#waitMs() - performance.now());
    const message =
      this.#failure === undefined
        ? `The keys of ${issuer} do not include the key of a token, and were fetched a moment ago.`
        : `The keys of ${issuer} cannot be fetched.`;
    return new VerifierUnavailable(message, { cause: this.#failure, retryAfterMs });
  }

  /** Minimum time between two fetches now. */
  #waitMs(): number {
    return this.#set === undefined ? retryMs : this.#limits.keysIntervalMs;
  }

  /**
   * Reads the address of the key set from the metadata of the issuer, unless the options name it
   * or that was done a moment ago.
   */
  async #newAddress(): Promise<string> {
    const { jwksUri } = this.#options;
    const isRecent = performance.now() - this.#discoveredAt < this.#limits.keysIntervalMs;
    if (this.#jwksUri !== undefined && (jwksUri !== undefined || isRecent)) {
      return this.#jwksUri;
    }
    this.#discoveredAt = performance.now();
    this.#jwksUri = await this.#discover();
    return this.#jwksUri;
  }

  /** Finds the key set in the metadata of the issuer. @source RFC 8414 §3, R-737, R-739 */
  async #discover(): Promise<string> {
    const { issuer } = this.#options;
    const { origin, pathname } = new URL(issuer);
    const path = pathname.replace(/\/$/, "");
    const candidates = [
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
    ];
    let failure: unknown;
    for (const candidate of candidates) {
      try {
        const { status, json } = await this.#fetch(candidate, "metadata");
        if (status === 200 && json["issuer"] === issuer && typeof json["jwks_uri"] === "string") {
          return admitted(json["jwks_uri"], issuer);
        }
        failure ??= new TypeError(
          `The metadata at ${candidate} must have the issuer ${issuer} and a jwks_uri.`,
        );
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  }

  #fetch(url: string, subject: string): ReturnType<typeof fetchJson> {
    const { timeoutMs, maxMessageBytes: maxBytes } = this.#limits;
    const { fetch } = this.#options;
    return fetchJson(url, { subject, fetch, timeoutMs, maxBytes });
  }
}
