import { describeRequest, type RequestDescription } from "./describe-request.ts";
import type { Exchange, HeaderFields } from "./exchange.ts";

/** The sender of a request. Transports add properties. */
export interface Identity {
  /** Names the user or the client, uniquely and permanently. */
  readonly principal: string;
  /** When the credentials expire, in milliseconds since 1970. By default they do not expire. */
  readonly expiresAt?: number | undefined;
  /** The scheme of challenges: `DPoP` for `"dpop"`. Default: `Bearer`. */
  readonly binding?: "bearer" | "dpop" | undefined;
  /** The URL of the protected resource metadata, which challenges contain. */
  readonly metadataUrl?: string | undefined;
}

/**
 * Identifies the sender of a request. It never sees preflights, which carry no credentials.
 *
 * @returns The identity; `"anonymous"` to serve the request without one; `undefined` or `null` to
 *   refuse it with 401; or a `Response` to refuse it otherwise. Anything else, and anything thrown,
 *   refuses the request with 500.
 */
export type Authenticate<I extends Identity = Identity> = (
  request: RequestDescription,
) => Authenticated<I> | Promise<Authenticated<I>>;

/** The possible return values of {@link Authenticate}. */
export type Authenticated<I extends Identity = Identity> = I | "anonymous" | Response | undefined | null;

/**
 * Checks the identity that middleware has set.
 *
 * @throws `TypeError` for a value without a principal: all senders with such a value would share
 *   their sessions.
 */
export function checkIdentity(auth: unknown): void {
  if (auth !== undefined && !isIdentity(auth)) {
    throw new TypeError(`auth must be ${expectedIdentity} or undefined; got ${kindOf(auth)}.`);
  }
}

const expectedIdentity = '{ principal: "…" }, with a number as expiresAt if there is one,';

/** An `expiresAt` that is not a number would never be reached. */
function isIdentity(value: unknown): value is Identity {
  const { principal, expiresAt } = (value ?? {}) as Partial<Record<keyof Identity, unknown>>;
  return (
    typeof principal === "string" &&
    principal !== "" &&
    (expiresAt === undefined || (typeof expiresAt === "number" && !Number.isNaN(expiresAt)))
  );
}

/**
 * Calls `authenticate` for a request, and responds to the request if it is rejected.
 *
 * @returns The identity (`undefined` for an anonymous sender) in `auth`; `undefined` if the request
 *   was rejected.
 * @throws The error that `authenticate` throws, and `TypeError` if its return value is not valid.
 */
export async function identify<I extends Identity>(
  authenticate: Authenticate<I>,
  exchange: Exchange,
  headers: HeaderFields,
): Promise<{ readonly auth: I | undefined } | undefined> {
  const answer: unknown = await authenticate(describeRequest(exchange));
  if (answer === "anonymous") {
    return { auth: undefined };
  }
  if (answer === undefined || answer === null) {
    const fields = { ...headers, "content-type": "text/plain", "www-authenticate": "Bearer" };
    exchange.respond(401, fields, "Unauthorized: the request has no valid credentials");
    return undefined;
  }
  if (answer instanceof Response) {
    const fields = Object.fromEntries(answer.headers);
    // They describe a body in transit. A Response of `fetch` has them, and a decoded body.
    delete fields["content-encoding"];
    delete fields["content-length"];
    delete fields["transfer-encoding"];
    const body = answer.body === null ? undefined : await answer.text();
    exchange.respond(answer.status, { ...fields, ...headers }, body);
    return undefined;
  }
  if (!isIdentity(answer)) {
    const others = '"anonymous", a Response, or undefined (401)';
    throw new TypeError(`authenticate must return ${expectedIdentity} ${others}; got ${kindOf(answer)}.`);
  }
  return { auth: answer as I };
}

/** Describes a value without showing it: it may hold a secret. */
function kindOf(value: unknown): string {
  return typeof value === "object" && value !== null
    ? `an object with ${Object.keys(value).slice(0, 5).join(", ") || "no properties"}`
    : typeof value;
}
