import { takeLateFailure } from "@tenon/base";

import { isHttpError } from "../error.ts";
import { checkIdentity, identify, type Authenticate, type Identity } from "./authenticate.ts";
import { formatChallenge } from "./challenge.ts";
import { createCors, type Cors, type CorsOptions } from "./cors.ts";
import type { BodyLimits, Exchange, HeaderFields } from "./exchange.ts";
import { createHostGuard, type Guard, type GuardOptions } from "./guard.ts";
import { Revocations } from "./revocations.ts";

/**
 * Refuses a request as the protocol does, with the headers of {@link withRetryAfter}.
 *
 * @param id - The ID of the message, once it is known.
 */
export type Refuse = (
  exchange: Exchange,
  status: number,
  message: string,
  headers: HeaderFields,
  id?: string | number | null,
) => void;

/** Options of a {@link FrontDoor}. */
export interface FrontDoorOptions<I extends Identity = Identity> extends GuardOptions {
  /** Permissions for pages. By default pages of other origins cannot read responses. */
  readonly cors?: CorsOptions | undefined;
  /** Identifies the senders. Default: their identity is passed to {@link FrontDoor.serve}. */
  readonly authenticate?: Authenticate<I> | undefined;
  /** Called when a principal was revoked, so that `authenticate` forgets its results. */
  readonly onRevoked?: ((principal: string) => void) | undefined;
  /** Bounds on the bodies. */
  readonly body: BodyLimits;
  /** Sends refusals in the format of the protocol. */
  readonly refuse: Refuse;
  /**
   * Responds to requests that are the same for every sender. Returns whether it has responded.
   * Default: it responds to none.
   */
  readonly greet?: ((exchange: Exchange, headers: HeaderFields) => boolean) | undefined;
  /** Receives errors that are not the sender's fault. */
  readonly onError: (error: unknown) => void;
}

/** A request that may come in. */
export interface Visit<I extends Identity = Identity> {
  readonly exchange: Exchange;
  /** The sender; `undefined` if anonymous. */
  readonly auth: I | undefined;
  /** The headers that every response to the request has. */
  readonly headers: HeaderFields;
  /** The number of revocations when the request arrived. */
  readonly since: number;
}

/** A request whose sender is not known yet. */
type Arrived = Pick<Visit, "exchange" | "headers">;

/** HTTP statuses of failures that are not the server's fault. */
const statuses = new Map<unknown, number>([
  ["BODY_TOO_LARGE", 413],
  ["OVERLOADED", 503],
  ["BODY_TIMEOUT", 408],
  ["UNSUPPORTED_ENCODING", 415],
  ["BODY_INCOMPLETE", 400],
]);
const noHeaders: HeaderFields = {};
const done: Promise<void> = /* @__PURE__ */ Promise.resolve();

/**
 * The way into an endpoint, which is the same for every protocol: `Host` and `Origin`, CORS and
 * preflights, shutdown, the identity of the sender, and the body.
 */
export class FrontDoor<I extends Identity = Identity> {
  readonly #options: FrontDoorOptions<I>;
  readonly #guard: Guard;
  readonly #cors: Cors | undefined;
  readonly #revocations = new Revocations();
  #isClosed = false;

  /**
   * A door that is open.
   *
   * @throws `TypeError` for allowed hosts and origins that no header can equal.
   */
  constructor(options: FrontDoorOptions<I>) {
    this.#options = options;
    this.#guard = createHostGuard(options);
    this.#cors = options.cors && createCors(options.cors);
  }

  /**
   * Admits a request or refuses it. Never rejects. It is not an async function, because async
   * functions would cost more per request than the work in it.
   *
   * @param trusted - The sender, if the caller has verified it. Ignored if there is `authenticate`.
   * @param admit - Called for an admitted request. An error that it throws becomes the response.
   * @param headers - Headers that every response has in addition to those of CORS. Default: `{}`.
   */
  serve(
    exchange: Exchange,
    trusted: I | undefined,
    admit: (visit: Visit<I>) => Promise<void> | undefined,
    headers: HeaderFields = noHeaders,
  ): Promise<void> {
    let fields = headers;
    try {
      fields = this.#cors?.headers(exchange) ?? headers;
      if (this.#answerAtOnce(exchange, fields)) {
        return done;
      }
      const visit = { exchange, auth: trusted, headers: fields, since: this.#revocations.count };
      if (this.#options.authenticate !== undefined) {
        return this.#identified(this.#options.authenticate, visit, admit);
      }
      checkIdentity(trusted);
      return admit(visit)?.catch((error: unknown) => this.fail(visit, error)) ?? done;
    } catch (error) {
      this.fail({ exchange, headers: fields }, error);
      return done;
    }
  }

  /**
   * Reads the message in the body of a request.
   *
   * @param take - Called with the result of `decode`. An error of either becomes the response.
   */
  read<T>(
    visit: Visit<I>,
    decode: (body: string | Uint8Array) => T | Promise<T>,
    take: (message: T, visit: Visit<I>) => Promise<void> | undefined,
  ): Promise<void> {
    const fail = (error: unknown): void => this.fail(visit, error);
    return visit.exchange.body(this.#options.body).then((body) => {
      try {
        const message = decode(body);
        return message instanceof Promise
          ? message.then((decoded) => take(decoded, visit)).catch(fail)
          : take(message, visit)?.catch(fail);
      } catch (error) {
        fail(error);
        return undefined;
      }
    }, fail);
  }

  /** Whether {@link close} was not called. Refuses the request if it was. */
  isOpen({ exchange, headers }: Arrived, id?: string | number | null): boolean {
    if (this.#isClosed) {
      this.#options.refuse(exchange, 503, "The server is shutting down", headers, id);
    }
    return !this.#isClosed;
  }

  /** Responds to a request whose handling failed. Reports what is not the fault of its sender. */
  fail({ exchange, headers }: Arrived, error: unknown): void {
    const { onError, refuse } = this.#options;
    const status = isHttpError(error) ? statuses.get(error.code) : undefined;
    if (status === undefined) {
      onError(error);
    }
    try {
      const message = status === undefined ? "Internal error" : (error as Error).message;
      refuse(exchange, status ?? 500, message, headers);
    } catch (cause) {
      onError(cause);
    }
  }

  /** Whether the sender was revoked after its request had arrived. Refuses the request if so. */
  isRevoked({ exchange, headers, since, auth }: Visit<I>, id?: string | number | null): boolean {
    const isRevoked = this.#revocations.revokedSince(since, auth?.principal);
    if (isRevoked) {
      refuseRevoked(this.#options.refuse, exchange, headers, id);
    }
    return isRevoked;
  }

  /** Marks a principal as revoked: its earlier requests that are not served yet are refused. */
  revoke(principal: string): void {
    const { onRevoked, onError } = this.#options;
    this.#revocations.add(principal);
    // Open streams of the principal must end in any case.
    try {
      takeLateFailure(onRevoked?.(principal), onError);
    } catch (error) {
      onError(error);
    }
  }

  /** Refuses all requests from now on. */
  close(): void {
    this.#isClosed = true;
  }

  async #identified(
    authenticate: Authenticate<I>,
    visit: Visit<I>,
    admit: (visit: Visit<I>) => Promise<void> | undefined,
  ): Promise<void> {
    try {
      const identified = await identify(authenticate, visit.exchange, visit.headers);
      if (identified !== undefined && this.isOpen(visit)) {
        await admit({ ...visit, auth: identified.auth });
      }
    } catch (error) {
      this.fail(visit, error);
    }
  }

  /** Responds to requests whose sender does not matter. A preflight carries no credentials. */
  #answerAtOnce(exchange: Exchange, headers: HeaderFields): boolean {
    const problem = this.#guard(exchange);
    // A page learns why a request is refused only if its preflight is not.
    const preflight = problem === undefined ? this.#cors?.preflight(exchange) : undefined;
    if (preflight !== undefined) {
      exchange.respond(204, preflight);
    } else if (problem !== undefined) {
      this.#options.refuse(exchange, 403, problem, headers);
    } else if (this.isOpen({ exchange, headers })) {
      return this.#options.greet?.(exchange, headers) ?? false;
    }
    return true;
  }
}

/**
 * The headers of a refusal. A 503 always has `Retry-After`, from which clients know, with the error
 * in the body, that the request did not run.
 *
 * @source RFC 9110 §15.6.4
 */
export function withRetryAfter(status: number, headers: HeaderFields): HeaderFields {
  return status === 503 && !("retry-after" in headers) ? { ...headers, "retry-after": "1" } : headers;
}

/** Refuses a request whose sender lost its authorization after the request had arrived. */
export function refuseRevoked(
  refuse: Refuse,
  exchange: Exchange,
  headers: HeaderFields,
  id?: string | number | null,
): void {
  const challenge = formatChallenge("Bearer", { error: "invalid_token" });
  const message = "Unauthorized: the credentials of this request are no longer valid";
  refuse(exchange, 401, message, { ...headers, "www-authenticate": challenge }, id);
}
