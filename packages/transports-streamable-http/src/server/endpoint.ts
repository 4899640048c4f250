import { errorSink, type ResolvedLimits } from "@tenon/base";
import {
  checkIdentity,
  createCors,
  createHostGuard,
  identify,
  Revocations,
  type Authenticate,
  type Cors,
  type Exchange,
  type HeaderFields,
  type WebExchange,
} from "@tenon/http/server";
import { isMalformed, isNotification, isRequest, type Incoming } from "@tenon/jsonrpc2/core";
import { createStreamDecoder, type StreamDecoder } from "@tenon/jsonrpc2/stream";
import { decodeLimitsOf, writeAccepted } from "@tenon/jsonrpc2/transport";
import type { AuthInfo } from "@tenon/protocol";
import { firstModern, modernVersion } from "@tenon/protocol";

import { attempt } from "../shared/attempt.ts";
import { HeaderName, TransportCode } from "../shared/names.ts";
import type { AnswerSettings } from "./answer.ts";
import { answerBrowser } from "./browser-page.ts";
import { checkPost } from "./check-post.ts";
import { answerFailure } from "./failure.ts";
import { Heartbeat, type Beating } from "./heartbeat.ts";
import { InFlight } from "./in-flight.ts";
import type { StatelessHandlerLimits } from "./limits.ts";
import type { ServeContext, StatelessHandlerOptions } from "./options.ts";
import { isOpening } from "./posted.ts";
import { refusal, refuse, refuseRevoked, type Refusal } from "./refusal.ts";
import { RequestInfo } from "./request-info.ts";
import { serveLegacy, serveModern, takeNotification, takeOther } from "./serve-stateless.ts";
import type { ServerLike } from "./server-like.ts";
import type { SessionCall, SessionKeeper, StartSessions } from "./session-keeper.ts";
import type { StatelessCall } from "./stateless-call.ts";

const methods = ["POST", "GET", "DELETE", "OPTIONS"] as const;
const exposed = ["Mcp-Session-Id", "Mcp-Protocol-Version", "WWW-Authenticate", "DPoP-Nonce", "Retry-After"];
const noHeaders: HeaderFields = {};
const shuttingDown: Refusal = refusal(503, -32603, "The server is shutting down");

/**
 * HTTP statuses of errors that the modern era maps; the others come with 200, as in the legacy era.
 *
 * @source
 */
const modernStatus = new Map<number, number>([
  [-32601, 404],
  [TransportCode.HeaderMismatch, 400],
  [TransportCode.MissingRequiredClientCapability, 400],
  [TransportCode.UnsupportedProtocolVersion, 400],
]);

/** A request that is served. */
interface Call {
  readonly exchange: Exchange;
  readonly auth: AuthInfo | undefined;
  readonly headers: HeaderFields;
  /** The number of revocations when the request arrived. */
  readonly since: number;
  /** Sends the response after an error was thrown. */
  fail(error: unknown): void;
}

/** Serves one path, independent of the HTTP server. */
export class Endpoint {
  readonly #options: StatelessHandlerOptions;
  readonly #guard: ReturnType<typeof createHostGuard>;
  readonly #cors: Cors | undefined;
  readonly #decode: StreamDecoder;
  readonly #onError: (error: unknown) => void;
  readonly #sessions: SessionKeeper | undefined;
  readonly #modern: AnswerSettings;
  /** For modern requests that last until their clients end them: they must not keep out calls. */
  readonly #listens: AnswerSettings;
  readonly #legacy: AnswerSettings;
  readonly #body: { readonly maxBytes: number; readonly timeoutMs: number };
  readonly #revocations = new Revocations();
  #closing: Promise<void> | undefined;

  /** @param startSessions - Absent: legacy clients are served without sessions. */
  constructor(
    options: StatelessHandlerOptions,
    limits: ResolvedLimits<StatelessHandlerLimits>,
    startSessions?: StartSessions,
  ) {
    this.#options = options;
    this.#guard = createHostGuard(options);
    this.#cors = corsOf(options);
    this.#onError = errorSink(options.onError);
    const { maxInFlight, maxListens, maxMessageBytes, bodyTimeoutMs, heartbeatMs } = limits;
    const { authorize } = options;
    const perPrincipal = limits.maxInFlightPerPrincipal;
    this.#body = { maxBytes: maxMessageBytes, timeoutMs: bodyTimeoutMs };
    this.#decode = createStreamDecoder(decodeLimitsOf(limits));
    const streams = { limits, whenFull: options.whenFull };
    const heartbeat = <M extends Beating>(): Heartbeat<M> => new Heartbeat(heartbeatMs, this.#onError);
    const inFlight = new InFlight({ max: maxInFlight, option: "maxInFlight", perPrincipal }, heartbeat());
    const statusOf = (code: number): number => modernStatus.get(code) ?? 200;
    this.#modern = { inFlight, streams, authorize, lasts: false, statusOf };
    this.#listens = {
      ...this.#modern,
      inFlight: new InFlight({ max: maxListens, option: "maxListens", perPrincipal }, heartbeat()),
      lasts: true,
    };
    this.#legacy = { ...this.#modern, statusOf: () => 200 };
    this.#sessions = startSessions?.({
      heartbeat: heartbeat(),
      streams,
      authorize,
      revoked: (principal) => this.#revoked(principal),
      principals: () => [this.#modern, this.#listens].flatMap(({ inFlight }) => inFlight.principals()),
      onError: this.#onError,
    });
  }

  /** Serves a web-standard request. Never rejects. */
  fetch(exchange: WebExchange, context: ServeContext): Promise<Response> {
    // Not awaited: a replay writes to a response that is read at the same time.
    void this.serve(exchange, context);
    return exchange.response;
  }

  /**
   * Serves a request. Settles when the request is routed, not when the response is sent. Never
   * rejects. It is not an async function, because async functions would cost more per request than
   * the work in it.
   */
  serve(exchange: Exchange, context: ServeContext): Promise<void> {
    let headers = noHeaders;
    const fail = (error: unknown): void => answerFailure(exchange, error, headers, this.#onError);
    try {
      headers = this.#cors?.headers(exchange) ?? noHeaders;
      if (this.#answerAtOnce(exchange, headers)) {
        return writeAccepted;
      }
      const call = { exchange, auth: context.auth, headers, since: this.#revocations.count, fail };
      if (this.#options.authenticate !== undefined) {
        return this.#authenticated(this.#options.authenticate, call).catch(fail);
      }
      checkIdentity(context.auth);
      return this.#admitted(call);
    } catch (error) {
      fail(error);
      return writeAccepted;
    }
  }

  async #authenticated(authenticate: Authenticate<AuthInfo>, call: Call): Promise<void> {
    const identified = await identify(authenticate, call.exchange, call.headers);
    if (identified !== undefined) {
      await this.#admitted({ ...call, auth: identified.auth });
    }
  }

  #admitted(call: Call): Promise<void> {
    const { exchange, fail } = call;
    return exchange.method === "POST"
      ? exchange.body(this.#body).then((body) => this.#post(body, call), fail)
      : this.#other(call).catch(fail);
  }

  /** @see StatelessHandler.close */
  close(drainMs: number | undefined): Promise<void> {
    const closing = this.#close(drainMs);
    this.#closing ??= closing;
    return closing;
  }

  /** @see StatelessHandler.revoke */
  async revoke(principal: string): Promise<void> {
    this.#revoked(principal);
    await this.#sessions?.revoke(principal);
  }

  /** Ends what a principal has open here, except for its sessions. */
  #revoked(principal: string): void {
    this.#revocations.add(principal);
    attempt(() => this.#options.onRevoked?.(principal), this.#onError);
    this.#modern.inFlight.revoke(principal);
    this.#listens.inFlight.revoke(principal);
  }

  async #close(drainMs: number | undefined): Promise<void> {
    const sessions = this.#sessions?.close(drainMs);
    // If a handler closes the endpoint before it returns, its own request can be closed only after
    // that.
    await Promise.resolve();
    await Promise.all([
      this.#modern.inFlight.close(drainMs),
      this.#listens.inFlight.close(drainMs),
      sessions,
    ]);
  }

  /**
   * Responds to requests before their sender is identified: preflights, which carry no credentials,
   * people with a browser, and requests that are rejected for any sender.
   */
  #answerAtOnce(exchange: Exchange, headers: HeaderFields): boolean {
    const problem = this.#guard(exchange);
    // The page learns why a request is refused only if its preflight is not.
    const preflight = problem === undefined ? this.#cors?.preflight(exchange) : undefined;
    if (preflight !== undefined) {
      exchange.respond(204, preflight);
      return true;
    }
    const refused = problem === undefined ? this.#refusal(exchange) : refusal(403, -32600, problem);
    if (refused !== undefined) {
      refuse(exchange, refused, headers);
      return true;
    }
    return exchange.method === "GET" && answerBrowser(exchange, headers);
  }

  #refusal(exchange: Exchange): Refusal | undefined {
    if (this.#closing !== undefined) {
      return shuttingDown;
    }
    return exchange.method === "POST" ? checkPost(exchange) : undefined;
  }

  async #other({ exchange, auth, headers }: Call): Promise<void> {
    if (this.#sessions !== undefined && (exchange.method === "GET" || exchange.method === "DELETE")) {
      await this.#sessions.serve(exchange, auth, headers);
    } else {
      //
      const allow = methods.slice(0, this.#sessions === undefined ? 1 : 3).join(", ");
      const message = `This endpoint does not serve ${exchange.method.slice(0, 20)}`;
      refuse(exchange, refusal(405, -32600, message), { ...headers, allow });
    }
  }

  #post(body: string | Uint8Array, posted: Call): Promise<void> | undefined {
    try {
      const { exchange, headers } = posted;
      if (this.#closing !== undefined) {
        refuse(exchange, shuttingDown, headers);
        return undefined;
      }
      const incoming = this.#decode(body);
      return incoming instanceof Promise
        ? incoming.then((decoded) => this.#take(decoded, posted)).catch(posted.fail)
        : this.#take(incoming, posted);
    } catch (error) {
      posted.fail(error);
    }
    return undefined;
  }

  #take(incoming: Incoming, posted: Call): Promise<void> | undefined {
    if (!isMalformed(incoming)) {
      return this.#route(incoming, posted)?.catch(posted.fail);
    }
    const { exchange, headers } = posted;
    refuse(exchange, { status: 400, error: incoming.malformed }, headers, incoming.id ?? null);
    return undefined;
  }

  /** Chooses the protocol era and the way of serving by the content of the request. */
  #route(incoming: Incoming, { exchange, auth, headers, since }: Call): Promise<void> | undefined {
    const modern = isModern(incoming, exchange);
    const call = { exchange, info: new RequestInfo(exchange, auth), headers };
    // A client that opens a session no longer uses the session in its header.
    const sessionId = modern || isOpening(incoming) ? undefined : exchange.header(HeaderName.sessionId);
    if (this.#sessions !== undefined && sessionId !== undefined) {
      return this.#sessions.post(incoming, call, sessionId);
    }
    const server = this.#options.getServer(call.info);
    return server instanceof Promise
      ? server.then((chosen) => this.#serveBy(chosen, incoming, call, { modern, since }))
      : this.#serveBy(server, incoming, call, { modern, since });
  }

  #serveBy(
    server: ServerLike | undefined,
    incoming: Incoming,
    call: SessionCall,
    { modern, since }: { readonly modern: boolean; readonly since: number },
  ): Promise<void> | undefined {
    const { exchange, info, headers } = call;
    if (this.#closing !== undefined) {
      refuse(exchange, shuttingDown, headers, idOf(incoming));
      return undefined;
    }
    this.#sessions?.attend?.(info.auth?.principal);
    if (this.#revocations.revokedSince(since, info.auth?.principal)) {
      refuseRevoked(exchange, headers, idOf(incoming));
      return undefined;
    }
    if (server === undefined) {
      refuse(exchange, refusal(404, -32600, "There is no server here"), headers, idOf(incoming));
      return undefined;
    }
    if (typeof server?.connect !== "function") {
      throw new TypeError("getServer must return a server, a promise of one, or undefined.");
    }
    if (!modern && this.#sessions !== undefined && isOpening(incoming)) {
      return this.#sessions.open(incoming, call, server);
    }
    const settings = modern ? this.#settingsOf(incoming) : this.#legacy;
    this.#stateless(incoming, { exchange, info, headers, server, settings }, modern);
    return undefined;
  }

  #settingsOf(incoming: Incoming): AnswerSettings {
    const isListen = isRequest(incoming) && incoming.method === "subscriptions/listen";
    return isListen ? this.#listens : this.#modern;
  }

  #stateless(incoming: Incoming, call: StatelessCall, modern: boolean): void {
    if (isNotification(incoming)) {
      takeNotification(incoming, call, modern ? "modern" : "legacy");
    } else if (!isRequest(incoming)) {
      takeOther(incoming, call);
    } else if (modern) {
      serveModern(incoming, call);
    } else {
      serveLegacy(incoming, call);
    }
  }
}

function isModern(incoming: Incoming, exchange: Exchange): boolean {
  if (!("method" in incoming) || modernVersion(incoming.params) !== undefined) {
    return "method" in incoming;
  }
  const header = exchange.header(HeaderName.protocolVersion);
  return incoming.method !== "initialize" && header !== undefined && header >= firstModern;
}

function idOf(incoming: Incoming): string | number | null {
  return isRequest(incoming) ? incoming.id : null;
}

function corsOf({ cors, allowedOrigins }: StatelessHandlerOptions): Cors | undefined {
  return cors === false
    ? undefined
    : createCors({
        allowedOrigins: cors?.allowedOrigins ?? allowedOrigins,
        methods,
        exposedHeaders: exposed,
      });
}
