import { checkOptionNames, errorSink, readLimits, type LimitRules } from "@tenon/base";
import { isScope, type Authenticate, type Authorize, type RequestDescription } from "@tenon/http/server";
import type { AuthInfo } from "@tenon/protocol";

import { readCredentials, type Credentials } from "./credentials.ts";
import { fastHash } from "./fast-hash.ts";
import { expired, inSeconds, invalid, isOver, noExpiry } from "./granted.ts";
import type { GuardLimits, ResourceGuardOptions } from "./guard-options.ts";
import { keepToken } from "./kept-token.ts";
import { createRefusals } from "./refusals.ts";
import { checkedUrl, metadataUrlOf } from "./resource-url.ts";
import { Verifications, type Outcome } from "./verifications.ts";
import { isVerifierUnavailable, type RejectedToken } from "./verify.ts";

/** The hooks that protect a server. Spread them into the options of a handler. */
export interface ResourceGuard {
  /** Identifies the sender of a request by its access token. */
  readonly authenticate: Authenticate<AuthInfo>;
  /** Decides by the policy; `undefined` without one. */
  readonly authorize: Authorize<AuthInfo> | undefined;
  /** Forgets the tokens of a principal. `revoke` of a handler calls it. */
  readonly onRevoked: (principal: string) => void;
}

/** An identity, or a refusal. */
type Answer = AuthInfo | Response;

const limitRules: LimitRules<GuardLimits> = {
  maxTokenLength: [16_384, 1],
  ttlMs: [60_000, 0],
  maxEntries: [1000, 0],
  maxInFlight: [256, 1],
  verifyTimeoutMs: [10_000, 1],
  clockToleranceMs: [30_000, 0],
  maxTokenAgeMs: [Infinity, 0],
};

/** Maximum length of the scopes in a challenge: proxies limit the size of headers. */
const maxScopeLength = 512;

/**
 * Creates the guard of a server. Every request needs a valid access token that was issued for
 * this server and has the scopes of the operation. Rejected clients get the challenge by which
 * they find the authorization server.
 *
 * @example
 * const guard = createGuard({
 *   resource: "https://notes.example.com/mcp",
 *   verify: jwt({ issuer: "https://login.example.com" }),
 * });
 * const allowedHosts = ["notes.example.com"];
 * const handler = createStreamableHandler({ getServer: () => server, allowedHosts, ...guard });
 *
 * @throws `TypeError` for options that do not exist, and for values that cannot work.
 * @source …R-731
 */
export function createGuard(options: ResourceGuardOptions): ResourceGuard {
  check(options);
  const { resource, verify, policy, dpop, scopes = [] } = options;
  const { maxTokenLength, clockToleranceMs, maxTokenAgeMs, ...limits } = readLimits(
    options.limits,
    limitRules,
  );
  const metadataUrl = options.metadataUrl ?? metadataUrlOf(checkedUrl(resource, "resource"));
  const refusals = createRefusals({ metadataUrl, scopes, dpop });
  const onError = errorSink(options.onError);
  const mistakes = new Set([noExpiry, inSeconds]);
  const verifications = new Verifications({
    verify,
    rules: {
      audience: audienceOf(options),
      maxTokenAgeMs,
      clockToleranceMs,
      metadataUrl,
      principal: options.principal,
    },
    ...limits,
    onGranted: ({ auth }, token) => {
      if (options.keepToken === true) {
        keepToken(auth, token);
      }
    },
  });

  function authenticate(request: RequestDescription): Answer | Promise<Answer> {
    const credentials = readCredentials(request, maxTokenLength);
    if (credentials === undefined) {
      return refusals.missing();
    }
    if (typeof credentials === "string") {
      return refusals.malformed(credentials);
    }
    if (credentials.scheme === "DPoP" && dpop === undefined) {
      return refusals.malformed("This server accepts the scheme Bearer only");
    }
    const key = fastHash(credentials.token);
    return typeof key === "string"
      ? decide(key, credentials, request)
      : key.then((hashed) => decide(hashed, credentials, request));
  }

  /** Not an async function: a token that is remembered costs no turn of the event loop. */
  function decide(
    key: string,
    credentials: Credentials,
    request: RequestDescription,
  ): Answer | Promise<Answer> {
    const known = verifications.recall(key);
    return known === undefined
      ? verifications
          .verify(key, credentials.token, request)
          .then((outcome) => judge(outcome, credentials, request), unavailable)
      : judge(known, credentials, request);
  }

  /** @throws Whatever is not a failure to verify any token. */
  function unavailable(error: unknown): Response {
    if (!isVerifierUnavailable(error)) {
      throw error;
    }
    onError(error);
    return refusals.unavailable(error.retryAfterMs);
  }

  function refuse(token: RejectedToken): Response {
    // Each mistake is reported once, because every request would repeat it.
    if (mistakes.delete(token)) {
      onError(new TypeError(`verify returned ${token.reason}: expiresAt is in milliseconds.`));
    }
    const told = async (): Promise<void> => options.onRejected?.(token);
    told().catch(onError);
    return refusals.invalid(token.rejected);
  }

  function judge(
    outcome: Outcome,
    { scheme, token }: Credentials,
    request: RequestDescription,
  ): Answer | Promise<Answer> {
    if ("rejected" in outcome) {
      return refuse(outcome);
    }
    const { auth, jkt } = outcome;
    // The token may be remembered from before its expiry.
    if (auth.expiresAt !== undefined && isOver(auth.expiresAt, { clockToleranceMs })) {
      return refuse(expired);
    }
    if ((jkt !== undefined) !== (scheme === "DPoP") || (jkt === undefined && dpop?.isRequired === true)) {
      return refuse(invalid("binding"));
    }
    if (jkt === undefined) {
      return withScopes(auth);
    }
    if (dpop === undefined) {
      return refuse(invalid("binding"));
    }
    return dpop
      .check(request, { token, jkt, resource })
      .then((problem) =>
        problem === undefined ? withScopes(auth) : refusals.unproven(problem.description, problem.nonce),
      );
  }

  function withScopes(auth: AuthInfo): Answer {
    const holds: unknown =
      policy === undefined
        ? scopes.every((scope) => auth.scopes?.includes(scope) === true)
        : policy.holds(auth, scopes);
    // A policy of one's own may return a promise, which would be truthy.
    return holds === true ? auth : refusals.insufficient(scopes);
  }

  return {
    authenticate,
    authorize:
      policy === undefined
        ? undefined
        : (message, sender) => {
            const denial = policy.authorize(message, sender);
            return denial === undefined || denial.scopes.length === 0
              ? denial
              : { ...denial, scopes: [...new Set([...scopes, ...denial.scopes])] };
          },
    onRevoked: (principal) => verifications.forget(principal),
  };
}

function audienceOf({ audience, resource }: ResourceGuardOptions): readonly string[] | undefined {
  if (typeof audience === "object" && "dangerouslyAny" in audience) {
    return undefined;
  }
  return audience === undefined ? [resource] : [audience].flat();
}

/** @throws `TypeError` */
function check(options: ResourceGuardOptions): void {
  checkOptionNames(
    "createGuard",
    options,
    [
      "resource verify:function audience scopes policy dpop principal keepToken metadataUrl",
      "limits onError onRejected",
    ],
    limitRules,
  );
  const { resource, verify, audience, scopes = [], metadataUrl } = options;
  checkedUrl(resource, "resource");
  if (metadataUrl !== undefined) {
    checkedUrl(metadataUrl, "metadataUrl");
  }
  if (typeof verify !== "function") {
    throw new TypeError(`verify must be a function such as jwt({ issuer }); got ${typeof verify}.`);
  }
  checkScopes(scopes);
  const isAny = typeof audience === "object" && "dangerouslyAny" in audience;
  const audiences = isAny ? [audience.dangerouslyAny] : [audience ?? resource].flat();
  if (audiences.length === 0 || !audiences.every((one) => typeof one === "string" && one !== "")) {
    throw new TypeError('audience must be a string or strings, or { dangerouslyAny: "why that is safe" }.');
  }
}

/** Checks the scopes that a server advertises. @throws `TypeError` @source R-731 */
export function checkScopes(scopes: readonly string[]): void {
  if (!Array.isArray(scopes) || !scopes.every(isScope) || scopes.join(" ").length > maxScopeLength) {
    throw new TypeError(
      `scopes must be an array of scopes such as ["notes:read"], together at most ${maxScopeLength} characters.`,
    );
  }
  if (scopes.includes("offline_access")) {
    throw new TypeError(
      'scopes must not contain "offline_access": it is between the client and the authorization server.',
    );
  }
}
