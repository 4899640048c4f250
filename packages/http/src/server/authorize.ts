import type { Identity } from "./authenticate.ts";
import { formatChallenge } from "./challenge.ts";
import type { RequestDescription } from "./describe-request.ts";
import type { HeaderFields } from "./exchange.ts";

/** Why a sender may not do what it asks for. */
export interface Denial {
  /**
   * All scopes that the operation needs. Empty: no scope would help, and the response contains no
   * challenge.
   */
  readonly scopes: readonly string[];
  /**
   * One sentence for the developer of the client. It is sent. Default: a sentence that names the
   * scopes.
   */
  readonly description?: string | undefined;
}

/** A message as {@link Authorize} sees it. */
export interface Operation {
  readonly method: string;
  readonly params?: object | undefined;
}

/**
 * Decides whether the sender of a message may do what the message asks for. Called for each request
 * and notification, and for each property of a batch, before anything of the HTTP request runs.
 *
 * @returns `undefined` if the sender may, otherwise what the sender lacks: the HTTP request gets
 *   403. Anything else, a promise included, and anything thrown refuses with 500.
 */
export type Authorize<I extends Identity = Identity> = (
  message: Operation,
  sender: { readonly auth: I | undefined; readonly http: RequestDescription },
) => Denial | undefined;

/** The characters of a scope. @source RFC 6749 §3.3 */
const scopeToken = /^[!#-[\]-~]+$/;

/**
 * Returns whether `value` is a scope as RFC 6749 defines it: visible ASCII without quotes and
 * backslashes.
 */
export function isScope(value: unknown): value is string {
  return typeof value === "string" && scopeToken.test(value);
}

/** Returns whether `value` is a {@link Denial}. */
export function isDenial(value: unknown): value is Denial {
  const { scopes, description } = (value ?? {}) as Partial<Record<keyof Denial, unknown>>;
  return (
    Array.isArray(scopes) &&
    scopes.every(isScope) &&
    (description === undefined || typeof description === "string")
  );
}

/** The contents of the response to a sender with a {@link Denial}. */
export interface Denied {
  readonly message: string;
  readonly headers: HeaderFields;
}

/**
 * Calls `authorize` for the messages of one HTTP request.
 *
 * @returns What to respond, with all scopes that the sender lacks for them; `undefined` if the
 *   sender may send them.
 * @throws `TypeError` if `authorize` returns something else than it may.
 */
export function findDenied<I extends Identity = Identity>(
  authorize: Authorize<I>,
  messages: readonly object[],
  sender: Parameters<Authorize<I>>[1],
): Denied | undefined {
  let denial: Denial | undefined;
  for (const message of messages) {
    const answer: unknown = "method" in message ? authorize(message as Operation, sender) : undefined;
    if (answer === undefined) {
      continue;
    }
    if (!isDenial(answer)) {
      throw new TypeError("authorize must return undefined or { scopes: […], description? }.");
    }
    denial = { ...answer, ...denial, scopes: [...new Set([...(denial?.scopes ?? []), ...answer.scopes])] };
  }
  return denial && { message: describeDenial(denial), headers: denialHeaders(denial, sender.auth) };
}

function describeDenial({ scopes, description }: Denial): string {
  return description ?? (scopes.length === 0 ? "Forbidden" : `Forbidden: this needs ${scopes.join(" ")}`);
}

/** The header of a response to a sender that lacks scopes. @source RFC 6750 §3.1, R-728 */
export function denialHeaders({ scopes, description }: Denial, auth: Identity | undefined): HeaderFields {
  return scopes.length === 0
    ? {}
    : {
        "www-authenticate": formatChallenge(auth?.binding === "dpop" ? "DPoP" : "Bearer", {
          error: "insufficient_scope",
          error_description: description?.slice(0, 256).replace(/[^ !#-[\]-~]/g, "'"),
          scope: scopes.join(" "),
          resource_metadata: auth?.metadataUrl,
        }),
      };
}
