import type { IncomingMessage } from "node:http";

import type { FetchFunction } from "@tenon/auth/server";
import { checkOptionNames, readLimits, type LimitRules, type ResolvedLimits } from "@tenon/base";
import type { AuthStore, RateLimits } from "@tenon/stores";

import type { ConsentPage } from "./pages/consent.ts";
import type { DevelopmentUpstream } from "./upstream/development.ts";
import type { Account } from "./upstream/profile.ts";
import { isLoopback, isSecure, type Upstream } from "./upstream/upstream.ts";

/**
 * The stores of a broker: the result of `createSqliteStores`,
 * `createPostgresStores` or `createRedisStores` has these.
 */
export interface BrokerStores {
  /** Keeps logins, clients, accounts and keys, sealed. */
  readonly auth: AuthStore;
  /** By default each process counts for itself. */
  readonly rates?: RateLimits | undefined;
}

/** Options of {@link createBroker}. */
export interface BrokerOptions {
  /**
   * The URL of the MCP endpoint, as clients know it: the `resource` of the guard. Several if the
   * origin has several.
   */
  readonly resource: string | readonly string[];
  /** The scopes of the server, with a description of each for users, such as
   * `{ "notes:read": "Read your notes" }`. */
  readonly scopes: Readonly<Record<string, string>>;
  /** The identity providers: `github(…)`, `google(…)`, `oidc(…)`, or several. */
  readonly upstream: Upstream | DevelopmentUpstream | readonly (Upstream | DevelopmentUpstream)[];
  /**
   * Secrets of at least 32 characters, the same in all processes, the newest first. They seal what
   * is in the store. Required unless the issuer is on loopback; there the default is a random one.
   */
  readonly keys?: readonly string[] | undefined;
  /** Required unless the issuer is on loopback; there the default is in memory. */
  readonly stores?: BrokerStores | undefined;
  /**
   * The URL of the broker, as clients know it. The routes have to be served there. Default: the
   * origin of `resource`.
   */
  readonly issuer?: string | undefined;
  /** The name of the server, for users. Default: the host of `resource`. */
  readonly name?: string | undefined;
  /**
   * Decides whether an account may log in. It is called again when a client refreshes its token.
   * By default every account of the provider may.
   */
  readonly allow?: ((account: Account) => boolean | Promise<boolean>) | undefined;
  /**
   * Returns the scopes that an account may have, for example by its groups. By default an account
   * may have all `scopes`.
   */
  readonly scopesOf?: ((account: Account) => readonly string[] | Promise<readonly string[]>) | undefined;
  /**
   * Replaces the page on which users decide: returns a document of HTML. Scripts do not run in
   * it, and the function has to escape HTML.
   */
  readonly consent?: ((page: ConsentPage) => string) | undefined;
  /**
   * Whether the tokens of the provider are kept, sealed, for `upstreamToken`. By default they are
   * dropped as soon as the user is known.
   */
  readonly keepUpstreamTokens?: boolean | undefined;
  /** Sends the requests to providers. Default: `fetch` of the platform. */
  readonly fetch?: FetchFunction | undefined;
  /**
   * Fetches the metadata documents that clients name. Default: `publicFetch()`, which refuses
   * private addresses.
   */
  readonly fetchDocument?: FetchFunction | undefined;
  /**
   * The address of a sender behind a proxy, for the limits: from a header that the proxy sets.
   * Default: the address of the connection.
   */
  readonly addressOf?: ((request: IncomingMessage) => string | undefined) | undefined;
  /** Bounds. */
  readonly limits?: BrokerLimits | undefined;
  /** Called with failures that users see as an error page. Default: `console.error`. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Bounds of a broker. */
export interface BrokerLimits {
  /** How long an access token is valid, in milliseconds. Default: `600_000` (10 minutes). */
  readonly accessTokenTtlMs?: number | undefined;
  /**
   * How long a login of a client lasts, however often it refreshes its token, in milliseconds.
   * Default: `2_592_000_000` (30 days).
   */
  readonly grantTtlMs?: number | undefined;
  /**
   * How long a browser stays logged in to the broker, in milliseconds. Default: `28_800_000` (8
   * hours).
   */
  readonly sessionTtlMs?: number | undefined;
  /** How long a user may take to log in, in milliseconds. Default: `1_800_000` (30 minutes). */
  readonly loginTimeoutMs?: number | undefined;
  /**
   * How long a refresh token may be used again, in milliseconds: responses get lost, and some
   * clients refresh several times at once. After that, a second use ends the login. Default:
   * `10_000`.
   */
  readonly refreshGraceMs?: number | undefined;
  /** How long a client stays registered without a login, in milliseconds. Default: `3_600_000` (1
   * hour). */
  readonly unusedClientTtlMs?: number | undefined;
  /**
   * How long a client stays registered after its last use, in milliseconds. Default:
   * `7_776_000_000` (90 days).
   */
  readonly clientTtlMs?: number | undefined;
  /** How many clients may register in an hour, from all addresses. Default: `1_000`. */
  readonly maxRegistrations?: number | undefined;
  /**
   * How many clients may register in an hour from one public address. Default: `60`.
   */
  readonly maxRegistrationsPerAddress?: number | undefined;
  /**
   * How many logins may begin in a minute, from all addresses. One public address may begin a tenth
   * of them. Default: `3_000`.
   */
  readonly maxLogins?: number | undefined;
  /** Maximum number of requests at a time. Further ones get 503. Default: `512`. */
  readonly maxInFlight?: number | undefined;
  /** How long a key signs access tokens, in milliseconds. Default: `2_592_000_000` (30 days). */
  readonly rotationIntervalMs?: number | undefined;
}

/** The rules of {@link BrokerLimits}. */
export const limitRules: LimitRules<BrokerLimits> = {
  accessTokenTtlMs: [600_000, 1000, 3_600_000],
  grantTtlMs: [2_592_000_000, 60_000, 31_536_000_000],
  sessionTtlMs: [28_800_000, 1000, 2_592_000_000],
  loginTimeoutMs: [1_800_000, 60_000, 7_200_000],
  refreshGraceMs: [10_000, 0, 60_000],
  unusedClientTtlMs: [3_600_000, 60_000, 86_400_000],
  clientTtlMs: [7_776_000_000, 86_400_000, 31_536_000_000],
  maxRegistrations: [1000, 1],
  maxRegistrationsPerAddress: [60, 1],
  maxLogins: [3000, 1],
  maxInFlight: [512, 1],
  rotationIntervalMs: [2_592_000_000, 86_400_000],
};

/** The options of a broker, checked. */
export interface Settings {
  readonly issuer: string;
  readonly resources: readonly string[];
  readonly upstreams: readonly (Upstream | DevelopmentUpstream)[];
  readonly isLocal: boolean;
  readonly limits: ResolvedLimits<BrokerLimits>;
}

/**
 * Checks the options of a broker.
 *
 * @throws `TypeError` for options that do not exist, and for values that cannot work.
 */
export function readOptions(options: BrokerOptions): Settings {
  checkOptionNames(
    "createBroker",
    options,
    [
      "resource scopes:object upstream keys:array stores:object issuer name allow:function scopesOf:function",
      "consent:function keepUpstreamTokens fetch:function fetchDocument:function addressOf:function",
      "limits onError",
    ],
    limitRules,
  );
  const limits = readLimits(options.limits, limitRules);
  const resources = [options.resource].flat();
  const [first = ""] = resources;
  if (resources.length === 0 || !resources.every(isSecure)) {
    throw new TypeError(
      `resource of createBroker is the URL of the MCP endpoint: https, or http on loopback; got ${JSON.stringify(options.resource)}.`,
    );
  }
  const issuer = options.issuer ?? new URL(first).origin;
  if (!isSecure(issuer) || /[?#]|\/$/.test(issuer.replace(/^https?:\/\//, ""))) {
    throw new TypeError(
      `issuer of createBroker is an https URL, or http on loopback, without a slash at the end, a query and a fragment; got ${JSON.stringify(issuer)}.`,
    );
  }
  const isLocal = isLoopback(issuer);
  const upstreams = [options.upstream].flat();
  checkKeys(options, isLocal);
  checkScopes(options.scopes);
  if (upstreams.length === 0 || upstreams.some((one) => typeof one !== "object")) {
    throw new TypeError(
      "upstream of createBroker is an identity provider, such as github({ clientId, clientSecret }), or several.",
    );
  }
  if (!isLocal && upstreams.some((one) => "development" in one)) {
    throw new TypeError(
      `development() has no passwords, so the issuer must be on loopback, such as http://127.0.0.1:3000; got ${issuer}.`,
    );
  }
  return { issuer, resources, upstreams, isLocal, limits };
}

/** @throws `TypeError` */
function checkKeys({ keys, stores }: BrokerOptions, isLocal: boolean): void {
  const isGood =
    keys?.every((key) => typeof key === "string" && key.length >= 32) === true && keys.length > 0;
  if (keys === undefined ? !isLocal : !isGood) {
    throw new TypeError(
      "keys of createBroker are secrets of at least 32 random characters, the newest first: `openssl rand -base64 32` prints one.",
    );
  }
  if (stores === undefined && !isLocal) {
    throw new TypeError(
      "createBroker needs stores, such as createSqliteStores(database): without them, each restart logs all users out.",
    );
  }
  if (stores !== undefined && typeof stores.auth?.put !== "function") {
    throw new TypeError(
      "stores of createBroker needs an AuthStore as auth, such as createSqliteStores(database) has.",
    );
  }
}

/** @throws `TypeError` */
function checkScopes(scopes: Readonly<Record<string, string>>): void {
  const names = Object.keys(scopes);
  const isGood = names.every((name) => /^[!#-[\]-~]+$/.test(name) && typeof scopes[name] === "string");
  if (names.length === 0 || names.length > 100 || !isGood) {
    throw new TypeError(
      'scopes of createBroker must be the scopes of the server with a description of each: { "notes:read": "Read your notes" }.',
    );
  }
  if (names.some((name) => ["openid", "offline_access"].includes(name))) {
    throw new TypeError(
      "scopes of createBroker must not contain openid or offline_access: they are the broker's own.",
    );
  }
}
