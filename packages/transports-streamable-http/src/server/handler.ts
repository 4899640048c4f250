import {
  createCors,
  createGuard,
  NodeExchange,
  WebExchange,
  type Cors,
  type Exchange,
  type HeaderFields,
  type NodeRequest,
  type NodeResponse,
} from "@tenon/http/server";
import { createDecoder, isMalformed, isNotification, isRequest, type Incoming } from "@tenon/jsonrpc2";
import { latest } from "@tenon/protocol";

import { modernVersion } from "../shared/meta.ts";
import { HeaderName, TransportCode } from "../shared/names.ts";
import type { AnswerSettings } from "./answer.ts";
import { checkPost } from "./check-post.ts";
import { refusalOf } from "./failure.ts";
import { Heartbeat } from "./heartbeat.ts";
import { Lanes } from "./lanes.ts";
import type { ServeContext, StreamableHandlerOptions } from "./options.ts";
import { refusal, refuse, type Refusal } from "./refusal.ts";
import { RequestInfo } from "./request-info.ts";
import { Sessions } from "./sessions.ts";
import { refuseOther, serveLegacy, serveModern, takeNotification, type StatelessCall } from "./stateless.ts";

/** Serves the Model Context Protocol on one HTTP endpoint. */
export interface StreamableHandler extends AsyncDisposable {
  /** Serves a web-standard request. Never rejects. */
  fetch(request: Request, context?: ServeContext): Promise<Response>;
  /** Serves a request of `node:http`, or of a framework that extends it. Resolves when it is routed, not when it is answered; never rejects. */
  node(request: NodeRequest, response: NodeResponse, context?: ServeContext): Promise<void>;
  /**
   * Takes no more requests, lets those that run finish, ends all sessions (S-024). Idempotent.
   *
   * @param options - `drainMs`: how long they may take. Default: that of the server.
   */
  close(options?: { readonly drainMs?: number | undefined }): Promise<void>;
}

const methods = ["POST", "GET", "DELETE", "OPTIONS"] as const;
const exposed = ["Mcp-Session-Id", "Mcp-Protocol-Version", "WWW-Authenticate", "Retry-After"];
const noHeaders: HeaderFields = {};

/** HTTP statuses of errors that the modern era maps; the others come with 200, as in the legacy era. */
const modernStatus = new Map<number, number>([
  [-32601, 404],
  [TransportCode.HeaderMismatch, 400],
  [TransportCode.MissingRequiredClientCapability, 400],
  [TransportCode.UnsupportedProtocolVersion, 400],
]);

/**
 * Makes the handler of an endpoint that serves every revision: the modern era without sessions, the legacy era with and without them, as the client opens
 * (R-210, R-211).
 */
export function createStreamableHandler(options: StreamableHandlerOptions): StreamableHandler {
  const handler = new Handler(options);
  return {
    fetch: (request, context = {}) => {
      const exchange = new WebExchange(request);
      // Not awaited: a replay is served by writing to a response that is read meanwhile.
      void handler.serve(exchange, context);
      return exchange.response;
    },
    node: (request, response, context = {}) =>
      handler.serve(new NodeExchange(request, response, context.parsedBody), context),
    close: ({ drainMs } = {}) => handler.close(drainMs),
    [Symbol.asyncDispose]: () => handler.close(undefined),
  };
}

class Handler {
  readonly #options: StreamableHandlerOptions;
  readonly #guard: ReturnType<typeof createGuard>;
  readonly #cors: Cors | undefined;
  readonly #decode: (input: string | Uint8Array) => Incoming;
  readonly #onError: (error: unknown) => void;
  readonly #lanes: Lanes;
  readonly #maxInFlight: number;
  readonly #sessions: Sessions | undefined;
  readonly #modern: AnswerSettings;
  readonly #legacy: AnswerSettings;
  readonly #body: { readonly maxBytes: number; readonly timeoutMs: number };
  #closing: Promise<void> | undefined;

  constructor(options: StreamableHandlerOptions) {
    this.#options = options;
    this.#guard = createGuard(options);
    this.#cors = corsOf(options);
    this.#onError = options.onError ?? (() => {});
    this.#body = {
      maxBytes: options.maxBodyBytes ?? 4 * 1024 * 1024,
      timeoutMs: options.bodyTimeoutMs ?? 20_000,
    };
    this.#decode = createDecoder({ ...options.limits, maxBytes: this.#body.maxBytes });
    const isolated = options.isolateRequests ?? onWorkers();
    this.#lanes = new Lanes(isolated, this.#onError);
    this.#maxInFlight = options.maxInFlight ?? 4096;
    const heartbeat = new Heartbeat(options.heartbeatMs ?? 15_000);
    const limits = options.streams ?? {};
    this.#modern = { heartbeat, limits, statusOf: (code) => modernStatus.get(code) ?? 200 };
    this.#legacy = { heartbeat, limits, statusOf: () => 200 };
    const sessions = options.sessions ?? (isolated ? false : {});
    this.#sessions =
      sessions === false ? undefined : new Sessions(sessions, { heartbeat, limits, onError: this.#onError });
  }

  async serve(exchange: Exchange, context: ServeContext): Promise<void> {
    const headers = this.#cors?.headers(exchange) ?? noHeaders;
    try {
      const refused = this.#refusal(exchange);
      if (refused !== undefined) {
        refuse(exchange, refused, headers);
      } else if (exchange.method === "POST") {
        await this.#post(exchange, context, headers);
      } else {
        await this.#other(exchange, context, headers);
      }
    } catch (error) {
      this.#fail(exchange, error, headers);
    }
  }

  close(drainMs: number | undefined): Promise<void> {
    this.#closing ??= this.#close(drainMs);
    return this.#closing;
  }

  async #close(drainMs: number | undefined): Promise<void> {
    await Promise.all([this.#lanes.close(drainMs), this.#sessions?.close(drainMs)]);
  }

  #refusal(exchange: Exchange): Refusal | undefined {
    const problem = this.#guard(exchange);
    if (problem !== undefined) {
      return refusal(403, -32600, problem);
    }
    return this.#closing === undefined ? undefined : refusal(503, -32603, "The server is shutting down");
  }

  async #other(exchange: Exchange, context: ServeContext, headers: HeaderFields): Promise<void> {
    const preflight = this.#cors?.preflight(exchange);
    if (preflight !== undefined) {
      exchange.respond(204, preflight);
    } else if (this.#sessions !== undefined && (exchange.method === "GET" || exchange.method === "DELETE")) {
      await this.#sessions.serve(exchange, context.auth, headers);
    } else {
      //
      const allow = methods.slice(0, this.#sessions === undefined ? 1 : 3).join(", ");
      const message = `This endpoint does not serve ${exchange.method.slice(0, 20)}`;
      refuse(exchange, refusal(405, -32600, message), { ...headers, allow });
    }
  }

  async #post(exchange: Exchange, context: ServeContext, headers: HeaderFields): Promise<void> {
    const refused = checkPost(exchange);
    if (refused !== undefined) {
      refuse(exchange, refused, headers);
      return;
    }
    const incoming = this.#decode(await exchange.body(this.#body));
    if (isMalformed(incoming)) {
      refuse(exchange, { status: 400, error: incoming.malformed }, headers, incoming.id ?? null);
      return;
    }
    await this.#route(incoming, exchange, context, headers);
  }

  /** Decides by what the client sends which era and which kind of serving it gets (checklist 2.5). */
  async #route(
    incoming: Incoming,
    exchange: Exchange,
    { auth }: ServeContext,
    headers: HeaderFields,
  ): Promise<void> {
    const modern = isModern(incoming, exchange);
    const sessionId = modern ? undefined : exchange.header(HeaderName.sessionId);
    const info = new RequestInfo(exchange, auth);
    if (this.#sessions !== undefined && sessionId !== undefined) {
      await this.#sessions.post(incoming, { exchange, info, headers, sessionId });
      return;
    }
    const chosen = this.#options.getServer(info);
    const server = chosen instanceof Promise ? await chosen : chosen;
    if (server === undefined) {
      refuse(exchange, refusal(404, -32600, "There is no server here"), headers, idOf(incoming));
      return;
    }
    if (!modern && this.#sessions !== undefined && isRequest(incoming) && incoming.method === "initialize") {
      await this.#sessions.open(incoming, { exchange, info, headers }, server);
      return;
    }
    if (this.#lanes.load >= this.#maxInFlight) {
      const message = `${this.#maxInFlight} requests are under way already (maxInFlight)`;
      refuse(exchange, refusal(503, -32603, message), { ...headers, "retry-after": "1" }, idOf(incoming));
      return;
    }
    const settings = modern ? this.#modern : this.#legacy;
    this.#stateless(incoming, { exchange, info, headers, server, lanes: this.#lanes, settings }, modern);
  }

  #stateless(incoming: Incoming, call: StatelessCall, modern: boolean): void {
    if (isNotification(incoming)) {
      takeNotification(incoming, call, modern ? "modern" : "legacy");
    } else if (!isRequest(incoming)) {
      refuseOther(incoming, call);
    } else if (modern) {
      serveModern(incoming, call);
    } else {
      serveLegacy(incoming, call);
    }
  }

  #fail(exchange: Exchange, error: unknown, headers: HeaderFields): void {
    const refused = refusalOf(error);
    if (refused === undefined) {
      this.#onError(error);
    }
    refuse(exchange, refused ?? refusal(500, -32603, "Internal error"), headers);
  }
}

function isModern(incoming: Incoming, exchange: Exchange): boolean {
  if (!("method" in incoming)) {
    return false;
  }
  if (modernVersion(incoming.params) !== undefined) {
    return true;
  }
  const header = exchange.header(HeaderName.protocolVersion);
  return incoming.method !== "initialize" && header !== undefined && header >= latest;
}

/** Whether this is Cloudflare's runtime, which does not let one request await what another one does. */
function onWorkers(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent === "Cloudflare-Workers";
}

function idOf(incoming: Incoming): string | number | null {
  return isRequest(incoming) ? incoming.id : null;
}

function corsOf({ cors, allowedOrigins }: StreamableHandlerOptions): Cors | undefined {
  const origins = cors === undefined ? allowedOrigins : cors === false ? undefined : cors.allowedOrigins;
  return origins === undefined
    ? undefined
    : createCors({
        allowedOrigins: origins,
        methods,
        exposedHeaders: exposed,
        maxAgeSeconds: cors === undefined || cors === false ? undefined : cors.maxAgeSeconds,
      });
}
