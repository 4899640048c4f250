import { errorSink, type ResolvedLimits } from "@tenon/base";
import {
  FrontDoor,
  type Exchange,
  type HeaderFields,
  type Visit,
  type WebExchange,
} from "@tenon/http/server";
import { ErrorCode, isMalformed, isRequest, type Incoming } from "@tenon/jsonrpc2/core";
import { createStreamDecoder, type StreamDecoder } from "@tenon/jsonrpc2/stream";
import { decodeLimitsOf } from "@tenon/jsonrpc2/transport";
import {
  assumedRevision,
  firstModern,
  McpErrorCode,
  requestFacts,
  type AuthInfo,
  type RequestFacts,
} from "@tenon/protocol";

import { HeaderName } from "../shared/names.ts";
import type { AnswerSettings } from "./answer.ts";
import { answerBrowser } from "./browser-page.ts";
import { callOf } from "./call.ts";
import { refusePost } from "./check-post.ts";
import { Heartbeat, type Beating } from "./heartbeat.ts";
import { InFlight } from "./in-flight.ts";
import { isOpening } from "./incoming.ts";
import type { StatelessHandlerLimits } from "./limits.ts";
import type { ServeContext, StatelessHandlerOptions } from "./options.ts";
import { refusal, refuse, refuseVisit, unnamed } from "./refusal.ts";
import { serveStateless } from "./serve-stateless.ts";
import type { ServerLike } from "./server-like.ts";
import type { SessionKeeper, StartSessions } from "./session-keeper.ts";

type AuthVisit = Visit<AuthInfo>;

const methods = ["POST", "GET", "DELETE", "OPTIONS"] as const;
const exposedHeaders = [
  "Mcp-Session-Id",
  "Mcp-Protocol-Version",
  "WWW-Authenticate",
  "DPoP-Nonce",
  "Retry-After",
];

/**
 * HTTP statuses of errors that the modern era maps; the others come with 200, as in the legacy era.
 *
 * @source
 */
const modernStatus = new Map<number, number>([
  [ErrorCode.MethodNotFound, 404],
  [McpErrorCode.HeaderMismatch, 400],
  [McpErrorCode.MissingRequiredClientCapability, 400],
  [McpErrorCode.UnsupportedProtocolVersion, 400],
]);

/** Serves one path, independent of the HTTP server. */
export class Endpoint {
  readonly #getServer: StatelessHandlerOptions["getServer"];
  readonly #door: FrontDoor<AuthInfo>;
  readonly #decode: StreamDecoder;
  readonly #sessions: SessionKeeper | undefined;
  readonly #modern: AnswerSettings;
  /** For modern requests that last until their clients end them: they must not keep out calls. */
  readonly #listens: AnswerSettings;
  readonly #legacy: AnswerSettings;

  /** @param startSessions - Absent: legacy clients are served without sessions. */
  constructor(
    options: StatelessHandlerOptions,
    limits: ResolvedLimits<StatelessHandlerLimits>,
    startSessions?: StartSessions,
  ) {
    const { authorize, cors, allowedOrigins } = options;
    const onError = errorSink(options.onError);
    this.#getServer = options.getServer;
    this.#door = new FrontDoor<AuthInfo>({
      ...options,
      cors:
        cors === false
          ? undefined
          : { allowedOrigins: cors?.allowedOrigins ?? allowedOrigins, methods, exposedHeaders },
      body: { maxBytes: limits.maxMessageBytes, timeoutMs: limits.bodyTimeoutMs },
      refuse: refuseVisit,
      greet,
      onError,
    });
    const { maxInFlight, maxListens, heartbeatMs } = limits;
    const perPrincipal = limits.maxInFlightPerPrincipal;
    this.#decode = createStreamDecoder(decodeLimitsOf(limits));
    const streams = { limits, whenFull: options.whenFull };
    const heartbeat = <M extends Beating>(): Heartbeat<M> => new Heartbeat(heartbeatMs, onError);
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
      onError,
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
   * rejects.
   */
  serve(exchange: Exchange, { auth }: ServeContext): Promise<void> {
    return this.#door.serve(exchange, auth, this.#admit);
  }

  /** @see StatelessHandler.close */
  async close(drainMs: number | undefined): Promise<void> {
    this.#door.close();
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

  /** @see StatelessHandler.revoke */
  async revoke(principal: string): Promise<void> {
    this.#revoked(principal);
    await this.#sessions?.revoke(principal);
  }

  /** Ends what a principal has open here, except for its sessions. */
  #revoked(principal: string): void {
    this.#door.revoke(principal);
    this.#modern.inFlight.revoke(principal);
    this.#listens.inFlight.revoke(principal);
  }

  readonly #admit = (visit: AuthVisit): Promise<void> | undefined => {
    const { exchange, headers } = visit;
    if (exchange.method === "POST") {
      return this.#door.read(visit, this.#decode, this.#route);
    }
    const sessions = this.#sessions;
    if (sessions === undefined || (exchange.method !== "GET" && exchange.method !== "DELETE")) {
      //
      const allow = methods.slice(0, sessions === undefined ? 1 : 3).join(", ");
      const message = `This endpoint does not serve ${exchange.method.slice(0, 20)}`;
      refuse(exchange, refusal(405, message), { ...headers, allow });
      return undefined;
    }
    const id = exchange.header(HeaderName.sessionId);
    if (id !== undefined) {
      return sessions.serve(callOf(visit), id);
    }
    // A GET without a session may come from an HTTP+SSE client. 405 shows that client that this
    // endpoint does not support its transport (R-221, T-88).
    if (exchange.method === "GET") {
      refuse(exchange, { ...unnamed, status: 405 }, { ...headers, allow: "POST" });
    } else {
      refuse(exchange, unnamed, headers);
    }
    return undefined;
  };

  /** Chooses what serves a message: a session, a new session, or the server itself. */
  readonly #route = (incoming: Incoming, visit: AuthVisit): Promise<void> | undefined => {
    const { exchange, headers } = visit;
    if (!this.#door.isOpen(visit)) {
      return undefined;
    }
    if (isMalformed(incoming)) {
      refuse(exchange, { status: 400, error: incoming.malformed }, headers, incoming.id ?? null);
      return undefined;
    }
    const call = callOf(visit);
    const facts = factsOf(incoming, call.version ?? assumedRevision);
    const isLegacy = facts.era === "legacy";
    const opens = this.#sessions !== undefined && isLegacy && isOpening(incoming);
    // A client that opens a session no longer uses the session in its header.
    const sessionId = isLegacy && !isOpening(incoming) ? exchange.header(HeaderName.sessionId) : undefined;
    if (this.#sessions !== undefined && sessionId !== undefined) {
      return this.#sessions.post(incoming, call, sessionId);
    }
    const serve = (server: ServerLike | undefined): Promise<void> | undefined => {
      if (!this.#accepts(visit, incoming, server)) {
        return undefined;
      }
      if (opens) {
        return this.#sessions?.open(incoming, call, server);
      }
      const settings = isLegacy ? this.#legacy : isListen(incoming) ? this.#listens : this.#modern;
      const { info, version } = call;
      // Not a spread: to add properties to one takes longer than the rest of the routing.
      serveStateless(incoming, { exchange, info, headers, version, facts, server, settings });
      return undefined;
    };
    const server = this.#getServer(call.info);
    return server instanceof Promise ? server.then(serve) : serve(server);
  };

  /** Whether a message may still be served, when its server was chosen; refuses it otherwise. */
  #accepts(visit: AuthVisit, incoming: Incoming, server: ServerLike | undefined): server is ServerLike {
    const { exchange, headers, auth } = visit;
    const id = isRequest(incoming) ? incoming.id : null;
    if (!this.#door.isOpen(visit, id)) {
      return false;
    }
    this.#sessions?.attend?.(auth?.principal);
    if (this.#door.isRevoked(visit, id)) {
      return false;
    }
    if (server === undefined) {
      refuse(exchange, refusal(404, "getServer returned no server"), headers, id);
      return false;
    }
    if (typeof server?.connect !== "function") {
      throw new TypeError("getServer must return a server, a promise of one, or undefined.");
    }
    return true;
  }
}

/** Responds to requests that are rejected for any sender, and to people with a browser. */
function greet(exchange: Exchange, headers: HeaderFields): boolean {
  return refusePost(exchange, headers) || (exchange.method === "GET" && answerBrowser(exchange, headers));
}

/** A request whose header names a modern version is modern, and incomplete without `_meta`. */
function factsOf(incoming: Incoming, version: string): RequestFacts {
  if (!("method" in incoming)) {
    return { era: "legacy", version };
  }
  const facts = requestFacts(incoming.params, version);
  return facts.era === "legacy" && version >= firstModern && !isOpening(incoming)
    ? { era: "modern", version: undefined }
    : facts;
}

function isListen(incoming: Incoming): boolean {
  return isRequest(incoming) && incoming.method === "subscriptions/listen";
}
